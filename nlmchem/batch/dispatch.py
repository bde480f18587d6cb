"""How articles reach the workers: in windows of blocks, so that only a bounded number is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from nlmchem.batch.blocks import blocks_of
from nlmchem.batch.executors import Death, Executor, WorkersLost
from nlmchem.batch.ledger import Ledger
from nlmchem.batch.progress import Progress
from nlmchem.batch.results import Results
from nlmchem.batch.stop import KEPT
from nlmchem.batch.tasks import Failure, Result, Setup, Task

__all__ = ["Dispatcher"]

ARTICLES_PER_WORKER = 24
WINDOW_BYTES = 32 << 20
"""A window is dispatched at once: at most this many articles for each worker, and about this many bytes in all."""

Block = tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Gives articles to an executor and passes their results on. An article whose worker dies is tried again alone."""

    executor: Executor
    setup: Setup
    ledger: Ledger
    results: Results
    progress: Progress

    def run(self, work: Iterator[Task | Result]) -> None:
        """Process all work. While the workers process one window, the next one is read."""
        try:
            window = self._window(work)
            while window:
                self.ledger.begin(chain.from_iterable(window))
                running = self.executor.run(self.setup, window)
                following = self._window(work)
                self._collect(window, running)
                window = following
        finally:
            self.results.flush()

    def _window(self, work: Iterator[Task | Result]) -> list[Block]:
        workers = self.executor.workers
        tasks: list[Task] = []
        size = 0
        while len(tasks) < ARTICLES_PER_WORKER * workers and size < WINDOW_BYTES:
            item = next(work, None)
            if item is None:
                break
            if isinstance(item, Result):
                self.results.add(item, None, self.progress)
                continue
            tasks.append(item)
            size += len(item.raw)
            self.progress.article_read(len(item.raw))
        return blocks_of(tasks, workers)

    def _collect(self, window: Sequence[Block], running: Iterator[list[Result] | Death]) -> None:
        again: list[Task] = []
        for block, outcome in zip(window, running, strict=True):
            if isinstance(outcome, Death):
                again += block
                continue
            for task, result in zip(block, outcome, strict=True):
                self.results.add(result, task, self.progress)
        for task in again:
            self.results.add(self._process_alone(task), task, self.progress)
        self.results.flush()

    def _process_alone(self, task: Task) -> Result:
        """Process an article of a worker that died once more, in a block of its own."""
        self.ledger.begin([task])
        (outcome,) = self.executor.run(self.setup, [(task,)])
        if not isinstance(outcome, Death):
            return outcome[0]
        (health,) = self.executor.run(self.setup, [()])
        if isinstance(health, Death):
            raise WorkersLost(f"the workers die before they receive any article ({health}). {KEPT.capitalize()}")
        limit = self.setup.timeout
        message = "its worker died twice while it was annotated (out of memory, or a crash in native code)"
        if limit is not None:
            message += f", or it ignored the time limit of {limit:g} s"
        message += "; try it alone on a machine with more memory, or report it"
        return Result(task.source, task.position, task.hash, failure=Failure("worker", message, str(outcome)))
