"""The passages of an article page: headings, paragraphs, captions, tables and their cells; and the list of sections."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from corpora.model import sections
from corpora.model.sections import FIG, TABLE, TITLE, Part, PassageKind
from nlmchem.report.marks import Mark, MarkedSide, TextPiece, marked

_SECTIONS = {
    sections.INTRO: "Introduction",
    sections.METHODS: "Methods",
    sections.DISCUSS: "Discussion",
    sections.CONCL: "Conclusions",
    sections.REF: "References",
    sections.SUPPL: "Supplement",
    sections.ACK_FUND: "Acknowledgements and funding",
    sections.AUTH_CONT: "Author contributions",
    sections.COMP_INT: "Competing interests",
    sections.ABBR: "Abbreviations",
    sections.REVIEW_INFO: "Review",
    FIG: "Figures",
    TABLE: "Tables",
}
"""Section type -> heading. Other section types are shown capitalized."""
_UNNAMED = (TITLE, sections.OTHER, FIG, TABLE)
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


@dataclass(frozen=True, slots=True)
class Block:
    """A passage on every side."""

    kind: PassageKind
    label: str
    level: int
    """HTML level of a heading, 0 for other text."""
    element: str
    """Its HTML id, if it is a heading or has a label."""
    place: str
    """The name of its section."""
    section: str
    """This name, if the section begins here without a heading of its own."""
    section_element: str
    float: bool
    """Whether it belongs to a figure or table."""
    equal: bool
    """Whether both sides have the same text and mentions."""
    bodies: tuple[Body | None, ...]

    @property
    def text(self) -> str:
        """The text of the last side."""
        body = self.bodies[-1] or self.bodies[0]
        return "" if body is None else "".join(piece.text for piece in body.pieces)


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
        texts = {tuple(text for _, text in side.article.layout.passages[position : position + 1]) for side in sides}
        yield Block(
            part.kind,
            part.label,
            level,
            f"p{position}" if level or part.label else "",
            place,
            name,
            f"p{position}s" if name else "",
            floating,
            position not in differing and len(texts) == 1,
            tuple(_body(side, position, part) for side in sides),
        )


def _body(side: MarkedSide, position: int, part: Part) -> Body | None:
    if position >= len(side.article.layout.passages):
        return None
    offset, text = side.article.layout.passages[position]
    marks = side.passages[position]
    cells = grid(text, part) if part.kind is PassageKind.TABLE else None
    if cells is None:
        return Body(side.name, tuple(marked(offset, text, marks)))
    rows, known = cells
    return Body(side.name, (), marked_grid(offset, text, marks, rows), known)


def entries(given: Sequence[Block]) -> Iterator[tuple[str, str, int]]:
    """The list of sections: headings, and figures and tables that have a label.

    Text, HTML id, and HTML level of the heading; 0 for a figure or table.
    """
    for block in given:
        if block.section:
            yield block.section, block.section_element, 2
        if 0 < block.level <= LISTED:
            yield " ".join(block.text.split()), block.element, block.level
        elif block.float and block.label:
            yield block.label, block.element, 0


# -- cells of tables --------------------------------------------------------------------------


MOST_CELLS = 20_000
"""A larger table is shown as text."""

Grid = Sequence[Sequence[tuple[int, int]]]
"""The cells of a table as (start, end) in its text, row by row."""


def grid(text: str, part: Part) -> tuple[Grid, bool] | None:
    """The cells of a passage that is a table; None if it has one cell only, or more than `MOST_CELLS`.

    Line ends separate rows and tabs separate cells. Without line ends, rows have the numbers of filled cells in
    `part.rows`. If there are none, the rows of the source are not known (False), and there is one row.
    """
    rows: list[list[tuple[int, int]]] = []
    start = 0
    for line in text.split("\n"):
        rows.append([])
        for cell in line.split("\t"):
            rows[-1].append((start, start + len(cell)))
            start += len(cell) + 1
    number = sum(map(len, rows))
    if number < 2 or number > MOST_CELLS:
        return None
    if len(rows) > 1:
        return rows, True
    filled = [(start, end) for start, end in rows[0] if text[start:end].strip()]
    if not part.rows:
        return [filled], False
    following = iter(filled)
    return [list(islice(following, count)) for count in part.rows if count], True


def marked_grid(
    offset: int, text: str, marks: Iterable[Mark], rows: Grid
) -> tuple[tuple[tuple[TextPiece, ...], ...], ...]:
    """The pieces of each cell, row by row. `offset`: position of `text` in the document."""
    pieces = marked(offset, text, marks, {edge for row in rows for cell in row for edge in cell})
    starts: list[int] = []
    position = 0
    for piece in pieces:
        starts.append(position)
        position += len(piece.text)
    return tuple(
        tuple(tuple(pieces[bisect_left(starts, start) : bisect_left(starts, end)]) for start, end in row)
        for row in rows
    )
