"""The rows and cells of a table in the text of its passage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from corpora.model.outline import Part
from nlmchem.report.marking import Mark, Piece, marked

__all__ = ["Grid", "grid", "marked_grid"]

MOST_CELLS = 20_000
"""A larger table is shown as text."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table as (start, end) in its text, row by row. `known`: whether the rows are those of the source.

    If they are not known, there is one row.
    """

    rows: tuple[tuple[tuple[int, int], ...], ...]
    known: bool


def grid(text: str, part: Part) -> Grid | None:
    """The cells of a passage that is a table; None if it has one cell only, or more than `MOST_CELLS`.

    Line ends separate rows and tabs separate cells. Without line ends, rows have the numbers of filled cells in
    `part.rows`.
    """
    rows = [list(_spans(text, "\t", start, end)) for start, end in _spans(text, "\n", 0, len(text))]
    number = sum(map(len, rows))
    if number < 2 or number > MOST_CELLS:
        return None
    if len(rows) > 1:
        return Grid(tuple(map(tuple, rows)), True)
    filled = iter([(start, end) for start, end in rows[0] if text[start:end].strip()])
    if part.rows:
        return Grid(tuple(tuple(islice(filled, count)) for count in part.rows if count), True)
    return Grid((tuple(filled),), False)


def marked_grid(offset: int, text: str, marks: Iterable[Mark], cells: Grid) -> list[list[list[Piece]]]:
    """The pieces of each cell, row by row. `offset`: position of `text` in the document."""
    given = list(marks)
    edges = {edge for row in cells.rows for cell in row for edge in cell}
    pieces = marked(offset, text, given, edges)
    starts: dict[int, int] = {}
    position = 0
    for number, piece in enumerate(pieces):
        starts[position] = number
        position += len(piece.text)
    return [[list(_between(pieces, starts, start, end)) for start, end in row] for row in cells.rows]


def _between(pieces: Sequence[Piece], starts: dict[int, int], start: int, end: int) -> Iterator[Piece]:
    number = starts.get(start, len(pieces))
    while start < end:
        yield pieces[number]
        start += len(pieces[number].text)
        number += 1


def _spans(text: str, separator: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans between separators, from `start` to `end`."""
    while True:
        at = text.find(separator, start, end)
        if at < 0:
            yield start, end
            return
        yield start, at
        start = at + 1
