"""Parquet: one row for each annotation, the same bytes for the same articles, and a sentence without pyarrow."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument

import corpora
from corpora import extras
from corpora.datasets.articles import article
from corpora.errors import ArticleError, ConfigurationError
from corpora.formats import columns, parquet, registry
from corpora.formats.format import Header
from corpora.model.document import Evidence, IndexTerm, add_index_term, add_mention, set_identifiers, set_probability

arrow = pytest.importorskip("pyarrow.parquet")


LOSSES = [
    "left out, because Parquet cannot store it: index terms, which have a table of their own (1), "
    "places of the pieces of a mention (2)"
]


def ignore(sentence: str) -> None:
    """`test_what_a_table_leaves_out_is_reported` looks at the sentences."""


def marked(id: str = "77") -> BioCDocument:
    document = article(id, [("Zinc", "TITLE", "front"), ("lead and tin acetates", "ABSTRACT", "abstract")])
    zinc = add_mention(document.passages[0], [(0, 4)], id="1", annotator="nlmchem:x@1")
    set_identifiers(zinc, ["MESH:D015032", "MESH:D1"], Evidence("exact", 0.6, "Zinc", 0.98))
    set_probability(zinc, 0.9)
    pieces = add_mention(document.passages[1], [(5, 9), (18, 26)], id="2", annotator=None)
    set_identifiers(pieces, [])
    add_mention(document.passages[1], [(14, 17)], id="3", annotator=None)
    add_index_term(document, IndexTerm("MESH:D015032", "Zinc", 0.25))
    return document


def table(documents: Sequence[BioCDocument]) -> bytes:
    stream = io.BytesIO()
    parquet.write((parquet.dumps(document, ignore) for document in documents), Header(), stream)
    return stream.getvalue()


def rows(content: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = arrow.read_table(io.BytesIO(content)).to_pylist()
    return found


def test_a_mention_is_a_row_with_its_evidence() -> None:
    [zinc, *_] = rows(table([marked()]))
    assert zinc == {
        "file": None,
        "document": "77",
        "pmid": None,
        "pmcid": None,
        "section": "TITLE",
        "start": 0,
        "end": 4,
        "text": "Zinc",
        "type": "Chemical",
        "identifier": "MESH:D015032,MESH:D1",
        "name": None,
        "probability": 0.9,
        "identifier_probability": 0.98,
        "sieve": "exact",
        "matched_name": "Zinc",
    }


def test_index_terms_have_a_table_of_their_own() -> None:
    stream = io.BytesIO()
    parquet.TERMS_WRITER.write([parquet.TERMS_WRITER.dumps(marked(), ignore)], Header(), stream)
    [term] = rows(stream.getvalue())
    assert (term["identifier"], term["name"], term["score"]) == ("MESH:D015032", "Zinc", 0.25)
    assert {row["type"] for row in rows(table([marked()]))} == {"Chemical"}


def test_what_a_table_leaves_out_is_reported() -> None:
    reports: list[str] = []
    parquet.dumps(marked(), reports.append)
    assert reports == LOSSES


def test_a_mention_with_several_pieces_goes_from_the_first_to_the_last() -> None:
    [pieces] = [row for row in rows(table([marked()])) if row["text"] == "lead acetates"]
    assert (pieces["start"], pieces["end"]) == (5, 26)


def test_a_mention_without_concept_has_a_null() -> None:
    found = {row["text"]: row["identifier"] for row in rows(table([marked()]))}
    assert (found["lead acetates"], found["tin"]) == (None, None)


def test_the_schema_states_the_version_of_the_columns() -> None:
    metadata = arrow.read_table(io.BytesIO(table([]))).schema.metadata
    assert metadata[b"nlmchem.table"] == f"mentions/{columns.VERSION}".encode()


def test_the_same_articles_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [marked(str(number)) for number in range(5)]
    assert table(documents) == table(documents)
    monkeypatch.setattr(parquet, "ROWS", 3)
    content = table(documents)
    assert content == table(documents)
    assert arrow.ParquetFile(io.BytesIO(content)).num_row_groups == 5
    assert [row["document"] for row in rows(content)] == [str(number) for number in range(5) for _ in range(3)]


def test_a_table_without_articles_has_the_columns() -> None:
    assert arrow.read_table(io.BytesIO(table([]))).column_names == list(columns.names(columns.MENTIONS))


def test_a_file_is_written_by_its_suffix(tmp_path: Path) -> None:
    assert corpora.write([marked("1"), marked("2")], tmp_path / "a.parquet", report=ignore) == 2
    assert len(arrow.read_table(tmp_path / "a.parquet")) == 6


def test_a_lone_surrogate_fails_the_article() -> None:
    document = article("77", [("Z\ud835", None, "front")])
    add_mention(document.passages[0], [(0, 2)], id="1", annotator=None)
    with pytest.raises(ArticleError, match="document '77' contains a lone surrogate"):
        parquet.dumps(document, ignore)


def test_without_pyarrow_a_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r'needs the package pyarrow.*pip install "nlmchem\[parquet\]"'):
        registry.writable("parquet")
