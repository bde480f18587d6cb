"""The columns of tables: the documentation has them, and TSV, CSV, Parquet and Python use them."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.datasets.articles import article
from corpora.errors import OptionError
from corpora.formats import columns, registry
from corpora.formats.format import Header
from corpora.model.document import Definition, add_definition, add_mention, add_occurrence, fresh_ids, set_identifiers
from corpora.model.short_forms import Inferred, add_inferred

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
    assert columns.WRITER.opening(Header()).decode().split() == list(columns.names(columns.MENTIONS))
    assert columns.TERMS_WRITER.opening(Header()).decode().split() == list(columns.names(columns.TERMS))


def test_the_name_of_other_concepts_is_removed() -> None:
    document = marked()
    [row] = columns.mention_rows(document)
    set_identifiers(row.mention, ["MESH:D015032", "LAB:1"])
    assert row.mention.concept_name == "Zinc | -"
    set_identifiers(row.mention, ["MESH:D007854"])
    assert row.mention.concept_name is None


# -- TSV and PubTator have short forms on demand, with the long form; mentions of chemicals are always there.


TEXT = "abscisic acid (ABA) and ABA in DA"


@pytest.fixture
def document() -> BioCDocument:
    """A definition, an occurrence of its short form, a short form with an inferred long form, and a mention."""
    made = BioCDocument()
    made.id = "1"
    passage = BioCPassage.of_text(TEXT)
    made.passages = [passage]
    ids = fresh_ids(made, "A")
    long_id = add_definition(passage, Definition("ABA", "abscisic acid", (15, 18), (0, 13)), ids)
    add_occurrence(made, passage, (24, 27), long_id, ids, same_passage=True)
    add_inferred(passage, Inferred("DA", "dopamine", (31, 33), 0.9), next(ids))
    add_mention(passage, [(0, 13)], id="C1", annotator=None)
    return made


def written(document: BioCDocument, path: Path, demanded: bool) -> tuple[str, list[str]]:
    said: list[str] = []
    corpora.write([document], path, report=said.append, with_abbreviations=demanded)
    return path.read_text("utf-8"), said


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def test_tsv_has_mentions_only_and_reports_what_it_leaves_out(document: BioCDocument, tmp_path: Path) -> None:
    text, said = written(document, tmp_path / "a.tsv", demanded=False)
    assert [(row["text"], row["type"]) for row in table(text)] == [("abscisic acid", "Chemical")]
    assert "long_form" not in text
    assert said == ["annotations of abbreviations (4) were left out; TSV has them with with_abbreviations=True"]


def test_tsv_has_short_forms_with_their_long_forms_on_demand(document: BioCDocument, tmp_path: Path) -> None:
    text, said = written(document, tmp_path / "a.tsv", demanded=True)
    columns = ("start", "text", "type", "long_form", "long_start", "long_end")
    assert [tuple(row[column] for column in columns) for row in table(text)] == [
        ("15", "ABA", "ABBR", "abscisic acid", "0", "13"),
        ("24", "ABA", "ABBR", "abscisic acid", "0", "13"),
        ("31", "DA", "ABBR", "dopamine", "", ""),
        ("0", "abscisic acid", "Chemical", "", "", ""),
    ]
    assert said == []


def test_pubtator_has_mentions_only_and_reports_what_it_leaves_out(document: BioCDocument, tmp_path: Path) -> None:
    text, said = written(document, tmp_path / "a.pubtator", demanded=False)
    assert text == f"1|t|{TEXT}\n1|a|\n1\t0\t13\tabscisic acid\tChemical\n\n"
    assert said == ["annotations of abbreviations (4) were left out; PubTator has them with with_abbreviations=True"]


def test_pubtator_has_short_forms_with_their_long_forms_on_demand(document: BioCDocument, tmp_path: Path) -> None:
    text, said = written(document, tmp_path / "a.pubtator", demanded=True)
    assert text.splitlines()[2:5] == [
        "1\t15\t18\tABA\tABBR\t\tabscisic acid", "1\t24\t27\tABA\tABBR\t\tabscisic acid",
        "1\t31\t33\tDA\tABBR\t\tdopamine",
    ]  # fmt: skip
    assert said == []
    (again,) = corpora.read(tmp_path / "a.pubtator")
    assert written(again, tmp_path / "b.pubtator", demanded=False)[0] == text


def test_other_formats_refuse_the_option(document: BioCDocument, tmp_path: Path) -> None:
    sentence = r"^with_abbreviations is for the formats pubtator, tsv, csv; it is not for biocxml; leave it out$"
    with pytest.raises(OptionError, match=sentence):
        written(document, tmp_path / "a.xml", demanded=True)
    assert list(tmp_path.iterdir()) == []
    assert {one.name for one in registry.formats() if one.with_abbreviations} == {"pubtator", "tsv", "csv"}
