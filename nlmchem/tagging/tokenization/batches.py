"""Batches of windows: of one padded length each, bounded in word pieces, longest first.

This is what makes scores independent of the company that a window keeps: its padded length depends on itself
alone, and kernels that would choose another order of summation for another length never see mixed ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["MULTIPLE", "Batch", "batches", "padded"]

MULTIPLE = 16
"""Windows are padded to the next multiple of this many pieces."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Positions of windows that are computed together, and the length to which each of them is padded."""

    length: int
    windows: tuple[int, ...]


def padded(length: int) -> int:
    """The length in pieces to which a window of `length` pieces is padded."""
    return -(-length // MULTIPLE) * MULTIPLE


def batches(lengths: Sequence[int], budget: int) -> list[Batch]:
    """Batches of at most `budget` padded pieces (and at least one window), longest first.

    Windows that need no padding are kept apart from those that do: attention without a mask may take another
    kernel. Within a batch windows keep their order.
    """
    groups: dict[tuple[int, bool], list[int]] = {}
    for position, length in enumerate(lengths):
        target = padded(length)
        groups.setdefault((target, target == length), []).append(position)
    found: list[Batch] = []
    for (length, _), members in sorted(groups.items(), reverse=True):
        size = max(1, budget // max(1, length))
        found += [Batch(length, tuple(members[at : at + size])) for at in range(0, len(members), size)]
    return found
