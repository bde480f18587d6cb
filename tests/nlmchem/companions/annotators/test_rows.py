"""Lists of mentions in the shapes that other tools write."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from corpora.errors import InputError
from nlmchem.companions.annotators import rows
from nlmchem.companions.annotators.rows import Row, parse, read_rows


def read(value: object) -> list[Row]:
    return list(parse(value if isinstance(value, str) else json.dumps(value), "m"))


def facts(row: Row) -> dict[str, object]:
    names = ("document", "text", "quote", "quote_start", "start", "end", "identifier", "label", "score", "run")
    return {name: getattr(row, name) for name in names if getattr(row, name) is not None}


def test_a_language_model_gives_names_under_their_article() -> None:
    rows = read('{"pmid": 12, "chemicals": ["zinc", {"name": "NO", "mesh_id": "D009569", "confidence": 90}]}\n' * 2)
    assert len(rows) == 4
    assert [facts(row) for row in rows[:2]] == [
        {"document": "12", "text": "zinc"},
        {"document": "12", "text": "NO", "identifier": "D009569", "score": 90.0},
    ]
    assert rows[1].place == "m, line 1, mention 2"


def test_articles_may_be_the_keys() -> None:
    assert [facts(row) for row in read({"PMC1": ["zinc"], "PMC2": [{"text": "NO"}]})] == [
        {"document": "PMC1", "text": "zinc"},
        {"document": "PMC2", "text": "NO"},
    ]


def test_hugging_face() -> None:
    [row] = read([{"entity_group": "CHEM", "score": 0.99, "word": "zinc", "start": 3, "end": 7}])
    assert facts(row) == {"text": "zinc", "start": 3, "end": 7, "label": "CHEM", "score": 0.99}


def test_spacy_and_gliner_offsets_are_places_in_their_text() -> None:
    [row] = read({"text": "Low zinc.", "ents": [{"start": 4, "end": 8, "label": "CHEMICAL"}]})
    assert facts(row) == {"text": "zinc", "quote": "Low zinc.", "quote_start": 4, "label": "CHEMICAL"}
    [row] = read(
        {"id": "7", "text": "Low zinc.", "entities": [{"start": 4, "end": 8, "text": "zinc", "label": "drug"}]}
    )
    assert facts(row)["quote_start"] == 4


def test_langextract() -> None:
    line = {
        "document_id": "d1",
        "text": "Low zinc.",
        "extractions": [
            {
                "extraction_class": "chemical",
                "extraction_text": "zinc",
                "char_interval": {"start_pos": 4, "end_pos": 8},
            },
            {"extraction_class": "chemical", "extraction_text": "iron", "char_interval": None},
        ],
    }
    first, second = read(line)
    assert facts(first) == {
        "document": "d1", "text": "zinc", "quote": "Low zinc.", "quote_start": 4, "label": "chemical",
    }  # fmt: skip
    assert facts(second) == {"document": "d1", "text": "iron", "quote": "Low zinc.", "label": "chemical"}


def test_europe_pmc() -> None:
    answer = {
        "extId": "123",
        "annotations": [
            {"prefix": "Low ", "exact": "zinc", "postfix": ".", "type": "Chemicals",
             "tags": [{"name": "zinc", "uri": "http://purl.obolibrary.org/obo/CHEBI_27363"}]},
        ],
    }  # fmt: skip
    [row] = read([answer])
    assert facts(row) == {
        "document": "123", "text": "zinc", "quote": "Low zinc.", "quote_start": 4, "label": "Chemicals",
        "identifier": "http://purl.obolibrary.org/obo/CHEBI_27363",
    }  # fmt: skip


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_tables(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(delimiter.join(("PMID", "Mention", "MeSH ID")) + "\r\n" + delimiter.join(("1", "zinc", "D015032")))
    assert [facts(row) for row in read_rows(str(path))] == [{"document": "1", "text": "zinc", "identifier": "D015032"}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "m: it is empty; give a file of mentions"),
        ("{", "m: it is not JSON"),
        ('{"text": "a"}\n{"text": \n', "m, line 2: it is not JSON"),
        ("[3]", "m, row 1: it is 3, and not a mention"),
        ("a,b\n1,2", "its first line names no column with the text of mentions (a, b)"),
        ("text,start\nzinc,soon", "m, line 2: start is 'soon', and not a place in a text"),
        ("text,label\nzinc,a,b", "m, line 2: it has 3 cells, but the first line has 2"),
        ('{"text": "a", "score": 700}', "m, row 1: the score is 700; use a number from 0 to 1"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_row(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"text": "zinc", "run": "a\x01"}, "m, row 1: the run contains U+0001, which XML forbids; correct it"),
        ({"text": "zinc", "mesh": ["D1", "LAB:\ud800x"]}, "m, row 1: the identifier contains U+D800"),
        ({"model": "a\x01", "mentions": ["x", {"text": "zinc"}]}, "m, row 1: the run contains U+0001"),
    ],
)
def test_what_cannot_be_written_into_articles_is_refused_with_its_row(row: object, sentence: str) -> None:
    """Otherwise the article would be refused, and with it all others of the output."""
    with pytest.raises(InputError) as raised:
        read([row])
    assert str(raised.value).startswith(sentence)


def test_a_number_of_any_size_may_be_an_id() -> None:
    big = 10**400
    assert [facts(row)["document"] for row in read([{"id": 12.0, "text": "a"}, {"id": big, "text": "a"}])] == [
        "12",
        str(big),
    ]


def test_a_file_is_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_FILE", 1 << 20)
    (tmp_path / "m.json.gz").write_bytes(gzip.compress(b" " * (1 << 20) + b"[]"))
    with pytest.raises(InputError, match=r"m\.json\.gz: it has more than 1 MB; divide it into several files"):
        list(read_rows(str(tmp_path / "m.json.gz")))


def test_an_empty_list_of_mentions_is_an_answer() -> None:
    nested = {"document": "1", "passage": 18, "mentions": []}
    assert [(row.document, row.passage, row.says_none) for row in read(nested)] == [("1", 18, True)]
    assert [(row.document, row.says_none) for row in read({"1": [], "2": ["zinc"]})] == [("1", True), ("2", False)]
    # Another list has the mentions, or none is there.
    assert [row.text for row in read({"document": "1", "mentions": [], "chemicals": ["zinc"]})] == ["zinc"]
    assert read({"documents": []}) == read({"document": "1", "error": "no connection", "mentions": []}) == []
    assert [row.says_none for row in read({"document": "1", "mentions": None})] == [False]


def test_a_quotation_mark_that_nothing_closes_takes_no_other_rows() -> None:
    rows = read('document\ttext\tidentifier\n1\t"zinc\tMESH:D015032\n2\tiron\tMESH:D007501\n3\t"new" lead\t-\n')
    assert [(row.document, row.text) for row in rows] == [("1", '"zinc'), ("2", "iron"), ("3", '"new" lead')]
