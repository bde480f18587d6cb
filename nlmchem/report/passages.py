"""The passages of an article page: headings, paragraphs, captions, tables and their cells; and the list of sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from corpora.model.sections import (
    ABBR,
    ACK_FUND,
    AUTH_CONT,
    COMP_INT,
    CONCL,
    DISCUSS,
    FIG,
    INTRO,
    METHODS,
    OTHER,
    REF,
    REVIEW_INFO,
    SUPPL,
    TABLE,
    TITLE,
    Part,
    PassageKind,
)
from nlmchem.report.marks import Mark, MarkedSide, TextPiece, marked

_SECTIONS = {
    INTRO: "Introduction",
    METHODS: "Methods",
    DISCUSS: "Discussion",
    CONCL: "Conclusions",
    REF: "References",
    SUPPL: "Supplement",
    ACK_FUND: "Acknowledgements and funding",
    AUTH_CONT: "Author contributions",
    COMP_INT: "Competing interests",
    ABBR: "Abbreviations",
    REVIEW_INFO: "Review",
    FIG: "Figures",
    TABLE: "Tables",
}
"""Section type -> heading. Other section types are shown capitalized."""
_UNNAMED = (TITLE, OTHER, FIG, TABLE)
_DEEPEST = 4
"""The smallest heading of a page."""
LISTED = 3
"""Headings up to this HTML level are in the list of sections."""


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a passage on one side: `pieces`, or `rows` of cells if it is a table with more than one cell.

    `known`: whether the rows are those of the source.
    """

    side: str
    pieces: tuple[TextPiece, ...] = ()
    rows: tuple[tuple[tuple[TextPiece, ...], ...], ...] = ()
    known: bool = True

    @property
    def widest(self) -> int:
        """The number of cells in the longest row."""
        return max(map(len, self.rows), default=0)


@dataclass(frozen=True, slots=True)
class Block:
    """A passage on every side.

    `place`: the name of its section. `section`: this name, if the section begins here without a heading of its own;
    `section_element`: its HTML id.
    `level`: HTML level of a heading, 0 for other text. `element`: its HTML id. `float`: whether it belongs to a figure
    or table. `equal`: whether both sides have the same text and mentions.
    """

    kind: PassageKind
    label: str
    level: int
    element: str
    place: str
    section: str
    section_element: str
    float: bool
    equal: bool
    bodies: tuple[Body | None, ...]

    @property
    def text(self) -> str:
        """The text of the last side."""
        body = self.bodies[-1] or self.bodies[0]
        return "" if body is None else "".join(piece.text for piece in body.pieces)


@dataclass(frozen=True, slots=True)
class SectionEntry:
    """An entry in the list of sections. `level`: HTML level of its heading; 0 for a figure or table."""

    text: str
    element: str
    level: int


def blocks(sides: Sequence[MarkedSide]) -> Iterator[Block]:
    """The passages of all sides, side by side. Sections and parts come from the prediction, the last side."""
    article = sides[-1].article
    number = max(len(side.article.layout.passages) for side in sides)
    differing = set().union(*(side.differing for side in sides))
    before = TITLE
    for position in range(number):
        inside = position < len(article.layout.passages)
        part = article.parts[position] if position < len(article.parts) else Part(PassageKind.TEXT)
        section = article.sections[position] if inside else before
        floating = section in (FIG, TABLE) or part.kind in (PassageKind.CAPTION, PassageKind.TABLE)
        level = min(part.level + 1, _DEEPEST) if part.kind is PassageKind.HEADING and not floating else 0
        place = _SECTIONS.get(section, section.capitalize())
        name = ""
        if not floating and section != before:
            before = section
            if level != 2 and section not in _UNNAMED:
                name = place
        yield Block(
            part.kind,
            part.label,
            level,
            f"p{position}" if level or part.label else "",
            place,
            name,
            f"p{position}s" if name else "",
            floating,
            position not in differing and _same_text(sides, position),
            tuple(_body(side, position, part) for side in sides),
        )


def _same_text(sides: Sequence[MarkedSide], position: int) -> bool:
    texts = {side.article.layout.passages[position : position + 1] for side in sides}
    return len({tuple(text for _, text in passages) for passages in texts}) == 1


def _body(side: MarkedSide, position: int, part: Part) -> Body | None:
    if position >= len(side.article.layout.passages):
        return None
    offset, text = side.article.layout.passages[position]
    marks = side.passages[position]
    cells: Grid | None = grid(text, part) if part.kind is PassageKind.TABLE else None
    if cells is None:
        return Body(side.name, tuple(marked(offset, text, marks)))
    rows = marked_grid(offset, text, marks, cells)
    return Body(side.name, (), tuple(tuple(map(tuple, row)) for row in rows), cells.known)


def entries(given: Sequence[Block]) -> Iterator[SectionEntry]:
    """The list of sections: headings, and figures and tables that have a label."""
    for block in given:
        if block.section:
            yield SectionEntry(block.section, block.section_element, 2)
        if 0 < block.level <= LISTED:
            yield SectionEntry(" ".join(block.text.split()), block.element, block.level)
        elif block.float and block.label:
            yield SectionEntry(block.label, block.element, 0)


# -- cells of tables --------------------------------------------------------------------------


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


def marked_grid(offset: int, text: str, marks: Iterable[Mark], cells: Grid) -> list[list[list[TextPiece]]]:
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


def _between(pieces: Sequence[TextPiece], starts: dict[int, int], start: int, end: int) -> Iterator[TextPiece]:
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
