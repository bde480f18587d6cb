"""Who does the work: processes on this machine, or a Dask cluster; both through joblib.

An executor is given a bounded list of blocks and yields what became of each, in order. It never
runs ahead of what it was given: joblib's own generator does, without limit.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, Self

from corpora.errors import ConfigurationError, NlmchemError
from nlmchem.batch.tasks import Result, Setup, Task
from nlmchem.batch.worker import annotate_block

__all__ = ["ClusterLost", "DaskExecutor", "Death", "Executor", "LocalExecutor"]

Block = tuple[Task, ...]

PATIENCE = 60.0
"""Seconds that a cluster may be without any worker before the run stops."""


class ClusterLost(NlmchemError):
    """No worker is left; what is done is kept."""

    exit_code = 1


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
    """joblib's worker processes: started afresh (never forked), each loads the models once.

    joblib's executor is used itself, not `joblib.Parallel`: that one raises the whole call away when
    a worker dies, and runs a single worker inside this very process, where its death would be ours.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=error[1] is not None)

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[Result] | Death]:
        """Begin all blocks at once; see `Executor`."""
        from joblib.externals.loky import get_reusable_executor

        # A pool that broke is replaced by a new one here; idle workers stay until the run ends.
        self._pool = get_reusable_executor(max_workers=self.workers, timeout=3600, reuse="auto")
        futures = [self._pool.submit(annotate_block, setup, block) for block in blocks]
        return self._outcomes(futures)

    def _outcomes(self, futures: Sequence[Any]) -> Iterator[list[Result] | Death]:
        from concurrent.futures.process import BrokenProcessPool

        for future in futures:
            try:
                yield future.result()
            except BrokenProcessPool as error:
                yield Death(str(error))


class DaskExecutor:
    """joblib's Dask backend on a cluster whose scheduler is at `address`."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise ConfigurationError("--dask needs the dask extra: pip install 'nlmchem[dask]'") from error
        try:
            self._client = Client(address, timeout="10s", set_as_default=True)
        except (OSError, TimeoutError, ValueError) as error:
            raise ConfigurationError(
                f"no Dask scheduler answers at {address}; start one with `dask scheduler` and name its address"
            ) from error
        self.workers = max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def run(self, setup: Setup, blocks: Sequence[Block]) -> Iterator[list[Result] | Death]:
        """Begin all blocks at once; see `Executor`."""
        outcomes: queue.SimpleQueue[list[Result] | BaseException] = queue.SimpleQueue()
        # joblib waits for ever when the last worker is gone; a thread waits in our stead, so that we can look.
        threading.Thread(target=self._work, args=(setup, blocks, outcomes), daemon=True).start()
        return self._outcomes(len(blocks), outcomes)

    def _work(self, setup: Setup, blocks: Sequence[Block], outcomes: queue.SimpleQueue[Any]) -> None:
        from joblib import Parallel, delayed, parallel_config

        try:
            with parallel_config(backend="dask", client=self._client):
                parallel = Parallel(batch_size=1, pre_dispatch="all", return_as="generator")
                for results in parallel(delayed(annotate_block)(setup, block) for block in blocks):
                    outcomes.put(results)
        except BaseException as error:
            outcomes.put(error)

    def _outcomes(
        self, number: int, outcomes: queue.SimpleQueue[list[Result] | BaseException]
    ) -> Iterator[list[Result] | Death]:
        from distributed import KilledWorker

        for left in range(number, 0, -1):
            outcome = self._next(outcomes)
            if isinstance(outcome, KilledWorker):
                for _ in range(left):
                    yield Death(str(outcome))
                return
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome

    def _next(self, outcomes: queue.SimpleQueue[list[Result] | BaseException]) -> list[Result] | BaseException:
        alone_since: float | None = None
        while True:
            try:
                return outcomes.get(timeout=1.0)
            except queue.Empty:
                pass
            if self._client.status == "running" and self._client.scheduler_info(n_workers=-1)["workers"]:
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since > PATIENCE:
                raise ClusterLost(
                    f"the Dask cluster has had no worker for {PATIENCE:.0f} s; "
                    "start workers and run the same command again, it goes on where it was"
                )
