"""An executor that annotates in the process of the test: for tests that are not about processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nlmchem.engine.executors import Death
from nlmchem.engine.tasks import Result, Setup, Task
from nlmchem.engine.worker import annotate_block


class InlineExecutor:
    """Replaces `nlmchem.engine.runner.LocalExecutor`."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __enter__(self) -> InlineExecutor:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def run(self, setup: Setup, blocks: Sequence[tuple[Task, ...]]) -> Iterator[list[Result] | Death]:
        return (annotate_block(setup, block) for block in blocks)
