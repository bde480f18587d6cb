"""The work of a run: articles are read, given to the workers, and their results stored."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from corpora import plugins, reading
from corpora.errors import Argument, ConfigurationError, InputError, OptionError, shortened
from corpora.formats import registry
from corpora.formats.format import Header
from corpora.storage import atomic
from corpora.storage.inputs import STDIN, InputFile, fixed_folder
from corpora.storage.owned_files import FileState
from corpora.storage.pmc_files import why_left_out
from corpora.words.quantities import quantity
from nlmchem.engine.database import NEW, REPLACED
from nlmchem.engine.executors import Dispatcher, Executor, next_window
from nlmchem.engine.registration import CHUNK, change_fault, kept_files, no_sources, opened_sources, stamp
from nlmchem.engine.run import Run
from nlmchem.engine.stop import KEPT, RunStopped, writing
from nlmchem.engine.tasks import MENTIONS, Failure, Source, Task, TaskResult


@dataclass(frozen=True, slots=True)
class _OpenedFile:
    """An input file, its stamp when it was opened, and its sources with their outputs."""

    file: InputFile
    stamp: str | None
    sources: Iterator[tuple[PurePosixPath, reading.OpenInput]]


class TaskReader:
    """Yields the articles that are still to be done, and keeps `Outputs` informed of what it reads.

    Each input is opened once; a second time only if it was done before and has changed. `flush` writes all results
    that are in memory to the disk.
    """

    def __init__(self, run: Run, flush: Callable[[], None]) -> None:
        self._run = run
        self._ledger = run.ledger
        self._outputs = run.outputs
        self._flush = flush
        self._reported_header = False
        self._is_increment = run.ledger.changes.is_increment()
        self._files: Iterator[_OpenedFile | None] = self._remaining()

    def _remaining(self) -> Iterator[_OpenedFile | None]:
        """The inputs that must be opened; None after files that an earlier run has done, and that are as they were."""
        files = self._ledger.inputs.files()
        is_first = not self._ledger.has_sources()
        while chunk := list(islice(files, CHUNK)):
            kept = frozenset() if is_first else kept_files(self._run, chunk)
            if kept:
                yield None
            for file in chunk:
                if file.path in kept:
                    self._run.progress.file_read(file.size())
                else:
                    yield _OpenedFile(file, stamp(file), opened_sources(self._run, file, self._run.unclaimed))

    def require_source(self) -> None:
        """Open inputs until one has a source, of any shard. Raises `ConfigurationError` where none has."""
        for opened in self._files:
            if opened is None:
                return
            first = next(opened.sources, None)
            if first is not None:
                opened = replace(opened, sources=chain([first], opened.sources))
                self._files = chain([opened], self._files)
                return
        if (error := no_sources(self._run)) is not None:
            raise error

    def tasks(self) -> Iterator[Task | TaskResult]:
        """A task for every article to do; a failed result for whatever cannot be read."""
        for opened in self._files:
            if opened is None:
                continue
            yield from self._file(opened)
            self._ledger.forget_earlier_failures(opened.file.path)
            self._run.progress.file_read(opened.file.size())

    def _file(self, file: _OpenedFile) -> Iterator[Task | TaskResult]:
        options, unread = self._run.options, self._run.unread
        same: set[PurePosixPath] | None = None
        for ordinal, (output, opened) in enumerate(file.sources):
            if not options.shard.holds(output):
                continue
            unread.add(opened.member.beside)
            reason = why_left_out(opened.member.metadata, options.licence, options.exclude_retracted)
            if reason is not None:
                unread.leave_out(opened.member, reason)
                continue
            is_new = self._is_increment and self._ledger.source(output) is None
            source = self._ledger.add_source(file.file.path, opened.member.name, output, ordinal)
            state, then, header = self._ledger.source_state(source)
            is_done = state == "done" and file.stamp is not None and self._is_complete(source)
            if is_done and then != file.stamp:
                same = self._unchanged(file) if same is None else same
                is_done = output in same
            if is_done:
                self._ledger.finish_source(source.id, file.stamp, header or "{}")
            else:
                if self._is_increment and (is_new or state == "done"):
                    self._ledger.changes.add(output, NEW if is_new else REPLACED)
                if self._outputs.has_parts(source.id):
                    self._ledger.reopen_source(source.id, "failed" if options.retry_failed else "none")
                else:
                    # Articles that stand in the output alone are done again, once one of them has changed.
                    self._outputs.forget_parts(source.id)
                    self._ledger.reopen_source(source.id, "all")
                stamp_when_done = file.stamp
                if (fault := change_fault(self._run, source.output)) is not None:
                    # An output that was changed by hand fails until it is moved away: the next run looks again.
                    opened, stamp_when_done = replace(opened, member=replace(opened.member, fault=fault)), None
                yield from self._articles(source, opened, stamp_when_done)

    def _is_complete(self, source: Source) -> bool:
        """Whether the output is there, and no failed article is to be tried again."""
        done, failed = self._ledger.tally(source.id)
        return not (failed and self._run.options.retry_failed) and (not done or self._outputs.exists(source))

    def _unchanged(self, file: _OpenedFile) -> set[PurePosixPath]:
        """The outputs of a changed (touched, copied, repacked) file whose members hold the same articles as before.

        One pass over the file tells it for all of them. An article that failed is the same if it would
        fail in the same way.
        """
        same: set[PurePosixPath] = set()
        for output, opened in opened_sources(self._run, file.file):
            source = self._ledger.source(output)
            if source is not None and self._ledger.source_state(source)[0] == "done":
                position = -1
                for position, (digest, _) in enumerate(_pieces(opened, [])):
                    if not self._is_settled(source, position, digest):
                        break
                else:
                    if position + 1 == sum(self._ledger.tally(source.id)):
                        same.add(output)
        return same

    def _articles(self, source: Source, opened: reading.OpenInput, now: str | None) -> Iterator[Task | TaskResult]:
        self._outputs.begin(source)
        self._run.progress.file_begun(opened.member.position)
        notes: list[str] = []
        position = 0
        for digest, piece in _pieces(opened, notes):
            if not self._is_settled(source, position, digest):
                self._outputs.awaiting(source.id)
                if isinstance(piece, Failure):
                    yield TaskResult(source.id, position, digest, failure=piece)
                else:
                    yield source.task(position, digest, piece)
            position += 1
        self._outputs.read(source, now, opened.header)
        if not self._run.writes_parts or not self._reported_header:
            # Parts have the articles of many inputs: one note says it for all of them.
            registry.report_header_losses(opened.header, self._run.format, notes.append)
            self._reported_header = opened.header != Header()
        self._ledger.end_of_source(source.id, position, notes)
        # Sources without articles give no result after which the outputs are flushed.
        if self._outputs.full():
            self._flush()

    def _is_settled(self, source: Source, position: int, digest: str) -> bool:
        """Whether an article was done, or failed and is not to be retried, in an earlier run."""
        return self._ledger.hash_at(source.id, position) == digest


def _pieces(opened: reading.OpenInput, notes: list[str]) -> Iterator[tuple[str, reading.RawArticle | Failure]]:
    """The articles of a file or member in order, each with its hash, or why the file cannot be read further.

    The hash of an article includes what metadata state about it.
    """
    number = 0
    try:
        for article in opened.raw_articles(notes.append):
            digest = hashlib.sha256(article.raw)
            if article.infons:
                digest.update(json.dumps(article.infons, sort_keys=True).encode())
            yield digest.hexdigest(), article
            number += 1
        return
    except InputError as error:
        message, trace = str(error), ""
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        # Also `SystemExit`: a package with a format may call `sys.exit`.
        message = f"{plugins.unexpected(error)} with the file"
        message += f" (read before that place: {quantity(number, 'article')})" if number else ""
        trace = "".join(traceback.format_exception(error))
    hash_of_reason = hashlib.sha256(message.encode("utf-8", "backslashreplace")).hexdigest()
    yield hash_of_reason, Failure("read", message, trace)


class Results:
    """Receives the results of a run: they go to the outputs or to the quarantine, and are counted."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._outputs = run.outputs
        self._quarantine = run.quarantine
        self._succeeded: list[tuple[Source, int]] = []
        self._ended = self._failed = 0

    def add(self, result: TaskResult, task: Task | None) -> None:
        """Store a result. `task` is None if the article could not be read.

        Raises `RunStopped` if more articles failed than the limit allows.
        """
        source = self._run.ledger.source_by_id(result.source)
        with writing(self._run.out):
            if result.failure is None:
                self._succeeded.append((source, result.position))
            else:
                self._quarantine.add(source, result.position, result.failure, task)
                name = f" (document {shortened(result.document)!r})" if result.document else ""
                where = f"{source}, article {result.position + 1}{name}"
                self._run.progress.failure(where, f"{result.failure.stage}: {result.failure.message}")
        for stage, spent in result.seconds.items():
            self._run.seconds[stage] += spent
        self._outputs.add(result)
        mentions, size = result.counts.get(MENTIONS, 0), 0 if task is None else len(task.raw)
        self._run.progress.article_ended(mentions, result.failure is not None, size)
        self._ended += 1
        self._failed += result.failure is not None
        if self._outputs.full():
            self.flush()
        if result.failure is not None:
            self.check_limit()

    def check_limit(self, at_end: bool = False) -> None:
        """Raise `RunStopped` if more articles of this run failed than the limit allows."""
        limit = self._run.options.max_failures
        if limit is not None and limit.is_exceeded(self._failed, self._ended, at_end):
            raise RunStopped(
                f"{self._failed} of {quantity(self._ended, 'article')} failed, more than ",
                Argument("max_failures", str(limit)),
                f" allows; {self._run.folder.quarantine} has the reasons. {KEPT.capitalize()}",
            )

    def flush(self) -> None:
        """Write all stored results to disk and to the ledger, then remove articles that succeeded from the quarantine.

        The copy in the quarantine may be the only one of a corrected article, so it is removed last. Raises
        `RunStopped` if the output folder was removed.
        """
        self._run.require_folder()
        with writing(self._run.out):
            self._outputs.flush()
            for source, position in self._succeeded:
                self._quarantine.remove(source, position)
            self._succeeded.clear()


def process(run: Run, executor: Executor, results: Results, work: Iterator[Task | TaskResult]) -> None:
    """Process all work in windows, and store the results of each window before the next one begins."""

    def read() -> Iterator[Task]:
        for item in work:
            if isinstance(item, TaskResult):
                results.add(item, None)
            else:
                run.progress.article_read(len(item.raw))
                yield item

    tasks = read()
    try:
        for window in Dispatcher(executor, run.setup).windows(lambda: next_window(tasks, executor.workers)):
            for task, result in window:
                results.add(result, task)
            results.flush()
    finally:
        results.flush()


# -- what the inputs no longer contain ----------------------------------------------------------


def places_of(inputs: Sequence[str]) -> tuple[str, ...]:
    """The real paths of the files and folders that inputs name. A file that is missing below them is withdrawn."""
    patterns = {name for name in inputs if glob.has_magic(name) and not os.path.lexists(name)}
    return tuple(os.path.realpath(fixed_folder(name) if name in patterns else name) for name in inputs if name != STDIN)


def require_no_emptied_folder(run: Run, places: Sequence[str]) -> None:
    """Raise `ConfigurationError` where `prune` would remove the outputs of a folder that has no file at all now.

    It may be the place of a disk that is not connected. Call when the input files are registered.
    """
    if run.options.prune_empty and not run.options.prune:
        raise OptionError("prune_empty", "adds to ", Argument("prune", True), "; give both")
    if run.options.prune_empty or not run.options.prune:
        return
    emptied: Counter[str] = Counter()
    for source, is_read in run.ledger.changes.not_found():
        if not is_read and _is_withdrawn(source, places):
            existing = next(folder for folder in Path(source.path).parents if folder.is_dir())
            emptied[str(existing)] += 1
    for folder, number in sorted(emptied.items()):
        if not run.ledger.inputs.has_below(os.path.realpath(folder)):
            raise ConfigurationError(
                f"the folder {folder} has no file now, and {quantity(number, 'output is', 'outputs are')} of files "
                "that it had; connect its disk, or remove these outputs with ",
                Argument("prune_empty", True),
            )


def settle_withdrawn(run: Run, places: Sequence[str]) -> None:
    """Mark the sources of earlier runs that the inputs of this run no longer contain, or remove their outputs.

    Sources of other inputs, which earlier runs have read, stay as they are. An output that was changed by hand stays,
    too. Raises `OSError`.
    """
    kept: list[Path] = []
    removed: list[Source] = []
    for source, is_read in run.ledger.changes.not_found():
        if not is_read and not _is_withdrawn(source, places):
            continue
        if not run.options.prune:
            run.ledger.changes.withdraw(source)
        elif run.files.remove(source.output) is FileState.CHANGED:
            kept.append(run.out / source.output)
        else:
            removed.append(source)
    # Outputs are forgotten after their names have left the disk.
    for folder in sorted({(run.out / source.output).parent for source in removed}, reverse=True):
        if folder.is_dir():
            atomic.sync_folder(folder)
            with suppress(OSError):
                # Empty folders are removed, up to the output folder.
                while folder != run.out:
                    folder.rmdir()
                    folder = folder.parent
    gone = {source.output for source in removed}
    if gone:
        run.quarantine.keep(lambda output, position: output not in gone)
    with run.ledger.durable(), run.ledger.transaction():
        for source in removed:
            run.ledger.changes.remove(source)
    if kept:
        run.job.progress(
            f"{len(kept)} outputs of withdrawn articles were changed by hand, and are kept; the first is {min(kept)}"
        )


def _is_withdrawn(source: Source, places: Sequence[str]) -> bool:
    """Whether the file of a source was removed from the inputs. A disk that is not there now removes nothing."""
    if source.path == STDIN or not _is_removed(Path(source.path)):
        return False
    real = os.path.realpath(source.path)
    return any(real == place or real.startswith(place.rstrip("/") + "/") for place in places)


def _is_removed(path: Path) -> bool:
    """Whether the folder of a file can be read and does not contain it, or was removed itself."""
    try:
        path.lstat()
    except FileNotFoundError:
        # A link that leads nowhere may be that to another disk.
        return path.parent.is_dir() or (not path.parent.is_symlink() and _is_removed(path.parent))
    except OSError:
        return False
    return False
