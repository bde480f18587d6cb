"""What happens to the result of an article: it goes to the outputs or to the quarantine, and is counted."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from corpora.errors import Argument
from nlmchem.batch.failure_limit import FailureLimit
from nlmchem.batch.ledger import Ledger
from nlmchem.batch.outputs import Outputs
from nlmchem.batch.progress import Progress
from nlmchem.batch.quarantine import Quarantine
from nlmchem.batch.stop import KEPT, RunStopped, writing
from nlmchem.batch.tasks import Result, Source, Task

__all__ = ["Results"]


class Results:
    """Receives the results of a run. `seconds`: the time of each stage, summed over all articles.

    `limit`: the failures after which the run stops; None: no limit.
    """

    def __init__(
        self, out: Path, ledger: Ledger, outputs: Outputs, quarantine: Quarantine, limit: FailureLimit | None = None
    ) -> None:
        self._out = out
        self._ledger = ledger
        self._outputs = outputs
        self._quarantine = quarantine
        self.seconds: dict[str, float] = defaultdict(float)
        self._succeeded: list[tuple[Source, int]] = []
        self._limit = limit
        self._ended = self._failed = 0

    def add(self, result: Result, task: Task | None, progress: Progress) -> None:
        """Store a result. `task` is None if the article could not be read.

        Raises `RunStopped` if more articles failed than the limit allows.
        """
        source = self._ledger.source_by_id(result.source)
        with writing(self._out):
            if result.failure is None:
                self._succeeded.append((source, result.position))
            else:
                self._quarantine.add(source, result.position, result.failure, task)
                name = f" (document {result.document!r})" if result.document else ""
                where = f"{source}, article {result.position + 1}{name}"
                progress.message(f"failed: {where}, {result.failure.stage}: {result.failure.message}")
        for stage, spent in result.seconds.items():
            self.seconds[stage] += spent
        self._outputs.add(result)
        progress.article_ended(result.mentions, result.failure is not None, 0 if task is None else len(task.raw))
        self._ended += 1
        self._failed += result.failure is not None
        if self._outputs.full():
            self.flush()
        if result.failure is not None:
            self.check_limit()

    def check_limit(self, at_end: bool = False) -> None:
        """Raise `RunStopped` if more articles of this run failed than the limit allows."""
        limit = self._limit
        if limit is not None and limit.is_exceeded(self._failed, self._ended, at_end):
            raise RunStopped(
                f"{self._failed} of {self._ended} articles failed, more than ",
                Argument("max_failures", str(limit)),
                f" allows; {self._out / 'quarantine'} has the reasons. {KEPT.capitalize()}",
            )

    def flush(self) -> None:
        """Write all stored results to disk and to the ledger, then remove articles that succeeded from the quarantine.

        The copy in the quarantine may be the only one of a corrected article, so it is removed last.
        """
        with writing(self._out):
            self._outputs.flush()
            for source, position in self._succeeded:
                self._quarantine.remove(source, position)
            self._succeeded.clear()
