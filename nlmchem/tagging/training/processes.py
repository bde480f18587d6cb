"""The processes of one training: one for each GPU, where `torchrun` or `accelerate launch` started it.

All of them compute gradients. The first one alone scores, writes models, and reports.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
from torch import distributed

from corpora.errors import Argument, ConfigurationError
from corpora.reporting import Report, ignore

T = TypeVar("T")

_NEEDED = ("LOCAL_RANK", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""Variables of the environment that `torchrun` sets."""
LONGEST_WAIT = timedelta(days=2)
"""How long processes wait for the first one, which scores a model meanwhile."""


@dataclass(frozen=True, slots=True)
class Processes:
    """The number of processes of a training, and the rank of this one (from 0)."""

    number: int = 1
    rank: int = 0

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and reports."""
        return self.rank == 0

    def wait(self) -> None:
        """Wait until all processes have arrived here."""
        if self.number > 1:
            distributed.all_reduce(torch.zeros(1))

    def shared(self, compute: Callable[[], float]) -> float:
        """What the first process computes. All processes receive the same number."""
        if self.number == 1:
            return compute()
        value = torch.tensor([compute() if self.first else 0.0], dtype=torch.float64)
        distributed.broadcast(value, 0)
        return value.item()

    def after(self, until: float | None) -> bool:
        """Whether `until` (`time.monotonic`) has passed for the first process."""
        return until is not None and bool(self.shared(lambda: float(time.monotonic() >= until)))

    def in_turn(self, work: Callable[[], T]) -> T:
        """Do the work in the first process, and then in the others, which find the files that the first one wrote."""
        if not self.first:
            self.wait()
        done = work()
        if self.first:
            self.wait()
        return done


@contextmanager
def connected(device: str) -> Iterator[Processes]:
    """Connect the processes of a training. `device`: cpu, cuda or cuda:N, as the option.

    Raises `ConfigurationError` where several processes were started without addresses, or shall use one GPU.
    """
    if os.environ.get("WORLD_SIZE", "1") == "1" and "LOCAL_RANK" not in os.environ:
        yield Processes()
        return
    if missing := [name for name in _NEEDED if name not in os.environ]:
        raise ConfigurationError(
            f"the environment describes several processes of one training, but lacks {', '.join(missing)}; start "
            "them with torchrun or accelerate launch, or remove WORLD_SIZE and LOCAL_RANK"
        )
    if ":" in device:
        raise ConfigurationError(
            f"{device} is one GPU, but the training was started as {os.environ['WORLD_SIZE']} processes; give ",
            Argument("device", "cuda"), ", or start it without torchrun",
        )  # fmt: skip
    # Flags and scores are on the CPU, gradients on the GPU.
    backend = "cpu:gloo,cuda:nccl" if device == "cuda" else "gloo"
    distributed.init_process_group(backend, timeout=LONGEST_WAIT)
    try:
        yield Processes(distributed.get_world_size(), distributed.get_rank())
    finally:
        distributed.destroy_process_group()


def is_first() -> bool:
    """Whether this process is the only one of its training, or the first: the one that prints."""
    return os.environ.get("RANK", "0") == "0" or "LOCAL_RANK" not in os.environ


def of_first(report: Report) -> Report:
    """The report in the first process; in the others, one that ignores everything."""
    return report if is_first() else ignore
