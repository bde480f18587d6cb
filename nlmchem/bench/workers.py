"""Real worker processes: their start, their rate together, and their memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from bioc import BioCDocument

from corpora.errors import Argument, ResourceError
from corpora.formats import registry
from nlmchem.bench.stages import bare
from nlmchem.engine.executors import Death, LocalExecutor
from nlmchem.engine.tasks import Block, Setup, Task
from nlmchem.run.plan import Plan

ROUND = 2
"""Articles for each worker that are dispatched together."""


@dataclass(frozen=True, slots=True)
class WorkerRate:
    """`start`: seconds until all workers have loaded the models. `memory`: peak bytes of the largest worker."""

    workers: int
    start: float
    articles: int
    seconds: float
    memory: int

    @property
    def articles_per_second(self) -> float:
        """Of all workers together."""
        return self.articles / self.seconds


def measure_workers(articles: Sequence[BioCDocument], plan: Plan, workers: int, seconds: float) -> WorkerRate:
    """Annotate the articles in turn for about `seconds`, as a run does. Raises `ResourceError` if a worker dies."""
    setup = Setup(plan, plan.fingerprint()["sha256"])
    writer = registry.writable("biocjson")
    raw = [writer.dumps(bare(article), lambda note: None) for article in articles]
    tasks = cycle(Task(0, number, "", "biocjson", content, "") for number, content in enumerate(raw))
    with LocalExecutor(workers) as executor:
        begun = time.monotonic()
        _run(executor, setup, [()] * workers)
        start = time.monotonic() - begun
        _run(executor, setup, [(task,) for task in islice(tasks, workers)])
        begun, done = time.monotonic(), 0
        while (spent := time.monotonic() - begun) < seconds or not done:
            blocks = [(task,) for task in islice(tasks, ROUND * workers)]
            _run(executor, setup, blocks)
            done += len(blocks)
        memory = max(map(_peak, _children()), default=0)
    return WorkerRate(workers, start, done, spent, memory)


def _run(executor: LocalExecutor, setup: Setup, blocks: Sequence[Block]) -> None:
    for outcome in executor.run(setup, blocks):
        if isinstance(outcome, Death):
            raise ResourceError(f"a worker died ({outcome}); use fewer ", Argument("workers"))
        for result in outcome:
            if result.failure is not None:
                raise ResourceError(f"article {result.document!r} failed: {result.failure.message}")


def _children() -> Iterator[int]:
    """The processes that this one has started."""
    for file in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        yield from map(int, file.read_text().split())


def _peak(process: int) -> int:
    """The peak of a process' resident memory in bytes; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
