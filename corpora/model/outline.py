"""The outline of an article: which passage is a heading, a caption, a table, and the rows of its tables.

The kinds of passages are the values of the infon `type` in NCBI's BioC-PMC service. If a file does not state them, a
passage that only names a section is a heading, and text with tabs in a section of tables is a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bioc import BioCDocument, BioCPassage
from lxml import etree

from corpora.errors import ArticleError
from corpora.model.passages import passage_kind, passage_label, passage_text, table_markup
from corpora.model.sections import ABSTRACT, TABLE, TITLE, section_of_heading
from corpora.parsing.safe_xml import parse_fragment

_HEADING = re.compile(r"(?:abstract_)?title(?:_(\d))?")
_CAPTION = re.compile(r"(?:fig|table)_(?:title_)?caption|(?:fig|table)_title|table_caption_title")
_NOTE = re.compile(r"table_foot(?:note)?(?:_title)?|footnote")


class PassageKind(StrEnum):
    """What a passage is."""

    TITLE = "title"
    HEADING = "heading"
    TEXT = "text"
    CAPTION = "caption"
    TABLE = "table"
    NOTE = "note"
    FORMULA = "formula"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Part:
    """What a passage is.

    `level`: of a heading, from 1. `label`: text before the passage that is not part of it (`Figure 1`). `rows`: of a
    table whose text does not separate rows, the number of cells with text in each row; empty where it is unknown.
    """

    kind: PassageKind
    level: int = 0
    label: str = ""
    rows: tuple[int, ...] = ()


def outline(document: BioCDocument, sections: Sequence[str]) -> tuple[Part, ...]:
    """The part of each passage. `sections`: the section of each passage (`corpora.model.sections.sections_of`)."""
    return tuple(_parts(document.passages, sections))


def _parts(passages: Sequence[BioCPassage], sections: Sequence[str]) -> Iterator[Part]:
    before = ""
    for number, (passage, section) in enumerate(zip(passages, sections, strict=True)):
        part = _part(passage, section, first=number == 0)
        label = part.label
        if label and label == before and part.kind is not PassageKind.REFERENCE:
            # Title, caption and cells of a table state the same label: it is shown once.
            part = Part(part.kind, part.level, "", part.rows)
        before = label
        yield part


def _part(passage: BioCPassage, section: str, first: bool) -> Part:
    kind, label, text = passage_kind(passage), passage_label(passage), passage_text(passage)
    if section == TITLE and (first or kind == "front"):
        return Part(PassageKind.TITLE, 1)
    if kind == "table" or (section == TABLE and "\t" in text):
        return Part(PassageKind.TABLE, 0, label, () if "\n" in text else _rows(table_markup(passage), text))
    if _CAPTION.fullmatch(kind):
        return Part(PassageKind.CAPTION, 0, label)
    if _NOTE.fullmatch(kind):
        return Part(PassageKind.NOTE, 0, label)
    if kind == "formula":
        return Part(PassageKind.FORMULA, 0, label)
    if kind == "ref":
        return Part(PassageKind.REFERENCE, 0, label)
    stated = _HEADING.fullmatch(kind)
    if (stated is None or section == TITLE) and not _names_section(text):
        return Part(PassageKind.TEXT)
    level = int(stated[1] or 1) if stated else 1
    # The parts of a structured abstract are below the abstract.
    below = section == ABSTRACT and section_of_heading(text) != ABSTRACT
    return Part(PassageKind.HEADING, level + below)


def _names_section(text: str) -> bool:
    return section_of_heading(text) is not None and not text.rstrip().endswith(".")


def _rows(markup: str, text: str) -> tuple[int, ...]:
    """The number of filled cells in each row of the table's XML; empty if they are not the cells of the text."""
    # Declarations could hide entities; the table of an article has none.
    if not markup or "<!" in markup:
        return ()
    try:
        root = parse_fragment(markup.encode("utf-8"))
    except (ArticleError, etree.XMLSyntaxError, ValueError):
        return ()
    rows = []
    for row in root.iter("{*}tr", "{*}row"):
        cells = [cell for cell in row.iter("{*}td", "{*}th", "{*}entry") if "".join(cell.itertext()).strip()]
        rows.append(len(cells))
    filled = sum(1 for cell in text.split("\t") if cell.strip())
    return tuple(rows) if sum(rows) == filled else ()
