"""A run: annotates all inputs, sets failed articles aside, and continues where an earlier run stopped."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from corpora.errors import Argument, ConfigurationError, Text, command
from corpora.formats import registry
from corpora.reading import Unclaimed
from corpora.storage import atomic
from corpora.storage.inputs import STDIN, InputFile, expand
from corpora.storage.selection import Selection
from nlmchem.batch.account import Counts
from nlmchem.batch.dispatch import Dispatcher
from nlmchem.batch.executors import DaskExecutor, Executor, LocalExecutor, require_dask
from nlmchem.batch.existing import refuse_mentions
from nlmchem.batch.folder import RunFolder
from nlmchem.batch.manifest import configuration_in, write_manifest
from nlmchem.batch.open_ledger import open_ledger
from nlmchem.batch.options import RunOptions
from nlmchem.batch.outputs import Outputs, load_header, stored_as
from nlmchem.batch.plan import by_full_path, register
from nlmchem.batch.progress import Progress
from nlmchem.batch.quarantine import Entry, Quarantine
from nlmchem.batch.reader import Reader
from nlmchem.batch.results import Results
from nlmchem.batch.stop import RunStopped, explained, opening, writing
from nlmchem.batch.tasks import Result, Setup, Source, Task
from nlmchem.options import check
from nlmchem.plan import Plan
from nlmchem.progress import warn

__all__ = ["RunOptions", "RunStopped", "annotate_folder", "replay"]


def annotate_folder(
    inputs: Sequence[str],
    out: Path,
    plan: Plan,
    options: RunOptions | None = None,
    exclude: Path | None = None,
    one_output: Path | None = None,
) -> Counts:
    """Annotate all articles of `inputs` into the folder `out`. Files under `exclude` (default: `out`) are no inputs.

    `one_output`: the file that all articles are written to, instead of one output for each input.

    Raises `ConfigurationError` or `ResourceError` before any work, `RunStopped` if the run cannot continue (full
    disk, lost cluster, Ctrl-C). Failed articles raise nothing: they are counted and stored in `out/quarantine`.
    """
    options = options or RunOptions()
    check(options)
    if options.dask is not None:
        require_dask()
    _refuse_same_folder(inputs, out)
    files = expand(inputs, exclude=exclude or out)
    if one_output is not None:
        files = map(by_full_path, files)
    with _Run(RunFolder(out, options.shard), plan, options, one_output) as run:
        return run.annotate(files)


def replay(folder: Path, workers: int | None = None) -> Counts:
    """Annotate the articles in the quarantine of a run again, from their copies there.

    Articles that succeed are put into the output. `folder` is the output folder of the run or its `quarantine`.
    Raises the errors of `annotate_folder`.
    """
    out = folder.parent if folder.name == "quarantine" else folder
    runs = RunFolder.runs_in(out)
    if not runs:
        raise ConfigurationError(f"no run at {out}; name the output folder of {command('annotate')}, or its quarantine")
    counts = Counts()
    for run_folder in runs:
        with opening(run_folder.out):
            ledger = open_ledger(run_folder.ledger, restart=False)
        with explained(run_folder.out), closing(ledger):
            plan = ledger.plan()
        with _Run(run_folder, plan, RunOptions(workers, shard=run_folder.shard)) as run:
            counts += run.replay()
    return counts


def _refuse_same_folder(inputs: Sequence[str], out: Path) -> None:
    for name in inputs:
        if name != STDIN and Path(name).is_dir() and Path(name).resolve() == out.resolve():
            raise ConfigurationError(f"the output folder {out} is the input folder; choose another one")


class _Run:
    """One run in one output folder. The folder is locked while the run is open."""

    def __init__(self, folder: RunFolder, plan: Plan, options: RunOptions, one_output: Path | None = None) -> None:
        self._folder = folder
        self._plan = plan
        self._options = options
        self._fingerprint = plan.fingerprint()
        self._setup = Setup(plan, self._fingerprint["sha256"], options.timeout)
        self._selection = Selection(options.include, options.exclude, plan.lines)
        self._unclaimed = Unclaimed()
        self._one_output = one_output
        self._writer, self._suffix = stored_as(plan.format, one_output is not None)
        self._stack = ExitStack()

    # -- setting up -----------------------------------------------------------------------------

    def __enter__(self) -> _Run:
        folder = self._folder
        with ExitStack() as stack:
            with opening(folder.out):
                # Before anything is written: a refused run must not leave a ledger, which would refuse the next run.
                folder.siblings()
                stack.enter_context(folder.locked())
                self._ledger = open_ledger(folder.ledger, restart=self._options.restart)
            stack.callback(self._close_ledger)
            if self._ledger.was_killed():
                with explained(folder.out), writing(folder.out):
                    folder.sweep(self._ledger.contains_output)
            self._outputs = Outputs(folder.out, folder.parts, self._ledger, self._writer)
            self._quarantine = Quarantine(folder.quarantine, self._fingerprint)
            limit = self._options.max_failures
            self._results = Results(folder.out, self._ledger, self._outputs, self._quarantine, limit)
            self._clock = time.monotonic()
            self._begun = _now()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _close_ledger(self) -> None:
        # Closing merges the write-ahead log into the database, which needs the disk.
        with explained(self._folder.out):
            self._ledger.close()

    def _begin(self, register: Callable[[], int]) -> int:
        """Record the run and its sources in one transaction: a refused run leaves no record."""
        self._plan.prepare()
        # Durable: a restart then deletes files, and must not forget after a power failure that it has begun.
        with explained(self._folder.out), self._ledger.durable(), self._ledger.transaction():
            if self._options.restart or self._ledger.is_without_results(self._fingerprint):
                self._ledger.forget_everything()
            self._refuse_other_configurations()
            self._ledger.begin_run(self._fingerprint, self._plan, self._begun)
            total = register()
        with explained(self._folder.out), writing(self._folder.out):
            self._delete_stale()
            self._write_manifest("running", None)
        return total

    def _refuse_other_configurations(self) -> None:
        """All shards in a folder must have the same configuration, and are restarted together."""
        for sibling in self._folder.siblings():
            theirs = configuration_in(sibling.manifest)
            if not self._options.restart and theirs is not None and theirs != self._fingerprint:
                raise ConfigurationError(
                    f"shard {sibling.shard} in this output folder was made with another configuration; "
                    "choose another folder, or use ",
                    Argument("restart", True),
                    " in all shards",
                )

    def _delete_stale(self) -> None:
        """After a restart: delete what earlier runs wrote. A later run repeats this if this run is killed."""
        if not self._ledger.has_stale():
            return
        folders: set[Path] = set()
        for output in self._ledger.stale_outputs():
            path = self._folder.out / output
            if not self._ledger.is_input(os.path.realpath(path)) and (path.is_symlink() or path.exists()):
                atomic.remove(path)
                folders.add(path.parent)
        for folder in sorted(folders):
            atomic.sync_folder(folder)
        self._quarantine.keep(lambda output, position: not self._folder.shard.holds(output))
        if self._folder.parts.exists():
            shutil.rmtree(self._folder.parts)
        self._ledger.clear_stale()

    # -- the two kinds of run ---------------------------------------------------------------------

    def annotate(self, files: Iterable[InputFile]) -> Counts:
        """Annotate all articles of the files that are not done yet."""
        options, suffix, out = self._options, self._suffix, self._folder.out

        def find() -> int:
            found = register(files, self._ledger, suffix, options.shard, out, self._selection, warn)
            self._unclaimed = found.unclaimed
            if self._plan.refuses_mentions:
                # By default every article with mentions fails, so the run is refused before any work.
                refuse_mentions(self._ledger, self._selection)
            return found.size

        progress = Progress(self._begin(find), quiet=options.quiet)
        format, shard = self._plan.format, options.shard
        reader = Reader(
            self._ledger,
            self._outputs,
            self._results.flush,
            progress,
            format,
            suffix,
            shard,
            options.retry_failed,
            self._selection,
        )
        counts = self._process(reader.tasks(), progress)
        if counts.read != counts.articles:
            raise RunStopped(
                f"{counts.read} articles were read, but {counts.articles} were counted; "
                "this is an error in nlmchem, please report it"
            )
        if self._one_output is not None:
            with explained(out), writing(out):
                atomic.remove_leftovers(self._one_output)
                self._outputs.join(registry.writable(format), self._one_output, progress.note)
        return counts

    def replay(self) -> Counts:
        """Annotate the articles in the quarantine."""
        entries: dict[Source, list[Entry]] = {}

        def find() -> int:
            # A replay that was killed may have articles in the ledger that are not in the output yet.
            for source in self._ledger.changed_sources():
                entries[source] = []
            for source, entry in self._quarantined():
                entries.setdefault(source, []).append(entry)
            for source, of_source in entries.items():
                self._ledger.use_source(source)
                if any(entry.article for entry in of_source) and self._outputs.has_parts(source.id):
                    self._ledger.change_source(source)
            return 0

        self._begin(find)
        progress = Progress(0)
        return self._process(self._tasks_of(entries, progress), progress)

    def _quarantined(self) -> Iterator[tuple[Source, Entry]]:
        for entry in self._quarantine.entries():
            if not self._folder.shard.holds(entry.output):
                continue
            source = self._ledger.source(entry.output)
            if source is None:
                raise ConfigurationError(f"{entry.folder} does not belong to an input of this run; remove it")
            if self._ledger.has_failed(source.id, entry.position):
                yield source, entry

    def _tasks_of(self, entries: dict[Source, list[Entry]], progress: Progress) -> Iterator[Task]:
        for source, of_source in entries.items():
            if not self._outputs.has_parts(source.id):
                stored = f"{source}: the text of its finished articles is no longer stored; annotate it with "
                progress.message(Text(stored, Argument("retry_failed", True)))
                continue
            state, stamp, header = self._ledger.source_state(source)
            self._outputs.begin(source)
            for entry in of_source:
                if entry.article is None:
                    progress.message(f"{source}: it could not be read, so it has no copy; repair it and annotate again")
                    continue
                self._outputs.awaiting(source.id)
                raw = entry.article.read_bytes()
                yield Task(source.id, entry.position, entry.hash, entry.format, raw, entry.fallback_id)
            # A source that a killed run did not finish stays unfinished; the next run continues it.
            if state != "open":
                self._outputs.read(source, stamp, load_header(header))

    # -- the work ---------------------------------------------------------------------------------

    def _process(self, work: Iterable[Task | Result], progress: Progress) -> Counts:
        state = "stopped"
        try:
            with explained(self._folder.out), self._executor() as executor:
                Dispatcher(executor, self._setup, self._ledger, self._results, progress).run(iter(work))
                self._results.check_limit(at_end=True)
                with writing(self._folder.out):
                    self._outputs.tidy()
                    self._quarantine.keep(self._is_still_failed)
            state = "finished"
        finally:
            progress.close()
            with explained(self._folder.out), writing(self._folder.out):
                # The end of the run is recorded last: the next run then removes what a kill before it has left.
                self._write_manifest(state, _now())
                self._ledger.end_run(_now(), self._results.seconds)
        with explained(self._folder.out):
            # Large queries of the ledger need temporary space on the disk.
            self._report_notes(progress)
            return replace(self._ledger.account.counts(), files_skipped=self._unclaimed.number)

    def _executor(self) -> Executor:
        if self._options.dask is not None:
            return DaskExecutor(self._options.dask)
        return LocalExecutor(self._options.number_of_workers)

    def _is_still_failed(self, output: PurePosixPath, position: int) -> bool:
        """False for an article in quarantine that has succeeded since, or that its input no longer contains."""
        source = self._ledger.source(output)
        return source is None or self._ledger.has_failed(source.id, position)

    # -- the report -------------------------------------------------------------------------------

    def _write_manifest(self, state: str, ended: str | None) -> None:
        options = self._options
        write_manifest(
            self._folder.manifest,
            self._ledger,
            fingerprint=self._fingerprint,
            options={
                "workers": options.number_of_workers,
                "timeout": options.timeout,
                "shard": f"{options.shard.number}/{options.shard.of}",
                "dask": options.dask,
                "lexicon": self._plan.value("lexicon"),
            },
            begun=self._begun,
            ended=ended,
            state=state,
            seconds=self._results.seconds,
            elapsed=time.monotonic() - self._clock,
            unclaimed=self._unclaimed,
        )

    def _report_notes(self, progress: Progress) -> None:
        """Report what was noticed about articles that were annotated."""
        if self._unclaimed.number:
            progress.note(self._unclaimed.sentence())
        account = self._ledger.account
        number, names = account.repeated_documents(1)
        if number:
            places = ", ".join(f"{path} (article {at + 1})" for path, at in account.articles_named(names[0], 3))
            progress.note(
                f"{number} document ids occur in several articles, for example {names[0]!r} in {places}; all articles "
                "were annotated, but give them different ids before files are joined by id"
            )
        number, notes = account.notes(1)
        # The manifest of a run into one output is deleted with its run folder.
        listed = f"all notes are in {self._folder.manifest}" if self._one_output is None else "a folder has them all"
        if number:
            progress.note(
                f"{number} notes on the inputs, the first on {notes[0]['path']}: {notes[0]['note']}; {listed}"
            )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
