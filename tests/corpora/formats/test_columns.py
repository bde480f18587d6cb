"""The columns of tables: the documentation has them, and TSV, CSV, Parquet and Python use them."""

from __future__ import annotations

import re
from pathlib import Path

from bioc import BioCDocument

from corpora.datasets.articles import article
from corpora.formats import columns, tsv
from corpora.formats.format import Header
from corpora.model.document import add_mention, set_identifiers

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "tables.md"


def marked() -> BioCDocument:
    document = article("77", [("Zinc and lead", "TITLE", "front")])
    mention = add_mention(document.passages[0], [(0, 4)], id="1", annotator=None)
    set_identifiers(mention, ["MESH:D015032", "LAB:1"], name="Zinc | -")
    return document


def test_the_page_has_the_columns_of_both_tables() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert rows == [(column.name, column.type, column.meaning) for column in (*columns.MENTIONS, *columns.TERMS)]
    assert f"version {columns.VERSION} of the columns" in PAGE.read_text("utf-8")


def test_names_of_columns_are_unique() -> None:
    for table in (columns.MENTIONS, columns.TERMS):
        assert len(set(columns.names(table))) == len(table)


def test_each_row_has_all_columns_in_their_order() -> None:
    [row] = (columns.cells(columns.MENTIONS, found) for found in columns.mention_rows(marked()))
    assert tuple(row) == columns.names(columns.MENTIONS)
    assert (row["identifier"], row["name"], row["section"]) == ("MESH:D015032,LAB:1", "Zinc | -", "TITLE")


def test_the_first_line_of_a_file_is_that_of_the_table() -> None:
    assert tsv.WRITER.opening(Header()).decode().split() == list(columns.names(columns.MENTIONS))
    assert tsv.TERMS_WRITER.opening(Header()).decode().split() == list(columns.names(columns.TERMS))


def test_the_name_of_other_concepts_is_removed() -> None:
    document = marked()
    [row] = columns.mention_rows(document)
    set_identifiers(row.mention, ["MESH:D015032", "LAB:1"])
    assert row.mention.concept_name == "Zinc | -"
    set_identifiers(row.mention, ["MESH:D007854"])
    assert row.mention.concept_name is None
