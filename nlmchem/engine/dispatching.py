"""Articles go to the workers in windows of bounded size; while one is processed, the next one is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nlmchem.engine.executors import Death, Executor, WorkersLost
from nlmchem.engine.tasks import Block, Failure, Setup, Task, TaskResult

ARTICLES_PER_WORKER = 24
WINDOW_BYTES = 32 << 20
"""A window is dispatched at once: at most this many articles for each worker, and about this many bytes in all."""


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
            running = self._start(window)
            following = read()
            yield self._collect(window, running)
            window = following or read()

    def _start(self, blocks: Sequence[Block]) -> Iterator[list[TaskResult] | Death]:
        return self.executor.run(self.setup, blocks)

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
            yield task, self._process_alone(task)

    def _process_alone(self, task: Task) -> TaskResult:
        """Process an article of a worker that died once more, in a block of its own."""
        (outcome,) = self._start([(task,)])
        if not isinstance(outcome, Death):
            return outcome[0]
        (health,) = self._start([()])
        if isinstance(health, Death):
            raise WorkersLost(f"the workers die before they receive any article ({health})")
        limit = self.setup.timeout
        message = "its worker died twice while it was annotated (out of memory, or a crash in native code)"
        if limit is not None:
            message += f", or it ignored the time limit of {limit:g} s"
        message += "; try it alone on a machine with more memory, or report it"
        return TaskResult(task.source, task.position, task.hash, failure=Failure("worker", message, str(outcome)))
