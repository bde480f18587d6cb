"""Text with marks: marks may overlap, contain each other and have several spans. The result nests correctly as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from corpora.model.document import Span

_NO_ATTRIBUTES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark at `spans` (offsets in the document); each of its pieces becomes one HTML element.

    `attributes`: HTML attributes of every piece. `first` and `last`: further attributes of its first piece (id, tab
    order) and of its last piece.
    """

    spans: tuple[Span, ...]
    attributes: Mapping[str, str]
    first: Mapping[str, str] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)

    @property
    def extent(self) -> int:
        """The number of marked characters."""
        return sum(end - start for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text and the attributes of the elements around it, the outermost first."""

    text: str
    elements: tuple[Mapping[str, str], ...]


def cut(
    length: int, spans: Sequence[tuple[int, int, int]], breaks: Iterable[int] = ()
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Cut 0..`length` at the start and end of every span (start, end, number), and at `breaks`.

    Yields (start, end, numbers of the spans that cover this stretch).
    """
    edges = {0, length, *breaks}
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


def marked(offset: int, text: str, marks: Iterable[Mark], breaks: Iterable[int] = ()) -> list[TextPiece]:
    """The pieces of a passage. Of several marks over one piece, the longest is the outermost; ties: the first mark.

    `offset`: position of `text` in the document. `breaks`: positions in `text` before which a new piece begins, in
    addition to the ends of marks.
    """
    given = list(marks)
    spans = [(start - offset, end - offset, number) for number, mark in enumerate(given) for start, end in mark.spans]
    stretches = [
        (start, end, sorted(set(covering), key=lambda number: (-given[number].extent, number)))
        for start, end, covering in cut(len(text), spans, breaks)
    ]
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    # White space between the cells of a table is not shown: marks begin and end at visible pieces, if they have any.
    visible = [position for position, (start, end, _) in enumerate(stretches) if not text[start:end].isspace()]
    for position in (*visible, *range(len(stretches))):
        for number in stretches[position][2]:
            firsts.setdefault(number, position)
    for position in (*reversed(visible), *reversed(range(len(stretches)))):
        for number in stretches[position][2]:
            lasts.setdefault(number, position)
    return [
        TextPiece(
            text[start:end],
            tuple(
                {
                    **given[number].attributes,
                    **(given[number].first if firsts[number] == position else _NO_ATTRIBUTES),
                    **(given[number].last if lasts[number] == position else _NO_ATTRIBUTES),
                }
                for number in covering
            ),
        )
        for position, (start, end, covering) in enumerate(stretches)
    ]
