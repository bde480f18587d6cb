"""Batches of windows. All windows of a batch have the same padded length.

The scores of a window must not depend on the other windows of its batch. Therefore its padded length depends only on
its own length, and a batch does not mix lengths: the order of a sum in a kernel may change with the length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["MULTIPLE", "Batch", "batches", "padded"]

MULTIPLE = 16
"""Windows are padded to the next multiple of this many pieces."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Positions of windows that are computed together, and the length in pieces to which all of them are padded."""

    length: int
    windows: tuple[int, ...]


def padded(length: int) -> int:
    """The length in pieces to which a window of `length` pieces is padded."""
    return -(-length // MULTIPLE) * MULTIPLE


def batches(lengths: Sequence[int], budget: int) -> list[Batch]:
    """Batches of at most `budget` padded pieces, but at least one window. The longest windows come first.

    Windows without padding are in other batches than windows with padding, because attention without a mask may use
    another kernel. Windows keep their order in a batch.
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
