"""TSV: one row for each annotation, readable by any program that splits at tabs and line feeds."""

from __future__ import annotations

import io

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCRelation
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ArticleError
from corpora.formats import tsv
from corpora.formats.header import Header
from corpora.model.document import Evidence, IndexTerm, add_index_term, add_mention, set_identifiers, set_probability


def never(sentence: str) -> None:
    pytest.fail(f"nothing to report was expected, but: {sentence}")


def document() -> BioCDocument:
    made = BioCDocument()
    made.id = "9900001"
    passage = BioCPassage()
    passage.offset, passage.text = 10, "docosahexaenoic and eicosapentaenoic acids"
    passage.infons = {"section_type": "RESULTS"}
    made.add_passage(passage)
    return made


def rows(*documents: BioCDocument) -> list[dict[str, str]]:
    """The table, read by splitting at tabs and line feeds and replacing the four escapes."""
    parts = [tsv.dumps(document, never) for document in documents]
    whole = tsv.opening(Header()) + b"".join(parts)
    head, *lines = whole.decode().removesuffix("\n").split("\n")
    names = head.split("\t")
    return [dict(zip(names, map(unescaped, line.split("\t")), strict=True)) for line in lines]


def unescaped(value: str) -> str:
    characters = iter(value)
    meaning = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r", "=": "=", "+": "+", "@": "@", "-": "-"}
    return "".join(meaning[next(characters)] if c == "\\" else c for c in characters)


def test_a_mention_is_a_row_with_its_evidence() -> None:
    made = document()
    mention = add_mention(made.passages[0], [(30, 52)], id="C1", annotator="nlmchem:lexicon@0123", score=0.9)
    evidence = Evidence("exact", 0.75, "Eicosapentaenoic Acid", 0.98)
    set_identifiers(mention, ["MESH:D015118", "MESH:D004281"], evidence)
    set_probability(mention, 0.91)
    assert rows(made) == [
        {
            "document": "9900001",
            "passage_offset": "10",
            "section_type": "RESULTS",
            "start": "30",
            "end": "52",
            "text": "eicosapentaenoic acids",
            "type": "Chemical",
            "identifier": "MESH:D015118,MESH:D004281",
            "matched_name": "Eicosapentaenoic Acid",
            "sieve": "exact",
            "score": "0.7500",
            "annotator": "nlmchem:lexicon@0123",
            "probability": "0.9100",
            "identifier_probability": "0.9800",
        }
    ]


def test_the_first_line_has_the_column_names() -> None:
    assert tsv.opening(Header()).decode().rstrip("\n").split("\t") == list(tsv.COLUMNS)


def test_several_locations_are_joined_by_a_semicolon() -> None:
    made = document()
    add_mention(made.passages[0], [(10, 25), (47, 52)], id="C1", annotator="a")
    [row] = rows(made)
    assert (row["start"], row["end"], row["text"]) == ("10;47", "25;52", "docosahexaenoic acids")


def test_no_concept_looked_up_and_none_found_differ() -> None:
    made = document()
    add_mention(made.passages[0], [(10, 25)], id="C1", annotator="a")
    set_identifiers(add_mention(made.passages[0], [(30, 46)], id="C2", annotator="a"), [])
    assert [row["identifier"] for row in rows(made)] == ["", "-"]


def test_mentions_of_any_type_and_index_terms_have_rows() -> None:
    made = document()
    add_mention(made.passages[0], [(10, 25)], id="D1", annotator="a", type="Disease")
    add_index_term(made, IndexTerm("MESH:D004281", "Docosahexaenoic Acids", 0.5))
    mention, term = rows(made)
    assert mention["type"] == "Disease"
    assert (term["type"], term["start"], term["end"]) == ("MeSH_Indexing_Chemical", "", "")
    assert (term["identifier"], term["matched_name"]) == ("MESH:D004281", "Docosahexaenoic Acids")


def test_a_mention_at_document_level_has_no_passage() -> None:
    made = document()
    annotation = BioCAnnotation()
    annotation.text, annotation.infons = "acids", {"type": "Chemical"}
    annotation.add_location(BioCLocation(47, 5))
    made.annotations.append(annotation)
    [row] = rows(made)
    assert (row["passage_offset"], row["section_type"], row["start"]) == ("", "", "47")


def test_a_document_without_annotations_has_no_rows() -> None:
    assert tsv.dumps(document(), never) == b""


def test_relations_are_reported_as_left_out() -> None:
    made = document()
    made.passages[0].add_relation(BioCRelation())
    reports: list[str] = []
    tsv.dumps(made, reports.append)
    assert reports == ["left out, because TSV cannot store it: relations (1)"]


def test_a_lone_surrogate_fails_the_article() -> None:
    made = document()
    add_mention(made.passages[0], [(10, 25)], id="C1", annotator="\ud835")
    with pytest.raises(ArticleError, match=r"row 1 .*U\+D835"):
        tsv.dumps(made, never)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_any_value_is_read_back_unchanged(values: list[str]) -> None:
    made = document()
    for number, value in enumerate(values):
        mention = add_mention(made.passages[0], [(10, 25)], id=f"C{number}", annotator="a")
        mention.annotation.text = value
        mention.annotation.infons["identifier"] = value
    found = rows(made, made)
    assert [row["text"] for row in found] == values * 2
    assert [row["identifier"] for row in found] == values * 2


def test_pandas_reads_the_table() -> None:
    pandas = pytest.importorskip("pandas")
    made = document()
    mention = add_mention(made.passages[0], [(10, 25)], id="C1", annotator="a")
    for text in ('NA "quoted\t', "NA"):
        mention.annotation.text = text
        whole = tsv.opening(Header()) + tsv.dumps(made, never)
        frame = pandas.read_csv(io.BytesIO(whole), sep="\t", quoting=3, dtype=str, keep_default_na=False)
        assert list(frame.columns) == list(tsv.COLUMNS)
        assert unescaped(frame["text"][0]) == text


@pytest.mark.parametrize("value", ["=1+1", "+1", "@A1", "-2+3", "-OH"])
def test_a_cell_that_a_spreadsheet_would_compute_begins_with_a_backslash(value: str) -> None:
    made = document()
    made.id = value
    add_mention(made.passages[0], [(10, 25)], id="C1", annotator="a")
    assert tsv.dumps(made, never).startswith(b"\\" + value.encode() + b"\t")
    assert rows(made)[0]["document"] == value
