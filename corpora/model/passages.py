"""A passage of a BioC document: its text, its section, what PMC's BioC states about it; a search by position.

The values are infons (`section_type`, `type`, `label`, `xml`) that PMC's BioC has as well.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import inf

from bioc import BioCPassage

from corpora.errors import ArticleError

MOST_AROUND = 100
"""Passages around one span. Passages that do not overlap give at most two."""


def passage_text(passage: BioCPassage) -> str:
    """The text of a passage. If only its sentences have text, their texts are joined, with blanks in the gaps.

    Raises `ArticleError` where sentences overlap.
    """
    if passage.text or not passage.sentences:
        return str(passage.text or "")
    pieces: list[str] = []
    reached = passage.offset
    for sentence in passage.sentences:
        gap = sentence.offset - reached
        if gap < 0:
            raise ArticleError(
                f"sentences overlap at offset {sentence.offset} of the passage at offset {passage.offset}; "
                "correct the sentence offsets, or give the passage its own text"
            )
        text = str(sentence.text or "")
        pieces += [" " * gap, text]
        reached = sentence.offset + len(text)
    return "".join(pieces)


def section_type(passage: BioCPassage) -> str | None:
    """The PMC section of a passage (`TITLE`, `ABSTRACT`, `METHODS` ...) as stated in the file, else None."""
    value = passage.infons.get("section_type")
    return str(value).upper() if value else None


def set_section_type(passage: BioCPassage, section: str) -> None:
    passage.infons["section_type"] = section


def passage_kind(passage: BioCPassage) -> str:
    """The kind of text as PMC's BioC states it (`front`, `title_1`, `paragraph`, `fig_caption` ...); empty for none."""
    return str(passage.infons.get("type") or "").lower()


def passage_label(passage: BioCPassage) -> str:
    """The label of a figure, table, formula, note or reference (`Figure 1`), which is not part of the text."""
    infons = passage.infons
    return str(infons.get("fn_label") or infons.get("label") or "")


def table_markup(passage: BioCPassage) -> str:
    """The table of the passage as XML, as PMC's BioC contains it; empty for none."""
    return str(passage.infons.get("xml") or "")


class PassageSearch:
    """Passages as offset and text, for a search by position in logarithmic time. They may overlap."""

    __slots__ = ("_ends", "_highest", "_order", "_size", "_starts")

    def __init__(self, passages: Sequence[tuple[int, str]]) -> None:
        self._order = sorted(range(len(passages)), key=lambda at: (passages[at][0], at))
        self._starts = [passages[at][0] for at in self._order]
        self._highest = list(accumulate(self._order, max))
        # A binary tree in a list: the children of node n are 2n and 2n + 1, and a node has the highest end below it.
        self._size = 1 << max(0, len(passages) - 1).bit_length()
        ends: list[float] = [passages[at][0] + len(passages[at][1]) for at in self._order]
        self._ends = [-inf] * self._size + ends + [-inf] * (self._size - len(ends))
        for node in range(self._size - 1, 0, -1):
            self._ends[node] = max(self._ends[2 * node], self._ends[2 * node + 1])

    def last_before(self, start: int) -> int | None:
        """The highest number of a passage that begins at or before a position; None if there is none."""
        count = bisect_right(self._starts, start)
        return self._highest[count - 1] if count else None

    def around(self, start: int, end: int) -> list[int]:
        """The numbers of the passages that contain a span, in order; no more than `MOST_AROUND`."""
        last = self._size + bisect_right(self._starts, start)
        positions: list[int] = []
        pending = [1]
        while pending and len(positions) < MOST_AROUND:
            node = pending.pop()
            leftmost = node << (self._size.bit_length() - node.bit_length())
            if self._ends[node] < end or leftmost >= last:
                continue
            if node >= self._size:
                positions.append(self._order[node - self._size])
            else:
                pending += [2 * node + 1, 2 * node]
        return sorted(positions)
