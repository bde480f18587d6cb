"""TSV and CSV: one row for each mention, quoted as RFC 4180 states it, and a table of index terms."""

from __future__ import annotations

import csv
import io

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCRelation
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ArticleError
from corpora.formats import columns
from corpora.formats.format import Header, Joined
from corpora.model.document import Evidence, IndexTerm, add_index_term, add_mention, set_identifiers, set_probability
from corpora.model.metadata import set_source_file
from corpora.reporting import no_formula


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
    """The table, read as the csv module of Python reads it."""
    whole = columns.WRITER.opening(Header()) + b"".join(columns.WRITER.dumps(document, never) for document in documents)
    # As in RFC 4180, a line break inside quotes belongs to the cell.
    return list(csv.DictReader(io.StringIO(whole.decode(), newline=""), delimiter="\t"))


def test_a_mention_is_a_row_with_its_evidence() -> None:
    made = document()
    mention = add_mention(made.passages[0], [(30, 52)], id="C1", annotator="nlmchem:lexicon@0123", score=0.9)
    evidence = Evidence("exact", 0.6, "Eicosapentaenoic Acid", 0.98)
    set_identifiers(mention, ["MESH:D015118", "MESH:D004281"], evidence, "Eicosapentaenoic Acid | -")
    made.infons |= {"article-id_pmc": "77", "article-id_pmid": "99"}
    set_source_file(made, "a.zip", "b.xml")
    set_probability(mention, 0.75)
    assert rows(made) == [
        {
            "file": "a.zip/b.xml",
            "document": "9900001",
            "pmid": "99",
            "pmcid": "PMC77",
            "section": "RESULTS",
            "start": "30",
            "end": "52",
            "text": "eicosapentaenoic acids",
            "type": "Chemical",
            "identifier": "MESH:D015118,MESH:D004281",
            "name": "Eicosapentaenoic Acid | -",
            "probability": "0.7500",
            "identifier_probability": "0.9800",
            "sieve": "exact",
            "matched_name": "Eicosapentaenoic Acid",
        }
    ]


def test_the_first_line_has_the_column_names() -> None:
    line = "\t".join(columns.names(columns.MENTIONS))
    assert columns.WRITER.opening(Header()).decode() == f"{line}\n"
    # Excel reads Greek letters after a byte order mark only.
    assert columns.CSV_WRITER.opening(Header()) == b"\xef\xbb\xbf" + line.replace("\t", ",").encode() + b"\n"


def test_several_pieces_go_from_the_first_to_the_last_and_their_places_are_reported() -> None:
    made = document()
    add_mention(made.passages[0], [(10, 25), (47, 52)], id="C1", annotator="a")
    reports: list[str] = []
    row = columns.dumps(made, reports.append).decode().split("\t")
    assert row[5:8] == ["10", "52", "docosahexaenoic acids"]
    assert reports == ["left out, because TSV cannot store it: places of the pieces of a mention (2)"]


def test_a_mention_without_concept_has_an_empty_cell() -> None:
    made = document()
    add_mention(made.passages[0], [(10, 25)], id="C1", annotator="a")
    set_identifiers(add_mention(made.passages[0], [(30, 46)], id="C2", annotator="a"), [])
    assert [row["identifier"] for row in rows(made)] == ["", ""]


def test_mentions_of_any_type_have_rows() -> None:
    made = document()
    add_mention(made.passages[0], [(10, 25)], id="D1", annotator="a", type="Disease")
    assert [row["type"] for row in rows(made)] == ["Disease"]


def test_index_terms_have_a_table_of_their_own() -> None:
    made = document()
    add_index_term(made, IndexTerm("MESH:D004281", "Docosahexaenoic Acids", 0.5))
    reports: list[str] = []
    assert columns.dumps(made, reports.append) == b""
    assert reports == ["left out, because TSV cannot store it: index terms, which have a table of their own (1)"]
    whole = columns.CSV_TERMS_WRITER.opening(Header()) + columns.CSV_TERMS_WRITER.dumps(made, never)
    assert list(csv.DictReader(io.StringIO(whole.decode("utf-8-sig")))) == [
        {
            "file": "",
            "document": "9900001",
            "pmid": "",
            "pmcid": "",
            "identifier": "MESH:D004281",
            "name": "Docosahexaenoic Acids",
            "score": "0.5000",
        }
    ]


def test_a_mention_at_document_level_has_no_passage() -> None:
    made = document()
    annotation = BioCAnnotation()
    annotation.text, annotation.infons = "acids", {"type": "Chemical"}
    annotation.add_location(BioCLocation(47, 5))
    made.annotations.append(annotation)
    [row] = rows(made)
    assert (row["section"], row["start"]) == ("", "47")


def test_a_document_without_annotations_has_no_rows() -> None:
    assert columns.dumps(document(), never) == b""


def test_relations_are_reported_as_left_out() -> None:
    made = document()
    made.passages[0].add_relation(BioCRelation())
    reports: list[str] = []
    columns.dumps(made, reports.append)
    assert reports == ["left out, because TSV cannot store it: relations (1)"]


def test_a_lone_surrogate_fails_the_article() -> None:
    made = document()
    mention = add_mention(made.passages[0], [(10, 25)], id="C1", annotator=None)
    set_identifiers(mention, ["MESH:D1"], Evidence(matched_name="\ud835"))
    with pytest.raises(ArticleError, match=r"U\+D835"):
        columns.dumps(made, never)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_any_value_is_read_back_unchanged_but_for_the_backslash_before_a_formula(values: list[str]) -> None:
    made = document()
    for number, value in enumerate(values):
        mention = add_mention(made.passages[0], [(10, 25)], id=f"C{number}", annotator="a")
        mention.annotation.text = value
    assert [row["text"] for row in rows(made, made)] == list(map(no_formula, values)) * 2


@pytest.mark.parametrize(("writer", "separator"), [(columns.WRITER, "\t"), (columns.CSV_WRITER, ",")])
def test_pandas_reads_the_table_as_it_is(writer: Joined, separator: str) -> None:
    pandas = pytest.importorskip("pandas")
    made = document()
    mention = add_mention(made.passages[0], [(10, 25)], id="C1", annotator="a")
    set_probability(mention, 0.5)
    for text in ('\u03b1 "quoted"\t,\nline', '"', "NA"):
        mention.annotation.text = text
        whole = writer.opening(Header()) + writer.dumps(made, never)
        frame = pandas.read_csv(io.BytesIO(whole), sep=separator, keep_default_na=False, na_values=[""])
        assert tuple(frame.columns) == columns.names(columns.MENTIONS)
        assert (frame["text"][0], int(frame["start"][0]), frame["probability"][0]) == (text, 10, 0.5)


@pytest.mark.parametrize("value", ["=1+1", "+1", "@A1", "-2+3", "-OH"])
def test_a_cell_that_a_spreadsheet_would_compute_begins_with_a_backslash(value: str) -> None:
    made = document()
    made.id = value
    add_mention(made.passages[0], [(10, 25)], id="C1", annotator="a")
    assert rows(made)[0]["document"] == f"\\{value}"
