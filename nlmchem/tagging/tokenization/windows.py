"""Windows: the input of a model in one step.

Neighbouring passages of an article share a window if they fit, each followed by a separator. A longer passage is cut
at sentences into windows of similar lengths; only a sentence longer than a window has overlapping ones. A window has
pieces of one article only, so the windows of an article depend on nothing else.

The scores of a window must not depend on the other windows of its batch. Therefore its padded length depends only on
its own length, and a batch does not mix lengths: the order of a sum in a kernel may change with the length.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.tokenization.tokens import sentences
from nlmchem.tagging.tokenization.word_pieces import Encoded, PieceCutter

SPECIAL = 2
"""Special pieces of a window that holds one passage: the first and a separator."""


@dataclass(frozen=True, slots=True)
class WindowPart:
    """Pieces `first` to `last` (exclusive) of passage number `passage`. In the window they begin at position `at`."""

    passage: int
    first: int
    last: int
    at: int


@dataclass(frozen=True, slots=True)
class Window:
    """The ids of a window, with special pieces, and the parts of passages that they represent."""

    ids: NDArray[np.int32]
    parts: tuple[WindowPart, ...]

    def __len__(self) -> int:
        return len(self.ids)


def pack(texts: Sequence[str], encoded: Sequence[Encoded], cutter: PieceCutter, size: int) -> list[Window]:
    """The windows of an article's passages, of at most `size` pieces each.

    Every piece of every passage is in one window; those of a sentence that is longer than a window are in one or two
    (`stretches`). Passages without pieces are in none.
    """
    groups: list[list[tuple[int, int, int]]] = []
    filled = size
    for passage, pieces in enumerate(encoded):
        if not len(pieces):
            continue
        if len(pieces) + SPECIAL > size:
            starts = np.array([start for start, _ in sentences(texts[passage])], dtype=np.int32)
            of_sentences = np.unique(np.searchsorted(pieces.ends, starts, side="right")).tolist()
            for first, last in cut_at_sentences(len(pieces), of_sentences, size - SPECIAL):
                groups.append([(passage, first, last)])
            filled = size
            continue
        if filled + len(pieces) + 1 > size:
            groups.append([])
            filled = 1
        groups[-1].append((passage, 0, len(pieces)))
        filled += len(pieces) + 1
    windows: list[Window] = []
    separator = np.array([cutter.separator], dtype=np.int32)
    for group in groups:
        ids = [np.array([cutter.first], dtype=np.int32)]
        placed: list[WindowPart] = []
        at = 1
        for passage, first, last in group:
            placed.append(WindowPart(passage, first, last, at))
            ids += [encoded[passage].ids[first:last], separator]
            at += last - first + 1
        windows.append(Window(np.concatenate(ids), tuple(placed)))
    return windows


def cut_at_sentences(length: int, starts: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """Ranges of at most `capacity` pieces that cover 0..length: as few as possible, the longest as short as possible.

    `starts`: the first pieces of sentences, in ascending order. A sentence longer than `capacity` has ranges of its
    own, which overlap (`stretches`).

    >>> cut_at_sentences(10, [0, 3, 5, 9], 6)
    [(0, 5), (5, 10)]
    """
    bounds = sorted({0, *(start for start in starts if start < length), length})
    parts: list[tuple[int, int]] = []
    together: list[int] = [0]
    for first, last in pairwise(bounds):
        if last - first > capacity:
            parts += _similar(together, capacity)
            parts += [(first + begin, first + end) for begin, end in stretches(last - first, (), capacity)]
            together = [last]
        else:
            together.append(last)
    return parts + _similar(together, capacity)


def _similar(bounds: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """The fewest ranges between `bounds` with at most `capacity` pieces; of these, the ones with the shortest longest.

    No two neighbouring bounds are further apart than `capacity`.
    """
    fewest = len(_filled(bounds, capacity))
    limits = range(max((end - start for start, end in pairwise(bounds)), default=0), capacity + 1)
    limit = bisect_left(limits, True, key=lambda limit: len(_filled(bounds, limit)) <= fewest)
    return _filled(bounds, limits[limit])


def _filled(bounds: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Ranges between `bounds`, from left to right, each as long as `limit` allows."""
    parts: list[tuple[int, int]] = []
    first = bounds[0]
    for before, after in pairwise(bounds):
        if after - first > limit:
            parts.append((first, before))
            first = before
    return [*parts, (first, bounds[-1])] if len(bounds) > 1 else parts


def stretches(length: int, starts: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """Overlapping ranges of at most `capacity` pieces that cover 0..length. `starts`: the first pieces of sentences."""
    overlap = max(1, capacity // 4)
    begins = np.array(starts, dtype=np.int64)
    parts: list[tuple[int, int]] = []
    first = 0
    while first + capacity < length:
        last = first + capacity
        parts.append((first, last))
        before = int(np.searchsorted(begins, last - overlap, side="right"))
        sentence = int(begins[before - 1]) if before else -1
        first = sentence if sentence >= last - 2 * overlap and sentence > first else last - overlap
    parts.append((first, length))
    return parts


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
    made: list[Batch] = []
    for (length, _), members in sorted(groups.items(), reverse=True):
        size = max(1, budget // max(1, length))
        made += [Batch(length, tuple(members[at : at + size])) for at in range(0, len(members), size)]
    return made
