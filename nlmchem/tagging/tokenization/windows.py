"""Windows: what a model sees at once.

Neighbouring passages of one article share a window as long as they fit, each followed by a separator. A passage
that does not fit is covered by overlapping windows that begin at sentences where they can. Windows never hold
pieces of two articles, so an article's windows depend on the article alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.tokenization.sentences import sentences
from nlmchem.tagging.tokenization.word_pieces import Encoded, PieceCutter

__all__ = ["Part", "Window", "pack", "sentence_pieces"]

SPECIAL = 2
"""Special pieces of a window that holds one passage: the first and a separator."""


@dataclass(frozen=True, slots=True)
class Part:
    """Pieces `first` to `last` (exclusive) of passage number `passage`; they stand in the window from `at` on."""

    passage: int
    first: int
    last: int
    at: int


@dataclass(frozen=True, slots=True)
class Window:
    """The ids that a model sees, special ones included, and which pieces of which passages they are."""

    ids: NDArray[np.int32]
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return len(self.ids)


def sentence_pieces(text: str, encoded: Encoded) -> list[int]:
    """The pieces with which sentences begin, rising; those of a text that fits into one window are never asked for."""
    starts = np.array([start for start, _ in sentences(text)], dtype=np.int32)
    return sorted(set(np.searchsorted(encoded.ends, starts, side="right").tolist()))


def pack(texts: Sequence[str], encoded: Sequence[Encoded], cutter: PieceCutter, size: int) -> list[Window]:
    """The windows of an article's passages, of at most `size` pieces each.

    Every piece of every passage is in at least one window; a passage without pieces is in none. Neighbouring
    windows of one passage share a quarter of a window, or up to half of one where a sentence begins there.
    """
    windows: list[Window] = []
    waiting: list[int] = []
    filled = 1
    for passage, pieces in enumerate(encoded):
        if not len(pieces):
            continue
        fits = len(pieces) + SPECIAL <= size
        if waiting and not (fits and filled + len(pieces) + 1 <= size):
            windows.append(_window([(number, 0, len(encoded[number])) for number in waiting], encoded, cutter))
            waiting, filled = [], 1
        if fits:
            waiting.append(passage)
            filled += len(pieces) + 1
            continue
        for first, last in _stretches(len(pieces), sentence_pieces(texts[passage], pieces), size - SPECIAL):
            windows.append(_window([(passage, first, last)], encoded, cutter))
    if waiting:
        windows.append(_window([(number, 0, len(encoded[number])) for number in waiting], encoded, cutter))
    return windows


def _stretches(length: int, starts: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """Overlapping stretches of at most `capacity` pieces that cover 0..length; `starts` are where sentences begin."""
    overlap = max(1, capacity // 4)
    begins = np.array(starts, dtype=np.int64)
    found: list[tuple[int, int]] = []
    first = 0
    while first + capacity < length:
        last = first + capacity
        found.append((first, last))
        before = int(np.searchsorted(begins, last - overlap, side="right"))
        sentence = int(begins[before - 1]) if before else -1
        first = sentence if sentence >= last - 2 * overlap and sentence > first else last - overlap
    found.append((first, length))
    return found


def _window(parts: Sequence[tuple[int, int, int]], encoded: Sequence[Encoded], cutter: PieceCutter) -> Window:
    ids = [np.array([cutter.first], dtype=np.int32)]
    separator = np.array([cutter.separator], dtype=np.int32)
    placed: list[Part] = []
    at = 1
    for passage, first, last in parts:
        placed.append(Part(passage, first, last, at))
        ids += [encoded[passage].ids[first:last], separator]
        at += last - first + 1
    return Window(np.concatenate(ids), tuple(placed))
