"""The options of a run that do not change the bytes of its output."""

from __future__ import annotations

import os
from dataclasses import dataclass

from corpora.errors import OptionError
from nlmchem.batch.failure_limit import NO_LIMIT, FailureLimit
from nlmchem.batch.shard import Shard
from nlmchem.options import option

__all__ = ["AUTO", "RunOptions", "default_workers", "parse_workers"]

AUTO = "auto"


def default_workers() -> int:
    """One worker for each processor that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def parse_workers(text: str) -> int | None:
    """The number of workers; None for `auto`. Raises `OptionError`."""
    if text == AUTO:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise OptionError("workers", f"must be {AUTO} or a number of 1 or more, not {text!r}")
    return int(text)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run works. `workers` None: one for each processor. `timeout`: seconds for each article; None: no limit."""

    workers: int | None = option(
        None,
        "Worker processes; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
    )
    timeout: float | None = option(None, "Seconds that an article may take.", minimum=0.1, default_text="no limit")
    max_failures: FailureLimit | None = option(
        None,
        "Stop if more articles fail: a number (20), or a share (0.5 or 50%) of 100 articles or more.",
        metavar="N|SHARE",
        parse=FailureLimit.parse,
        default_text=NO_LIMIT,
    )
    shard: Shard = option(
        Shard(),
        "Process part I of N of the files, for job arrays.",
        metavar="I/N",
        parse=Shard.parse,
        default_text="1/1",
    )
    dask: str | None = option(None, "Address of a Dask scheduler that runs the workers.", metavar="ADDRESS")
    include: tuple[str, ...] = option(
        (), "Read only files whose name or path matches this pattern, such as '*.nxml'.", metavar="GLOB", repeat=True
    )
    exclude: tuple[str, ...] = option(
        (), "Do not read files whose name or path matches this pattern.", metavar="GLOB", repeat=True
    )
    quiet: bool = option(False, "Print errors only: no progress, notes and counts.", flags=("--quiet", "-q"))
    restart: bool = option(False, "Delete the results of earlier runs and start again.", in_file=False)
    retry_failed: bool = option(False, "Process failed articles again.", in_file=False)

    @property
    def number_of_workers(self) -> int:
        """The number of worker processes."""
        return self.workers or default_workers()
