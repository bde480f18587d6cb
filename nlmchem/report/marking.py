"""Text with marks: marks may overlap, contain each other and have several spans. The result nests correctly as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from corpora.model.document import Span

__all__ = ["Mark", "Piece", "cut", "marked"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark at `spans` (offsets in the document); each of its pieces becomes one HTML element.

    `attributes`: HTML attributes of every piece. `first`: further attributes of the first piece only (id, tab order).
    """

    spans: tuple[Span, ...]
    attributes: Mapping[str, str]
    first: Mapping[str, str] = field(default_factory=dict)

    @property
    def extent(self) -> int:
        """The number of marked characters."""
        return sum(end - start for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and the attributes of the elements around it, the outermost first."""

    text: str
    elements: tuple[Mapping[str, str], ...]


def cut(length: int, spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Cut 0..`length` at the start and end of every span (start, end, number).

    Yields (start, end, numbers of the spans that cover this stretch).
    """
    edges = {0, length}
    begins: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for start, end, number in spans:
        start, end = max(0, start), min(length, end)
        if start < end:
            edges |= {start, end}
            begins.setdefault(start, []).append(number)
            ends.setdefault(end, []).append(number)
    covering: list[int] = []
    for start, end in pairwise(sorted(edges)):
        for number in ends.get(start, []):
            covering.remove(number)
        covering += begins.get(start, [])
        yield start, end, tuple(covering)


def marked(offset: int, text: str, marks: Iterable[Mark], seen: set[int]) -> Iterator[Piece]:
    """The pieces of a passage. Of several marks over one piece, the longest is the outermost; ties: the first mark.

    `offset`: position of `text` in the document. `seen` stores the marks (by `id()`) whose first piece was already
    produced; it is updated.
    """
    given = list(marks)
    spans = [(start - offset, end - offset, number) for number, mark in enumerate(given) for start, end in mark.spans]
    for start, end, covering in cut(len(text), spans):
        elements = []
        for number in sorted(set(covering), key=lambda number: (-given[number].extent, number)):
            mark = given[number]
            first = {} if id(mark) in seen else mark.first
            seen.add(id(mark))
            elements.append({**mark.attributes, **first})
        yield Piece(text[start:end], tuple(elements))
