"""Text with marks: marks may overlap, nest, and stand in several pieces; what comes out is well-formed HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpora.model.document import Span
from nlmchem.report.html import escape

__all__ = ["Mark", "marked", "pieces"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that is marked at `spans` (offsets in the document), as a `span` element.

    `attributes` is HTML of ours, escaped already. `first` is what its first piece has besides: an id, a
    place in the tab order. The piece of a mark that is cut by another follows without them.
    """

    spans: tuple[Span, ...]
    attributes: str
    first: str

    @property
    def extent(self) -> int:
        return sum(end - start for start, end in self.spans)


def pieces(length: int, spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Cut 0..`length` at every start and end of `spans` (start, end, number): (start, end, numbers that cover it)."""
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
    cuts = sorted(edges)
    for start, end in pairwise(cuts):
        for number in ends.get(start, []):
            covering.remove(number)
        covering += begins.get(start, [])
        yield start, end, tuple(covering)


def marked(offset: int, text: str, marks: Iterable[Mark], seen: set[int]) -> str:
    """A passage's text as HTML, with its marks: where several cover a piece, the longest is the outermost,
    of equally long ones the first.

    `seen` holds the marks (by `id()`) whose first piece has been written; it is filled here.
    """
    given = list(marks)
    spans = [(start - offset, end - offset, number) for number, mark in enumerate(given) for start, end in mark.spans]
    written = []
    for start, end, covering in pieces(len(text), spans):
        piece = escape(text[start:end])
        for number in sorted(set(covering), key=lambda number: (given[number].extent, -number)):
            mark = given[number]
            first = "" if id(mark) in seen else f" {mark.first}"
            seen.add(id(mark))
            piece = f"<span {mark.attributes}{first}>{piece}</span>"
        written.append(piece)
    return "".join(written)
