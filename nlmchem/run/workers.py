"""The option that states how many processes work: the same for all commands with workers."""

from __future__ import annotations

import os
from dataclasses import dataclass

from corpora.commands.options import option
from corpora.errors import OptionError
from nlmchem.run.step import COMMON

AUTO = "auto"


def default_workers() -> int:
    """One worker for each processor that this process may use; macOS has no such limit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse_workers(text: str) -> int | None:
    """The number of workers; None for `auto`. Raises `OptionError`."""
    if text == AUTO:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise OptionError("workers", f"must be {AUTO} or a number of 1 or more, not {text!r}")
    return int(text)


@dataclass(frozen=True)
class WorkerOptions:
    """How many processes work. `workers` None: one for each processor."""

    workers: int | None = option(
        None,
        "Worker processes; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
        panel=COMMON,
    )

    @property
    def number_of_workers(self) -> int:
        """The number of worker processes."""
        return self.workers or default_workers()
