"""A run: inputs to outputs, past every article that fails, going on where a killed run was."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.storage import atomic
from corpora.storage.inputs import STDIN, InputFile, expand
from nlmchem.batch.blocks import blocks_of
from nlmchem.batch.executors import DaskExecutor, Death, Executor, LocalExecutor, WorkersLost
from nlmchem.batch.folder import RunFolder
from nlmchem.batch.ledger import Counts, Ledger
from nlmchem.batch.manifest import configuration_in, write_manifest
from nlmchem.batch.outputs import Outputs, load_header, stored_as
from nlmchem.batch.plan import Shard, by_full_path, register
from nlmchem.batch.progress import Progress
from nlmchem.batch.quarantine import Entry, Quarantine
from nlmchem.batch.reader import Reader
from nlmchem.batch.stop import KEPT, RunStopped, explained, is_broken, writing
from nlmchem.batch.tasks import Failure, Result, Setup, Source, Task
from nlmchem.configuration import Configuration
from nlmchem.pipeline import prepare, resources

__all__ = ["RunOptions", "RunStopped", "annotate_folder", "default_workers", "replay"]

ARTICLES_PER_WORKER = 24
WINDOW_BYTES = 32 << 20
"""Articles that are dispatched together, for each worker, and their bytes altogether: this bounds what is in memory."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is done; nothing here changes the bytes of an article. `timeout` in seconds for each article.

    `one_output`: the file that all articles are written to, in place of one output for each input.
    """

    workers: int = 1
    timeout: float | None = None
    shard: Shard = field(default_factory=Shard)
    dask: str | None = None
    restart: bool = False
    retry_failed: bool = False
    one_output: Path | None = None


def default_workers() -> int:
    """One for each processor that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def annotate_folder(
    inputs: Sequence[str],
    out: Path,
    configuration: Configuration,
    options: RunOptions | None = None,
    exclude: Path | None = None,
) -> Counts:
    """Annotate everything that `inputs` name into the folder `out`; what lies in `exclude` (`out`) is no input.

    Raises `ConfigurationError` or `ResourceError` before any work, `RunStopped` when the run cannot
    go on (a full disk, a lost cluster, Ctrl-C). Failed articles do not raise: they are counted, and
    stand in `out/quarantine`.
    """
    options = options or RunOptions()
    configuration = _settled(configuration)
    _refuse_same_folder(inputs, out)
    files = expand(inputs, exclude=exclude or out)
    if options.one_output is not None:
        files = map(by_full_path, files)
    with _Run(RunFolder(out, options.shard), configuration, options) as run:
        return run.annotate(files)


def replay(folder: Path, workers: int = 1) -> Counts:
    """Try the quarantined articles of a run again, as they lie there: what succeeds takes its place in the output.

    `folder` is the run's output folder or its `quarantine`. Raises as `annotate_folder` does.
    """
    out = folder.parent if folder.name == "quarantine" else folder
    runs = RunFolder.runs_in(out)
    if not runs:
        raise ConfigurationError(f"no run at {out}; name the output folder of `nlmchem annotate`, or its quarantine")
    counts = Counts()
    for run_folder in runs:
        ledger = _open(run_folder, restart=False)
        configuration = ledger.configuration()
        ledger.close()
        with _Run(run_folder, configuration, RunOptions(workers, shard=run_folder.shard)) as run:
            counts += run.replay()
    return counts


def _settled(configuration: Configuration) -> Configuration:
    """Checked, and with a path that is right from everywhere: for replays, and for workers elsewhere."""
    configuration = configuration.checked()
    lexicon = configuration.lexicon
    taggers = (configuration.tagger or "").split(",")
    return replace(
        configuration,
        lexicon=None if lexicon is None else str(Path(lexicon).absolute()),
        tagger=",".join(str(Path(name).absolute()) if Path(name).is_dir() else name for name in taggers),
    )


def _refuse_same_folder(inputs: Sequence[str], out: Path) -> None:
    for name in inputs:
        if name != STDIN and Path(name).is_dir() and Path(name).resolve() == out.resolve():
            raise ConfigurationError(f"the output folder {out} is the input folder; choose another one")


def _open(folder: RunFolder, *, restart: bool) -> Ledger:
    try:
        ledger = Ledger(folder.ledger)
        if not restart or ledger.sound():
            return ledger
        ledger.close()
    except sqlite3.DatabaseError as error:
        if not is_broken(error):
            raise _not_writable(folder.out, error) from error
        if not restart:
            raise ConfigurationError(
                f"the ledger of {folder.out} is broken ({error}); say --restart to do everything again"
            ) from error
    # What it knew of is overwritten in its turn.
    for path in folder.state.glob("ledger.sqlite*"):
        path.unlink()
    return Ledger(folder.ledger)


def _not_writable(out: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"the output folder {out} cannot be written ({error}); choose another or mend its permissions"
    )


class _Run:
    """One run in one output folder, which it locks."""

    def __init__(self, folder: RunFolder, configuration: Configuration, options: RunOptions) -> None:
        self._folder = folder
        self._configuration = configuration
        self._options = options
        self._fingerprint = configuration.fingerprint(resources(configuration))
        self._setup = Setup(configuration, self._fingerprint["sha256"], options.timeout)
        self._writer, self._suffix = stored_as(configuration.format, options.one_output is not None)
        self._seconds: dict[str, float] = defaultdict(float)
        self._stack = ExitStack()

    # -- setting up -----------------------------------------------------------------------------

    def __enter__(self) -> _Run:
        folder = self._folder
        with ExitStack() as stack:
            try:
                stack.enter_context(folder.locked())
                self._ledger = _open(folder, restart=self._options.restart)
            except OSError as error:
                raise _not_writable(folder.out, error) from error
            stack.callback(self._ledger.close)
            if self._ledger.was_killed():
                with explained(folder.out), writing(folder.out):
                    folder.sweep(self._ledger.knows)
            self._outputs = Outputs(folder.out, folder.parts, self._ledger, self._writer)
            self._quarantine = Quarantine(folder.quarantine, self._fingerprint)
            self._clock = time.monotonic()
            self._begun = _now()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _begin(self, register: Callable[[], int]) -> int:
        """Note the run and its sources, both or (where they are refused) neither."""
        prepare(self._configuration)
        with explained(self._folder.out), self._ledger.transaction():
            if self._options.restart:
                self._ledger.forget_everything()
            self._refuse_other_configurations()
            self._ledger.begin_run(self._fingerprint, self._configuration, self._begun)
            total = register()
        with explained(self._folder.out), writing(self._folder.out):
            self._take_away_stale()
            self._write_manifest("running", None)
        return total

    def _refuse_other_configurations(self) -> None:
        """The other shards in this folder must have the same configuration (all are restarted together)."""
        for sibling in self._folder.siblings():
            theirs = configuration_in(sibling.manifest)
            if not self._options.restart and theirs is not None and theirs != self._fingerprint:
                raise ConfigurationError(
                    f"shard {sibling.shard} in this output folder was done with another configuration; "
                    "choose another folder, or say --restart in all shards"
                )

    def _take_away_stale(self) -> None:
        """After a restart: what earlier runs wrote. Done again if this run is killed meanwhile."""
        if not self._ledger.has_stale():
            return
        for output in self._ledger.stale_outputs():
            path = self._folder.out / output
            if not self._ledger.is_input(os.path.realpath(path)):
                atomic.remove(path)
        self._quarantine.keep(lambda output, position: not self._folder.shard.holds(output))
        if self._folder.parts.exists():
            shutil.rmtree(self._folder.parts)
        self._ledger.clear_stale()

    # -- the two kinds of run ---------------------------------------------------------------------

    def annotate(self, files: Iterable[InputFile]) -> Counts:
        """Everything in the files that is not done yet."""
        options, suffix, out = self._options, self._suffix, self._folder.out
        total = self._begin(lambda: register(files, self._ledger, suffix, options.shard, out))
        progress = Progress(total)
        format, shard = self._configuration.format, options.shard
        reader = Reader(self._ledger, self._outputs, progress, format, suffix, shard, options.retry_failed)
        counts = self._carry_out(reader.tasks(), progress)
        if counts.read != counts.articles:
            raise RunStopped(
                f"{counts.read} articles were read, but {counts.articles} are accounted for; "
                "this is a fault of nlmchem, please report it"
            )
        if options.one_output is not None:
            with explained(out), writing(out):
                self._outputs.join(registry.writable(self._configuration.format), options.one_output, progress.message)
        return counts

    def replay(self) -> Counts:
        """The quarantined articles, from their copies."""
        entries: dict[Source, list[Entry]] = {}

        def find() -> int:
            for source, entry in self._quarantined():
                self._ledger.use_source(source)
                entries.setdefault(source, []).append(entry)
            return 0

        self._begin(find)
        progress = Progress(0)
        return self._carry_out(self._again(entries, progress), progress)

    def _quarantined(self) -> Iterator[tuple[Source, Entry]]:
        for entry in self._quarantine.entries():
            if not self._folder.shard.holds(entry.output):
                continue
            source = self._ledger.source(entry.output)
            if source is None:
                raise ConfigurationError(f"{entry.folder} belongs to no source of this run; remove it")
            if self._ledger.has_failed(source.id, entry.position):
                yield source, entry

    def _again(self, entries: dict[Source, list[Entry]], progress: Progress) -> Iterator[Task]:
        for source, of_source in entries.items():
            if not self._outputs.has_parts(source.id):
                progress.message(f"{source}: its done articles are not kept in parts; run it with --retry-failed")
                continue
            state, stamp, header = self._ledger.source_state(source)
            self._outputs.begin(source)
            for entry in of_source:
                if entry.article is None:
                    progress.message(f"{source}: what could not be read cannot be replayed; mend it and run again")
                    continue
                self._outputs.awaiting(source.id)
                raw = entry.article.read_bytes()
                yield Task(source.id, entry.position, entry.hash, entry.format, raw, entry.fallback_id)
            # A source that a killed run left unfinished stays so; the next run goes on with it.
            if state == "done":
                self._outputs.read(source, stamp, load_header(header))

    # -- the work ---------------------------------------------------------------------------------

    def _carry_out(self, work: Iterable[Task | Result], progress: Progress) -> Counts:
        state = "stopped"
        try:
            with explained(self._folder.out), self._executor() as executor:
                self._pump(iter(work), executor, progress)
                with writing(self._folder.out):
                    self._outputs.tidy()
                    self._quarantine.keep(self._is_wanted)
            state = "finished"
        finally:
            progress.close()
            with explained(self._folder.out), writing(self._folder.out):
                self._ledger.end_run(_now(), self._seconds)
                self._write_manifest(state, _now())
        self._tell_of_notes(progress)
        return self._ledger.counts()

    def _executor(self) -> Executor:
        if self._options.dask is not None:
            return DaskExecutor(self._options.dask)
        return LocalExecutor(self._options.workers)

    def _is_wanted(self, output: Any, position: int) -> bool:
        """Whether an article in quarantine has its place there: not where it, or its input, is mended or gone."""
        source = self._ledger.source(output)
        return source is None or self._ledger.has_failed(source.id, position)

    def _pump(self, work: Iterator[Task | Result], executor: Executor, progress: Progress) -> None:
        """Windows of blocks: while one is with the workers, the next one is read."""
        workers = executor.workers
        try:
            window = self._window(work, workers, progress)
            while window:
                self._ledger.begin(chain.from_iterable(window))
                running = executor.run(self._setup, window)
                following = self._window(work, workers, progress)
                self._collect(executor, window, running, progress)
                window = following
        finally:
            self._flush()

    def _window(self, work: Iterator[Task | Result], workers: int, progress: Progress) -> list[tuple[Task, ...]]:
        tasks: list[Task] = []
        total = 0
        while len(tasks) < ARTICLES_PER_WORKER * workers and total < WINDOW_BYTES:
            item = next(work, None)
            if item is None:
                break
            if isinstance(item, Result):
                self._end(item, None, progress)
                continue
            tasks.append(item)
            total += len(item.raw)
            progress.article_read(len(item.raw))
        return blocks_of(tasks, workers)

    def _collect(
        self,
        executor: Executor,
        window: Sequence[tuple[Task, ...]],
        running: Iterator[list[Result] | Death],
        progress: Progress,
    ) -> None:
        again: list[Task] = []
        for block, outcome in zip(window, running, strict=True):
            if isinstance(outcome, Death):
                again += block
                continue
            for task, result in zip(block, outcome, strict=True):
                self._end(result, task, progress)
        for task in again:
            self._end(self._alone(executor, task), task, progress)
        self._flush()

    def _alone(self, executor: Executor, task: Task) -> Result:
        """An article that was in a dying worker's hands, tried once more with nobody beside it."""
        self._ledger.begin([task])
        (outcome,) = executor.run(self._setup, [(task,)])
        if not isinstance(outcome, Death):
            return outcome[0]
        (health,) = executor.run(self._setup, [()])
        if isinstance(health, Death):
            raise WorkersLost(f"the workers die before they are given any article ({health}). {KEPT.capitalize()}")
        limit = self._options.timeout
        message = "its worker died twice while it was annotated (out of memory, or a crash in native code)"
        if limit is not None:
            message += f", or it went on beyond the limit of {limit:g} s without listening"
        message += "; try it alone on a machine with more memory, or report it"
        failure = Failure("worker", message, str(outcome))
        return Result(task.source, task.position, task.hash, failure=failure)

    def _end(self, result: Result, task: Task | None, progress: Progress) -> None:
        source = self._ledger.source_by_id(result.source)
        with writing(self._folder.out):
            if result.failure is not None:
                self._quarantine.add(source, result.position, result.failure, task)
                name = f" (document {result.document!r})" if result.document else ""
                where = f"{source}, article {result.position + 1}{name}"
                progress.message(f"failed: {where}, {result.failure.stage}: {result.failure.message}")
            else:
                self._quarantine.remove(source, result.position)
        for stage, spent in result.seconds.items():
            self._seconds[stage] += spent
        self._outputs.add(result)
        progress.article_ended(result.mentions, result.failure is not None)
        if self._outputs.full():
            self._flush()

    def _flush(self) -> None:
        with writing(self._folder.out):
            self._outputs.flush()

    # -- the account ------------------------------------------------------------------------------

    def _write_manifest(self, state: str, ended: str | None) -> None:
        options = self._options
        write_manifest(
            self._folder.manifest,
            self._ledger,
            fingerprint=self._fingerprint,
            options={
                "workers": options.workers,
                "timeout": options.timeout,
                "shard": f"{options.shard.number}/{options.shard.of}",
                "dask": options.dask,
                "lexicon": self._configuration.lexicon,
            },
            begun=self._begun,
            ended=ended,
            state=state,
            seconds=self._seconds,
            elapsed=time.monotonic() - self._clock,
        )

    def _tell_of_notes(self, progress: Progress) -> None:
        """What was noticed about articles that were annotated all the same."""
        number, names = self._ledger.repeated_documents(1)
        if number:
            places = ", ".join(f"{path} (article {at + 1})" for path, at in self._ledger.articles_named(names[0], 3))
            progress.message(
                f"document ids that more than one article has: {number}, as {names[0]!r} in {places}; each was "
                "annotated in its place, but give them ids of their own before files are joined by id"
            )
        number, notes = self._ledger.notes(1)
        # The manifest of a run into one output is removed with its run folder.
        one = self._options.one_output is not None
        listed = "annotate into a folder for a list of them" if one else f"{self._folder.manifest} lists them"
        if number:
            progress.message(
                f"notes on the inputs: {number}, the first on {notes[0]['path']}: {notes[0]['note']}; {listed}"
            )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
