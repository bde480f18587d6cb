"""TSV and PubTator have short forms on demand, with the long form; mentions of chemicals are always there."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.errors import OptionError
from corpora.formats import registry
from corpora.model.abbreviations import add_definition, add_occurrence
from corpora.model.document import Definition, add_mention, fresh_ids
from corpora.model.inferred import Inferred, add_inferred

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
