"""Who does the work: processes on this machine, or a Dask cluster.

An executor is given a bounded list of blocks and yields what became of each, in order. It never
runs ahead of what it was given.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol, Self

from corpora.errors import ConfigurationError, NlmchemError
from corpora.extras import require
from nlmchem.batch.stop import KEPT, RunStopped
from nlmchem.batch.tasks import Result, Setup, Task
from nlmchem.batch.worker import annotate_block

__all__ = ["DaskExecutor", "Death", "Executor", "LocalExecutor", "WorkersLost"]

Block = tuple[Task, ...]

PATIENCE = 60.0
"""Seconds that a cluster may be without any worker before the run stops."""


class WorkersLost(RunStopped):
    """Nobody is left to do the work."""


class Death(Exception):
    """A worker died while it had a block, or before it could begin it; the articles must be tried again."""


class Executor(Protocol):
    """Annotates blocks of articles somewhere else."""

    workers: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[Result] | Death]:
        """Begin all blocks at once; yield for each block, in order, its results or the worker's death."""
        ...


class LocalExecutor:
    """joblib's worker processes (loky): started afresh, never forked; each loads the models once.

    joblib's executor is used itself, not `joblib.Parallel`: that one raises the whole call away when
    a worker dies, and runs a single worker inside this very process, where its death would be ours.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._close(kill=error[1] is not None)

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[Result] | Death]:
        """Begin all blocks at once; see `Executor`. The last call's outcomes must have been taken."""
        from joblib.externals.loky import ProcessPoolExecutor

        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, initializer=_prepare_worker, initargs=(os.getpid(),))
        with _interrupts_held_back():
            futures = [self._submit(setup, block) for block in blocks]
        return self._outcomes(futures)

    def _submit(self, setup: Setup, block: Block) -> Callable[[], list[Result]]:
        from concurrent.futures import BrokenExecutor

        try:
            result: Callable[[], list[Result]] = self._pool.submit(annotate_block, setup, block).result
            return result
        except BrokenExecutor as error:
            # A worker died of an earlier block already; this one shares its fate.
            return _raiser(error)
        except OSError as error:
            raise WorkersLost(f"no worker process can be started ({error}); use fewer --workers. {KEPT}") from error

    def _outcomes(self, results: Sequence[Callable[[], list[Result]]]) -> Iterator[list[Result] | Death]:
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
                # What the worker itself could not turn into failures: a result that will not travel, say.
                yield Death(f"{type(error).__name__}: {error}")
        if broken:
            self._close(kill=True)

    def _close(self, *, kill: bool) -> None:
        if self._pool is not None:
            with _stumbles_unheard():
                self._pool.shutdown(wait=True, kill_workers=kill)
            self._pool = None


@contextmanager
def _stumbles_unheard() -> Iterator[None]:
    """loky's own thread, told to kill its workers, may trip over work that it has just thrown away (joblib 1.6).

    That harms nothing, the thread was to end, but it would print a traceback over our one sentence.
    """
    before = threading.excepthook

    def hook(stumble: threading.ExceptHookArgs) -> None:
        of_loky = stumble.thread is not None and stumble.thread.name == "ExecutorManagerThread"
        if not (of_loky and issubclass(stumble.exc_type, KeyError)):
            before(stumble)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


def _raiser(error: Exception) -> Callable[[], list[Result]]:
    def result() -> list[Result]:
        raise error

    return result


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """What is started in the block never sees Ctrl-C: the run hears it, and ends its workers itself."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare_worker(parent: int) -> None:
    """In a worker: live exactly as long as the run, in whatever way the run ends.

    loky ends a worker whose memory has grown by 300 MB since its first block, prints a Python warning into the run's
    output and loads the models again. Large articles need that much for a moment. What a worker keeps is bounded by
    the size of a batch and of a block (`tests/nlmchem/batch/test_executors.py`), so the check is switched off. loky has
    no parameter for it.
    """
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = float("inf")
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class DaskExecutor:
    """A Dask cluster whose scheduler is at `address`, through `distributed`'s own futures.

    Not through joblib's Dask backend (measured, joblib 1.6): when Dask gives up an article that kills
    its workers, `DaskDistributedBackend._collect` keeps the error to itself and never calls joblib back,
    so `Parallel` waits for ever; and where it did not, one dead block would end all others of the call.
    """

    def __init__(self, address: str) -> None:
        require("distributed", extra="dask", purpose="--dask")
        from distributed import Client

        try:
            _require_listener(address)
            # What it has to say of lost connections and workers, the run says itself, without a traceback.
            for logger in ("distributed", "distributed.client"):
                logging.getLogger(logger).setLevel(logging.CRITICAL)
            self._client = Client(address, timeout="10s", set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ConfigurationError(
                f"no Dask scheduler answers at {address}; start one with `dask scheduler` and name its address"
            ) from error
        self._address = address
        self.workers = max(1, self._number_of_workers())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close(timeout=5)

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[Result] | Death]:
        """Begin all blocks at once; see `Executor`."""
        futures = [self._client.submit(annotate_block, setup, block, pure=False) for block in blocks]
        return self._outcomes(futures)

    def _outcomes(self, futures: list[Any]) -> Iterator[list[Result] | Death]:
        # Backwards, so that a result's memory on the cluster is given back as soon as it is here.
        futures.reverse()
        while futures:
            self._await(futures[-1])
            yield self._outcome(futures[-1])
            futures.pop()

    def _outcome(self, future: Any) -> list[Result] | Death:
        from distributed import CancelledError

        try:
            result: list[Result] = future.result(timeout=10 * PATIENCE)
            return result
        except NlmchemError:
            raise
        except (CancelledError, TimeoutError) as error:
            raise WorkersLost(f"the Dask scheduler at {self._address} is gone; start it again. {KEPT}") from error
        except Exception as error:
            # Dask's own `KilledWorker`, or what the worker could not turn into failures.
            return Death(f"{type(error).__name__}: {error}")

    def _await(self, future: Any) -> None:
        """Wait until a future is done, looking up now and then: Dask waits for ever for a cluster without workers."""
        from distributed import CancelledError, wait

        alone_since: float | None = None
        while not future.done():
            with suppress(TimeoutError, CancelledError), self._client.as_current():
                wait(future, timeout=0.5)
            if self._number_of_workers():
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since > PATIENCE:
                raise WorkersLost(f"the Dask cluster has had no worker for {PATIENCE:g} s; start workers. {KEPT}")

    def _number_of_workers(self) -> int:
        # While the scheduler is being looked for again, nothing is known of it.
        return len(self._client.scheduler_info(n_workers=-1)["workers"]) if self._client.status == "running" else 0


def _require_listener(address: str) -> None:
    """Raise `OSError` or `ValueError` where nobody listens: a `Client` that fails leaves a traceback behind."""
    from distributed.comm.addressing import get_address_host_port

    if address.startswith(("tcp://", "tls://")) or "://" not in address:
        socket.create_connection(get_address_host_port(address), timeout=10).close()
