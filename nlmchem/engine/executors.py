"""Where articles are annotated: in this process, in others on this machine, or on a Dask cluster.

An executor receives a bounded list of blocks and yields the outcome of each block, in order. A dispatcher gives it the
articles in windows of bounded size; while one is processed, the next one is read.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, Self

from corpora.errors import Argument, ConfigurationError, NlmchemError, ResourceError
from corpora.extras import require
from corpora.reporting import log
from corpora.words.quantities import quantity
from nlmchem.engine.tasks import BLOCK_ARTICLES, Block, Failure, Setup, Task, TaskResult, blocks_of
from nlmchem.engine.worker import annotate_block

WORKER_ENVIRONMENT = {"LOKY_MAX_MEMORY_LEAK_SIZE": "1e18", "OPENBLAS_NUM_THREADS": "1"}
"""Environment of the workers. A worker computes on one thread; more threads of numpy wait for each other on busy
processors. loky ends a worker whose memory has grown by 300 MB since its first block, and prints a Python warning into
the run's output; the models must be loaded again. A very large article may need that much for a moment. A worker does
not keep it (docs/measurements/speed.md), so the check is switched off."""

ARTICLES_PER_WORKER = 24
WINDOW_BYTES = 32 << 20
"""A window is dispatched at once: at most this many articles for each worker, and about this many bytes in all."""

PATIENCE = 60.0
"""Seconds without any worker in the cluster after which the run stops."""

LINGER = 10.0
"""Seconds that a worker may take to end after its last block."""

ANSWER = 10.0
"""Seconds that a Dask scheduler may take to answer."""


class WorkersLost(ResourceError):
    """There are no workers left."""


class Death(Exception):
    """A worker died before it finished a block; the articles of the block must be tried again."""


class Executor(Protocol):
    """Annotates blocks of articles in other processes."""

    @property
    def workers(self) -> int:
        """The number of workers, which bounds the articles in work."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[TaskResult] | Death]:
        """Start all blocks at once. Yields for each block, in order, its results or the death of its worker."""
        ...


class InlineExecutor:
    """Annotates in this process: for runs without steps, which take less time than the start of a worker."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[TaskResult] | Death]:
        """Annotate each block when its outcome is requested; see `Executor`."""
        return (annotate_block(setup, block) for block in blocks)


def _not_started(error: OSError, *remedy: str | Argument) -> WorkersLost:
    if error.errno in (errno.EMFILE, errno.ENFILE):
        remedy = ("too many files are open; raise the limit with `ulimit -n`",)
    return WorkersLost(f"no worker process can be started ({error}); ", *remedy)


class LocalExecutor:
    """Worker processes of loky, the executor of joblib. They are new processes, not forks; each loads the models once.

    `joblib.Parallel` is no replacement: when a worker dies, it loses the results of all blocks, and it runs a single
    worker in the process of the run, which would die with it.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._close(kill=error[1] is not None)

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[TaskResult] | Death]:
        """Start all blocks at once; see `Executor`. The outcomes of the last call must have been consumed."""
        from concurrent.futures import BrokenExecutor, Future
        from multiprocessing import resource_tracker

        from loky import ProcessPoolExecutor

        if self._pool is None:
            try:
                # Trackers of semaphores start here, that of Python and that of loky. They print warnings where a signal
                # ends them, and the start of one unblocks Ctrl-C: none may start after the block that starts workers.
                with _interrupts_blocked():
                    resource_tracker.ensure_running()
                    self._pool = ProcessPoolExecutor(
                        self.workers,
                        initializer=_prepare_worker,
                        initargs=(os.getpid(), logging.getLogger("nlmchem").level),
                        env=WORKER_ENVIRONMENT,
                    )
            except OSError as error:
                # The workers share semaphores, which are files in /dev/shm.
                raise _not_started(error, "check that /dev/shm can be written and is not full") from error
        results: list[Callable[[], list[TaskResult]]] = []
        with _interrupts_blocked():
            for block in blocks:
                try:
                    results.append(self._pool.submit(annotate_block, setup, block).result)
                except BrokenExecutor as error:
                    # A worker has died on an earlier block, and the pool accepts no more work.
                    failed: Future[list[TaskResult]] = Future()
                    failed.set_exception(error)
                    results.append(failed.result)
                except OSError as error:
                    raise _not_started(error, "use fewer ", Argument("workers")) from error
        return self._outcomes(results)

    def _outcomes(self, results: Sequence[Callable[[], list[TaskResult]]]) -> Iterator[list[TaskResult] | Death]:
        from concurrent.futures import BrokenExecutor

        broken = False
        for result in results:
            try:
                yield result()
            except BrokenExecutor as error:
                broken = True
                yield Death(str(error))
            except NlmchemError:
                raise
            except Exception as error:
                # An error that the worker could not report as failures, for example a result that cannot be pickled.
                yield Death(f"{type(error).__name__}: {error}")
        if broken:
            self._close(kill=True)

    def _close(self, *, kill: bool) -> None:
        if self._pool is None:
            return
        pool, self._pool = self._pool, None
        # A worker does not end while a plugin has a thread in it. All results are here, so it may be killed.
        workers = list(pool._processes.values())

        def end() -> None:
            alive = [worker for worker in workers if worker.is_alive()]
            if alive:
                who = quantity(len(alive), "worker")
                log(f"{who} did not end, because of a thread of a plugin, and had to be killed")
            for worker in alive:
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, signal.SIGKILL)

        killer = threading.Timer(LINGER, end)
        killer.daemon = True
        killer.start()
        pool.shutdown(wait=True, kill_workers=kill)
        killer.cancel()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Processes that start in this block never receive Ctrl-C, nor the end of a terminal.

    The run receives these signals and ends its workers.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare_worker(parent: int, level: int) -> None:
    """In a worker: end when the process of the run ends, also when it is killed. `level`: that of its logger."""
    logging.getLogger("nlmchem").setLevel(level)

    def end_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    set_parent_death_signal = 1
    if prctl := getattr(ctypes.CDLL(None), "prctl", None):
        prctl(set_parent_death_signal, signal.SIGKILL)
    else:  # macOS has no such signal.
        threading.Thread(target=end_with_parent, daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def require_dask(address: str) -> None:
    """Raise `ConfigurationError` if the extra `dask` is not installed, or no scheduler answers at an address.

    A `Client` waits for ever at a port that accepts connections and never answers; this waits for `ANSWER` seconds.
    """
    require("distributed", extra="dask", purpose=Argument("dask"))
    from distributed.comm.addressing import get_address_host_port
    from distributed.core import rpc

    async def identity() -> Any:
        async with asyncio.timeout(ANSWER), rpc(address) as server:
            return await server.identity()

    # The run reports lost connections and workers itself, without a traceback.
    for logger in ("distributed", "distributed.client"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    try:
        if address.startswith(("tcp://", "tls://")) or "://" not in address:
            # Dask would try again for `ANSWER` seconds where nothing listens.
            socket.create_connection(get_address_host_port(address), timeout=ANSWER).close()
        with ThreadPoolExecutor(1) as thread:  # The caller may have an event loop, as a notebook has.
            answer = thread.submit(asyncio.run, identity()).result()
        kind = answer.get("type")
    except Exception as error:
        # Anything can answer: its bytes are read as those of Dask, with errors of any kind.
        raise _no_scheduler(address) from error
    if kind != "Scheduler":
        raise _no_scheduler(address)


def _no_scheduler(address: str) -> ConfigurationError:
    return ConfigurationError(
        f"no Dask scheduler answers at {address}; start one with `dask scheduler` and give its address"
    )


class DaskExecutor:
    """A Dask cluster with a scheduler at `address`, used through the futures of `distributed`.

    joblib's Dask backend is no replacement (measured with joblib 1.6): when Dask gives up on an article that kills its
    workers, `DaskDistributedBackend._collect` does not report the error to joblib, and `Parallel` waits for ever.
    """

    def __init__(self, address: str) -> None:
        require_dask(address)
        from distributed import Client

        try:
            self._client = Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise _no_scheduler(address) from error
        self._address = address

    @property
    def workers(self) -> int:
        """The number of workers now, at least 1. A cluster can grow and shrink during a run."""
        return max(1, self._number_of_workers())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close(timeout=5)

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[TaskResult] | Death]:
        """Start all blocks at once; see `Executor`."""
        futures = [self._client.submit(annotate_block, setup, block, pure=False) for block in blocks]
        return self._outcomes(futures)

    def _outcomes(self, futures: list[Any]) -> Iterator[list[TaskResult] | Death]:
        from distributed import CancelledError

        # Reversed, so that each future can be removed, and its memory on the cluster freed, as soon as it is done.
        futures.reverse()
        while futures:
            self._await(futures[-1])
            try:
                outcome: list[TaskResult] | Death = futures[-1].result(timeout=10 * PATIENCE)
            except NlmchemError:
                raise
            except (CancelledError, TimeoutError) as error:
                raise WorkersLost(f"the Dask scheduler at {self._address} is gone; start it again") from error
            except Exception as error:
                # `KilledWorker` of Dask, or an error that the worker could not report as failures.
                outcome = Death(f"{type(error).__name__}: {error}")
            yield outcome
            futures.pop()

    def _await(self, future: Any) -> None:
        """Wait until a future is done. Check the cluster meanwhile: without workers Dask waits for ever."""
        from distributed import CancelledError, wait

        without_workers_since: float | None = None
        while not future.done():
            with suppress(TimeoutError, CancelledError), self._client.as_current():
                wait(future, timeout=0.5)
            if self._number_of_workers():
                without_workers_since = None
                continue
            without_workers_since = without_workers_since or time.monotonic()
            if time.monotonic() - without_workers_since > PATIENCE:
                raise WorkersLost(f"the Dask cluster has had no worker for {PATIENCE:g} s; start workers")

    def _number_of_workers(self) -> int:
        # While the client reconnects to the scheduler, it has no information about workers.
        return len(self._client.scheduler_info(n_workers=-1)["workers"]) if self._client.status == "running" else 0


# -- windows ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Gives articles to an executor and passes their results on. An article whose worker dies is tried again alone."""

    executor: Executor
    setup: Setup

    def windows(self, read: Callable[[], Sequence[Block]]) -> Iterator[Iterator[tuple[Task, TaskResult]]]:
        """The results of one window after another. Those of articles whose worker died are the last of a window.

        `read` returns the blocks of the next window; it is called again after an empty window, which ends the work
        where no window is being processed. Each window must be consumed before the next one is requested.
        """
        window = read()
        while window:
            running = self.executor.run(self.setup, window)
            following = read()
            yield self._collect(window, running)
            window = following or read()

    def _collect(
        self, window: Sequence[Block], running: Iterator[list[TaskResult] | Death]
    ) -> Iterator[tuple[Task, TaskResult]]:
        again: list[Task] = []
        for block, outcome in zip(window, running, strict=True):
            if isinstance(outcome, Death):
                again += block
            else:
                yield from zip(block, outcome, strict=True)
        for task in again:
            # Once more, in a block of its own.
            (outcome,) = self.executor.run(self.setup, [(task,)])
            if isinstance(outcome, Death):
                (health,) = self.executor.run(self.setup, [()])
                if isinstance(health, Death):
                    raise WorkersLost(f"the workers die before they receive any article ({health})")
                message = "its worker died twice while it was annotated (out of memory, or a crash in native code)"
                if (limit := self.setup.timeout) is not None:
                    message += f", or it ignored the time limit of {limit:g} s"
                message += "; try it alone on a machine with more memory, or report it"
                failure = Failure("worker", message, str(outcome))
                outcome = [TaskResult(task.source, task.position, task.hash, failure=failure)]
            yield task, outcome[0]


def next_window(tasks: Iterator[Task], workers: int, most: int = BLOCK_ARTICLES) -> list[Block]:
    """The blocks of the next window, from the next tasks. `most`: articles in a block."""
    taken: list[Task] = []
    size = 0
    while len(taken) < ARTICLES_PER_WORKER * workers and size < WINDOW_BYTES:
        if (task := next(tasks, None)) is None:
            break
        taken.append(task)
        size += len(task.raw)
    return blocks_of(taken, workers, most)
