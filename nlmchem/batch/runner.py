"""A run: inputs to outputs, past every article that fails, going on where a killed run was."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError, NlmchemError
from corpora.formats import writable
from corpora.inputs import InputFile, expand
from nlmchem.batch.executors import DaskExecutor, Death, Executor, LocalExecutor
from nlmchem.batch.ledger import Counts, Ledger
from nlmchem.batch.manifest import write_manifest
from nlmchem.batch.outputs import Outputs, load_header
from nlmchem.batch.plan import Shard, register
from nlmchem.batch.progress import Progress
from nlmchem.batch.quarantine import Quarantine
from nlmchem.batch.reader import Reader
from nlmchem.batch.tasks import Failure, Result, Setup, Source, Task
from nlmchem.config import Configuration
from nlmchem.pipeline import resources

__all__ = ["RunOptions", "RunStopped", "annotate_folder", "default_workers", "replay"]

BLOCK_ARTICLES = 4
BLOCK_BYTES = 1 << 20
"""A block is what a worker gets at once: up to so many articles, or so many bytes of them."""

BLOCKS_PER_WORKER = 6
"""Blocks that are dispatched together for each worker: this bounds what is in memory."""


class RunStopped(NlmchemError):
    """The run cannot go on; what is done is kept, and the same command goes on from there."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is done; nothing here changes the bytes of the output. `timeout` in seconds an article."""

    workers: int = 1
    timeout: float | None = None
    shard: Shard = field(default_factory=Shard)
    dask: str | None = None
    restart: bool = False
    retry_failed: bool = False


def default_workers() -> int:
    """One for each processor that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def annotate_folder(
    inputs: Sequence[str], out: Path, configuration: Configuration, options: RunOptions | None = None
) -> Counts:
    """Annotate everything that `inputs` name into the folder `out`.

    Raises `ConfigurationError` or `ResourceError` before any work, `RunStopped` when the run cannot
    go on (a full disk, a lost cluster). Failed articles do not raise: they are counted, and stand in
    `out/quarantine`.
    """
    options = options or RunOptions()
    configuration = configuration.checked()
    _refuse_same_folder(inputs, out)
    with _Run(out, configuration, options, configuration.fingerprint(resources(configuration))) as run:
        return run.annotate(expand(inputs, exclude=out))


def replay(folder: Path, workers: int = 1) -> Counts:
    """Try the quarantined articles of a run again, as they lie there: what succeeds takes its place in the output.

    `folder` is the run's output folder or its `quarantine`. Raises as `annotate_folder` does.
    """
    out = folder.parent if folder.name == "quarantine" else folder
    ledger_path = out / ".nlmchem" / "ledger.sqlite"
    if not ledger_path.exists():
        raise ConfigurationError(f"no run at {out}; name the output folder of `nlmchem annotate`, or its quarantine")
    ledger = Ledger(ledger_path)
    configuration = ledger.configuration()
    ledger.close()
    with _Run(out, configuration, RunOptions(workers), configuration.fingerprint(resources(configuration))) as run:
        return run.replay()


def _refuse_same_folder(inputs: Sequence[str], out: Path) -> None:
    for name in inputs:
        if name != "-" and Path(name).is_dir() and Path(name).resolve() == out.resolve():
            raise ConfigurationError(f"the output folder {out} is the input folder; choose another one")


class _Run:
    """One run in one output folder, which it locks."""

    def __init__(
        self, out: Path, configuration: Configuration, options: RunOptions, fingerprint: dict[str, Any]
    ) -> None:
        self._out = out
        self._configuration = configuration
        self._options = options
        self._fingerprint = fingerprint
        self._format = writable(configuration.format)
        self._seconds: dict[str, float] = defaultdict(float)
        self._stack = ExitStack()

    # -- setting up -----------------------------------------------------------------------------

    def __enter__(self) -> _Run:
        shard = self._options.shard
        name = "" if shard.of == 1 else f"-{shard}"
        state = self._out / f".nlmchem{name}"
        self._manifest = self._out / f"manifest{name}.json"
        with ExitStack() as stack:
            try:
                state.mkdir(parents=True, exist_ok=True)
                stack.enter_context(_locked(state / "lock", self._out))
                if self._options.restart:
                    self._forget(state)
                self._ledger = Ledger(state / "ledger.sqlite")
            except (OSError, sqlite3.OperationalError) as error:
                raise ConfigurationError(
                    f"the output folder {self._out} cannot be written ({error}); choose another or mend its permissions"
                ) from error
            except sqlite3.DatabaseError as error:
                raise ConfigurationError(
                    f"the ledger of {self._out} is broken ({error}); say --restart to do everything again"
                ) from error
            stack.callback(self._ledger.close)
            self._clock = time.monotonic()
            self._begun = _now()
            self._ledger.begin_run(self._fingerprint, self._configuration, self._begun)
            self._outputs = Outputs(self._out, state / "parts", self._ledger, self._format)
            self._quarantine = Quarantine(self._out / "quarantine", self._fingerprint)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _forget(self, state: Path) -> None:
        """Take away what earlier runs wrote: outputs that the ledger knows, quarantine, ledger."""
        path = state / "ledger.sqlite"
        if path.exists():
            try:
                earlier = Ledger(path)
                for output in earlier.outputs():
                    (self._out / output).unlink(missing_ok=True)
                earlier.close()
            except sqlite3.DatabaseError:
                # A broken ledger is what --restart is for; outputs it knew of are overwritten in their turn.
                pass
        for old in (*state.glob("ledger.sqlite*"), self._manifest):
            old.unlink(missing_ok=True)
        for folder in (state / "parts", self._out / "quarantine"):
            if folder.exists():
                shutil.rmtree(folder)

    # -- the two kinds of run ---------------------------------------------------------------------

    def annotate(self, files: Iterable[InputFile]) -> Counts:
        """Everything in the files that is not done yet."""
        options = self._options
        total = register(files, self._ledger, self._format.SUFFIX, options.shard, self._out)
        progress = Progress(total)
        reader = Reader(self._ledger, self._outputs, progress, self._format.SUFFIX, options.shard, options.retry_failed)
        return self._carry_out(reader.tasks(), progress)

    def replay(self) -> Counts:
        """The quarantined articles, from their copies."""
        return self._carry_out(self._quarantined(), Progress(0))

    def _quarantined(self) -> Iterator[Task]:
        by_source: dict[str, Source] = {}
        entries = list(self._quarantine.entries())
        for entry in entries:
            source = self._ledger.source(entry.output)
            if source is None:
                raise ConfigurationError(f"{entry.folder} belongs to no source of this run; remove it")
            self._ledger.use_source(source)
            by_source[str(entry.output)] = source
        for output, source in by_source.items():
            _, stamp, header = self._ledger.source_state(source)
            self._outputs.begin(source)
            for entry in entries:
                if str(entry.output) == output and entry.raw is not None:
                    self._outputs.awaiting(source.id)
                    yield Task(source.id, entry.position, entry.hash, entry.format, entry.raw, entry.fallback_id)
            self._outputs.read(source, stamp, load_header(header))

    # -- the work ---------------------------------------------------------------------------------

    def _carry_out(self, work: Iterable[Task | Result], progress: Progress) -> Counts:
        state = "stopped"
        try:
            with self._executor() as executor, _explained(self._out):
                self._pump(iter(work), executor, progress)
            state = "finished"
        finally:
            progress.close()
            with _explained(self._out):
                self._close_account(state)
        return self._ledger.counts()

    def _executor(self) -> Executor:
        if self._options.dask is not None:
            return DaskExecutor(self._options.dask)
        return LocalExecutor(self._options.workers)

    def _pump(self, work: Iterator[Task | Result], executor: Executor, progress: Progress) -> None:
        """Windows of blocks: while one is with the workers, the next one is read."""
        setup = Setup(self._configuration, self._options.timeout)
        size = BLOCKS_PER_WORKER * executor.workers
        window = self._window(work, size, progress)
        try:
            while window:
                self._ledger.begin(task for block in window for task in block)
                running = executor.run(setup, window)
                following = self._window(work, size, progress)
                self._collect(setup, executor, window, running, progress)
                window = following
        finally:
            self._outputs.flush()

    def _window(self, work: Iterator[Task | Result], size: int, progress: Progress) -> list[tuple[Task, ...]]:
        blocks: list[tuple[Task, ...]] = []
        block: list[Task] = []
        weight = 0
        while len(blocks) < size and (item := next(work, None)) is not None:
            if isinstance(item, Result):
                self._end(item, None, progress)
                continue
            if block and (weight + len(item.raw) > BLOCK_BYTES or len(block) == BLOCK_ARTICLES):
                blocks.append(tuple(block))
                block, weight = [], 0
            block.append(item)
            weight += len(item.raw)
            progress.article_read(len(item.raw))
        if block:
            blocks.append(tuple(block))
        return blocks

    def _collect(
        self,
        setup: Setup,
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
            if self._outputs.full():
                self._outputs.flush()
        for task in again:
            self._end(self._alone(setup, executor, task), task, progress)
        self._outputs.flush()

    def _alone(self, setup: Setup, executor: Executor, task: Task) -> Result:
        """An article that was in a dying worker's hands, tried once more with nobody beside it."""
        self._ledger.begin([task])
        (outcome,) = executor.run(setup, [(task,)])
        if not isinstance(outcome, Death):
            return outcome[0]
        limit = self._options.timeout
        message = "its worker died twice while it was annotated (out of memory, or a crash in native code)"
        if limit is not None:
            message += f", or it went on beyond the limit of {limit:g} s without listening"
        message += "; try it alone on a machine with more memory, or report it"
        failure = Failure("worker", message, str(outcome))
        return Result(task.source, task.position, task.hash, failure=failure)

    def _end(self, result: Result, task: Task | None, progress: Progress) -> None:
        source = self._ledger.source_by_id(result.source)
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

    def _close_account(self, state: str) -> None:
        now = _now()
        self._ledger.end_run(now, self._seconds)
        options = self._options
        write_manifest(
            self._manifest,
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
            ended=now,
            state=state,
            seconds=self._seconds,
            elapsed=time.monotonic() - self._clock,
        )


@contextmanager
def _locked(path: Path, out: Path) -> Iterator[None]:
    """Hold the folder for this process; the lock goes with the process, however it ends."""
    with path.open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigurationError(f"another run is at work in {out}; wait for it, or stop it") from None
        yield


@contextmanager
def _explained(out: Path) -> Iterator[None]:
    """Faults of the disk and of the workers' resources, in one sentence."""
    kept = "what is done is kept; run the same command again and it goes on from there"
    try:
        yield
    except sqlite3.OperationalError as error:
        raise RunStopped(f"the ledger in {out} cannot be written ({error}): is the disk full? {kept}") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RunStopped(f"no space is left for {out}; free some. {kept.capitalize()}") from error
        raise RunStopped(f"{out} cannot be written ({error}); mend that. {kept.capitalize()}") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
