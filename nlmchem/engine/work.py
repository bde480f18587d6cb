"""The work of a run: articles are read, given to the workers, and their results stored."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath

from corpora import reading
from corpora.errors import Argument, InputError
from corpora.formats import registry
from corpora.storage.inputs import InputFile
from nlmchem.engine.executors import Death, Executor, WorkersLost
from nlmchem.engine.registration import no_sources, opened_sources, stamp
from nlmchem.engine.run import Run
from nlmchem.engine.stop import KEPT, RunStopped, writing
from nlmchem.engine.tasks import Block, Failure, Result, Source, Task, blocks_of

ARTICLES_PER_WORKER = 24
WINDOW_BYTES = 32 << 20
"""A window is dispatched at once: at most this many articles for each worker, and about this many bytes in all."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One article of a file, raw; or, as the last one, why the file cannot be read (further)."""

    digest: str
    format: str = ""
    raw: bytes = b""
    fallback_id: str = ""
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class _OpenedFile:
    """An input file, its stamp when it was opened, and its sources with their outputs."""

    file: InputFile
    stamp: str | None
    sources: Iterator[tuple[PurePosixPath, reading.Source]]


class Reader:
    """Yields the articles that are still to be done, and keeps `Outputs` informed of what it reads.

    Each input is opened once; a second time only if it was done before and has changed. `flush` writes all results
    that are in memory to the disk.
    """

    def __init__(self, run: Run, flush: Callable[[], None]) -> None:
        self._run = run
        self._ledger = run.ledger
        self._outputs = run.outputs
        self._flush = flush
        self._files: Iterator[_OpenedFile] = map(self._opened, run.ledger.files())

    def _opened(self, file: InputFile) -> _OpenedFile:
        return _OpenedFile(file, stamp(file), opened_sources(self._run, file, self._run.unclaimed))

    def require_source(self) -> None:
        """Open inputs until one has a source, of any shard. Raises `ConfigurationError` where none has."""
        for opened in self._files:
            first = next(opened.sources, None)
            if first is not None:
                opened = replace(opened, sources=chain([first], opened.sources))
                self._files = chain([opened], self._files)
                return
        if (error := no_sources(self._run)) is not None:
            raise error

    def tasks(self) -> Iterator[Task | Result]:
        """A task for every article to do; a failed result for whatever cannot be read."""
        for opened in self._files:
            yield from self._file(opened)
            self._ledger.forget_earlier_failures(opened.file.path)
            self._run.progress.file_read(opened.file.size())

    def _file(self, file: _OpenedFile) -> Iterator[Task | Result]:
        same: set[PurePosixPath] | None = None
        for output, opened in file.sources:
            if not self._run.options.shard.holds(output):
                continue
            source = self._ledger.add_source(file.file.path, opened.member.name, output)
            state, then, header = self._ledger.source_state(source)
            is_done = state == "done" and file.stamp is not None and self._is_complete(source)
            if is_done and then != file.stamp:
                same = self._unchanged(file) if same is None else same
                is_done = output in same
            if is_done:
                self._ledger.finish_source(source.id, file.stamp, header or "{}")
            else:
                self._reopen(source)
                yield from self._articles(source, opened, file.stamp)

    # -- what an earlier run left ---------------------------------------------------------------

    def _is_complete(self, source: Source) -> bool:
        """Whether the output is there, and no failed article is to be tried again."""
        done, failed = self._ledger.tally(source.id)
        return not (failed and self._run.options.retry_failed) and (not done or self._outputs.exists(source))

    def _unchanged(self, file: _OpenedFile) -> set[PurePosixPath]:
        """The outputs of a changed (touched, copied, repacked) file whose members hold the same articles as before.

        One pass over the file tells it for all of them. An article that failed is the same if it would
        fail in the same way.
        """
        return {
            output
            for output, opened in opened_sources(self._run, file.file)
            if (source := self._ledger.source(output)) is not None
            and self._ledger.source_state(source)[0] == "done"
            and self._holds_the_same(source, opened)
        }

    def _holds_the_same(self, source: Source, opened: reading.Source) -> bool:
        position = 0
        for piece in _pieces(opened, []):
            if not self._is_settled(source, position, piece.digest):
                return False
            position += 1
        return position == sum(self._ledger.tally(source.id))

    def _reopen(self, source: Source) -> None:
        """Bring the rows of a source into a state from which it can be read."""
        if not self._outputs.has_parts(source.id):
            # Articles that stand in the output alone are done again, once one of them has changed.
            self._outputs.forget_parts(source.id)
            self._ledger.reopen_source(source.id, "all")
        else:
            self._ledger.reopen_source(source.id, "failed" if self._run.options.retry_failed else "none")

    # -- reading --------------------------------------------------------------------------------

    def _articles(self, source: Source, opened: reading.Source, now: str | None) -> Iterator[Task | Result]:
        self._outputs.begin(source)
        self._run.progress.file_begun(opened.member.position)
        notes: list[str] = []
        position = 0
        for piece in _pieces(opened, notes):
            if not self._is_settled(source, position, piece.digest):
                self._outputs.awaiting(source.id)
                if piece.failure is not None:
                    yield Result(source.id, position, piece.digest, failure=piece.failure)
                else:
                    yield Task(source.id, position, piece.digest, piece.format, piece.raw, piece.fallback_id)
            position += 1
        self._outputs.read(source, now, opened.header)
        registry.report_header_losses(opened.header, self._run.format, notes.append)
        self._ledger.end_of_source(source.id, position, notes)
        # Sources without articles give no result after which the outputs are flushed.
        if self._outputs.full():
            self._flush()

    def _is_settled(self, source: Source, position: int, digest: str) -> bool:
        """Whether an article was done, or failed and is not to be retried, in an earlier run."""
        return self._ledger.hash_at(source.id, position) == digest


def _pieces(opened: reading.Source, notes: list[str]) -> Iterator[_Piece]:
    """The articles of a file or member in order. The last piece may be the reason why it cannot be read further."""
    number = 0
    try:
        for article in opened.raw_articles(notes.append):
            yield _Piece(hashlib.sha256(article.raw).hexdigest(), article.format, article.raw, article.fallback_id)
            number += 1
    except InputError as error:
        yield _broken(str(error), "")
    except Exception as error:
        message = f"unexpected {type(error).__name__}: {error}; please report it with the file"
        message += f" (the {number} articles before that place were read)" if number else ""
        yield _broken(message, "".join(traceback.format_exception(error)))


def _broken(message: str, trace: str) -> _Piece:
    digest = hashlib.sha256(message.encode("utf-8", "backslashreplace")).hexdigest()
    return _Piece(digest, failure=Failure("read", message, trace))


class Results:
    """Receives the results of a run: they go to the outputs or to the quarantine, and are counted."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._outputs = run.outputs
        self._quarantine = run.quarantine
        self._succeeded: list[tuple[Source, int]] = []
        self._ended = self._failed = 0

    def add(self, result: Result, task: Task | None) -> None:
        """Store a result. `task` is None if the article could not be read.

        Raises `RunStopped` if more articles failed than the limit allows.
        """
        source = self._run.ledger.source_by_id(result.source)
        with writing(self._run.out):
            if result.failure is None:
                self._succeeded.append((source, result.position))
            else:
                self._quarantine.add(source, result.position, result.failure, task)
                name = f" (document {result.document!r})" if result.document else ""
                where = f"{source}, article {result.position + 1}{name}"
                self._run.progress.message(f"failed: {where}, {result.failure.stage}: {result.failure.message}")
        for stage, spent in result.seconds.items():
            self._run.seconds[stage] += spent
        self._outputs.add(result)
        self._run.progress.article_ended(
            result.mentions, result.failure is not None, 0 if task is None else len(task.raw)
        )
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
                f"{self._failed} of {self._ended} articles failed, more than ",
                Argument("max_failures", str(limit)),
                f" allows; {self._run.folder.quarantine} has the reasons. {KEPT.capitalize()}",
            )

    def flush(self) -> None:
        """Write all stored results to disk and to the ledger, then remove articles that succeeded from the quarantine.

        The copy in the quarantine may be the only one of a corrected article, so it is removed last.
        """
        with writing(self._run.out):
            self._outputs.flush()
            for source, position in self._succeeded:
                self._quarantine.remove(source, position)
            self._succeeded.clear()


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Gives articles to an executor and passes their results on. An article whose worker dies is tried again alone."""

    run: Run
    executor: Executor
    results: Results

    def process(self, work: Iterator[Task | Result]) -> None:
        """Process all work. While the workers process one window, the next one is read."""
        try:
            window = self._window(work)
            while window:
                running = self._start(window)
                following = self._window(work)
                self._collect(window, running)
                window = following
        finally:
            self.results.flush()

    def _start(self, blocks: Sequence[Block]) -> Iterator[list[Result] | Death]:
        return self.executor.run(self.run.setup, blocks)

    def _window(self, work: Iterator[Task | Result]) -> list[Block]:
        workers = self.executor.workers
        tasks: list[Task] = []
        size = 0
        while len(tasks) < ARTICLES_PER_WORKER * workers and size < WINDOW_BYTES:
            item = next(work, None)
            if item is None:
                break
            if isinstance(item, Result):
                self.results.add(item, None)
                continue
            tasks.append(item)
            size += len(item.raw)
            self.run.progress.article_read(len(item.raw))
        return blocks_of(tasks, workers)

    def _collect(self, window: Sequence[Block], running: Iterator[list[Result] | Death]) -> None:
        again: list[Task] = []
        for block, outcome in zip(window, running, strict=True):
            if isinstance(outcome, Death):
                again += block
                continue
            for task, result in zip(block, outcome, strict=True):
                self.results.add(result, task)
        for task in again:
            self.results.add(self._process_alone(task), task)
        self.results.flush()

    def _process_alone(self, task: Task) -> Result:
        """Process an article of a worker that died once more, in a block of its own."""
        (outcome,) = self._start([(task,)])
        if not isinstance(outcome, Death):
            return outcome[0]
        (health,) = self._start([()])
        if isinstance(health, Death):
            raise WorkersLost(f"the workers die before they receive any article ({health}). {KEPT.capitalize()}")
        limit = self.run.setup.timeout
        message = "its worker died twice while it was annotated (out of memory, or a crash in native code)"
        if limit is not None:
            message += f", or it ignored the time limit of {limit:g} s"
        message += "; try it alone on a machine with more memory, or report it"
        return Result(task.source, task.position, task.hash, failure=Failure("worker", message, str(outcome)))
