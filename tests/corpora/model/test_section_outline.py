"""Which passage is a heading, a caption or a table, and the rows of tables."""

from __future__ import annotations

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.model.sections import Part, PassageKind, outline, sections_of


def document(*passages: tuple[str, dict[str, str]]) -> BioCDocument:
    """A document with these texts and infons."""
    made = BioCDocument()
    offset = 0
    for text, infons in passages:
        passage = BioCPassage()
        passage.text, passage.infons, passage.offset = text, dict(infons), offset
        made.add_passage(passage)
        offset += len(text) + 1
    return made


def parts(*passages: tuple[str, dict[str, str]]) -> list[Part]:
    made = document(*passages)
    return list(outline(made, sections_of(made)))


@pytest.mark.parametrize(
    ("section", "kind", "expected"),
    [
        ("INTRO", "title_1", Part(PassageKind.HEADING, 1)),
        ("METHODS", "title_2", Part(PassageKind.HEADING, 2)),
        ("REF", "title", Part(PassageKind.HEADING, 1)),
        ("ABSTRACT", "abstract_title_1", Part(PassageKind.HEADING, 2)),
        ("ABSTRACT", "abstract", Part(PassageKind.TEXT)),
        ("FIG", "fig_title_caption", Part(PassageKind.CAPTION)),
        ("FIG", "fig_caption", Part(PassageKind.CAPTION)),
        ("TABLE", "table_caption", Part(PassageKind.CAPTION)),
        ("TABLE", "table_foot", Part(PassageKind.NOTE)),
        ("TABLE", "table_footnote", Part(PassageKind.NOTE)),
        ("TABLE", "table", Part(PassageKind.TABLE)),
        ("REF", "ref", Part(PassageKind.REFERENCE)),
        ("RESULTS", "formula", Part(PassageKind.FORMULA)),
        ("RESULTS", "paragraph", Part(PassageKind.TEXT)),
    ],
)
def test_the_kind_of_pmc_decides(section: str, kind: str, expected: Part) -> None:
    found = parts(("A title", {"section_type": "TITLE"}), ("some text", {"section_type": section, "type": kind}))
    assert found == [Part(PassageKind.TITLE, 1), expected]


def test_without_kinds_a_passage_that_names_a_section_is_a_heading() -> None:
    found = parts(("Zinc in yeast", {}), ("We measured zinc.", {}), ("2. Methods", {}), ("Yeast was grown.", {}))
    assert found == [
        Part(PassageKind.TITLE, 1),
        Part(PassageKind.TEXT),
        Part(PassageKind.HEADING, 1),
        Part(PassageKind.TEXT),
    ]


def test_the_heading_abstract_is_above_the_parts_of_the_abstract() -> None:
    stated = {"section_type": "ABSTRACT", "type": "abstract_title_1"}
    found = parts(("Zinc", {"section_type": "TITLE"}), ("ABSTRACT", stated), ("Background", stated))
    assert [part.level for part in found] == [1, 1, 2]


def test_a_label_is_shown_once_for_a_figure() -> None:
    figure = {"section_type": "FIG", "label": "Figure 1"}
    found = parts(
        ("Zinc", {"section_type": "TITLE"}),
        ("Order of events.", {**figure, "type": "fig_title_caption"}),
        ("Bars are means.", {**figure, "type": "fig_caption"}),
        ("Next.", {"section_type": "FIG", "label": "Figure 2", "type": "fig_caption"}),
    )
    assert [part.label for part in found] == ["", "Figure 1", "", "Figure 2"]


@pytest.mark.parametrize(
    ("text", "markup", "rows"),
    [
        ("a\tb\tc\td", "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>", (2, 2)),
        ("a\t\t \tc\td", "<table><tr><th>a</th><th/></tr><tr><td>c</td><td>d</td></tr></table>", (1, 2)),
        ("a\tb\tc", "<table><tr><th>a</th><th>b</th></tr></table>", ()),
        ("a\tb", "<table><tr><th>a</th>", ()),
        ("a\tb", "", ()),
        ("a\tb", '<!DOCTYPE t [<!ENTITY x "a">]><table><tr><td>&x;</td><td>b</td></tr></table>', ()),
        ("a\tb\nc\td", "<table><tr><td>a</td><td>b</td><td>c</td><td>d</td></tr></table>", ()),
    ],
)
def test_rows_are_those_of_the_xml_if_it_has_the_cells_of_the_text(text: str, markup: str, rows: tuple) -> None:
    infons = {"section_type": "TABLE", "type": "table", "xml": markup}
    assert parts(("Zinc", {"section_type": "TITLE"}), (text, infons))[1] == Part(PassageKind.TABLE, 0, "", rows)
