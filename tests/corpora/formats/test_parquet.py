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
from corpora.datasets.document_builder import article
from corpora.errors import ArticleError, ConfigurationError
from corpora.formats import parquet, registry
from corpora.formats.header import Header
from corpora.model.document import Evidence, IndexTerm, add_index_term, add_mention, set_identifiers, set_probability

arrow = pytest.importorskip("pyarrow.parquet")


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


def marked(id: str = "77") -> BioCDocument:
    document = article(id, [("Zinc", "TITLE", "front"), ("lead and tin acetates", "ABSTRACT", "abstract")])
    zinc = add_mention(document.passages[0], [(0, 4)], id="1", annotator="nlmchem:x@1")
    set_identifiers(zinc, ["MESH:D015032", "MESH:D1"], Evidence("exact", 0.9, "Zinc", 0.98))
    set_probability(zinc, 0.91)
    pieces = add_mention(document.passages[1], [(5, 9), (18, 26)], id="2", annotator=None)
    set_identifiers(pieces, [])
    add_mention(document.passages[1], [(14, 17)], id="3", annotator=None)
    add_index_term(document, IndexTerm("MESH:D015032", "Zinc", 0.25))
    return document


def table(documents: Sequence[BioCDocument]) -> bytes:
    stream = io.BytesIO()
    parquet.write((parquet.dumps(document, silent) for document in documents), Header(), stream)
    return stream.getvalue()


def rows(content: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = arrow.read_table(io.BytesIO(content)).to_pylist()
    return found


def test_a_mention_is_a_row_with_its_evidence() -> None:
    [zinc, *_] = rows(table([marked()]))
    assert zinc == {
        "document": "77",
        "passage": 0,
        "section_type": "TITLE",
        "start": 0,
        "end": 4,
        "spans": [{"start": 0, "end": 4}],
        "text": "Zinc",
        "type": "Chemical",
        "identifiers": ["MESH:D015032", "MESH:D1"],
        "score": 0.9,
        "sieve": "exact",
        "matched_name": "Zinc",
        "annotator": "nlmchem:x@1",
        "probability": 0.91,
        "identifier_probability": 0.98,
    }


def test_index_terms_have_no_place_in_the_text() -> None:
    term = next(row for row in rows(table([marked()])) if row["type"] == "MeSH_Indexing_Chemical")
    assert (term["start"], term["end"], term["spans"]) == (None, None, None)
    assert (term["identifiers"], term["score"]) == (["MESH:D015032"], 0.25)


def test_a_mention_with_several_pieces_has_all_its_spans() -> None:
    [pieces] = [row for row in rows(table([marked()])) if row["text"] == "lead acetates"]
    assert (pieces["passage"], pieces["start"], pieces["end"]) == (1, 5, 26)
    assert pieces["spans"] == [{"start": 5, "end": 9}, {"start": 18, "end": 26}]


def test_no_concept_found_and_none_looked_up_differ() -> None:
    found = {row["text"]: row["identifiers"] for row in rows(table([marked()]))}
    assert (found["lead acetates"], found["tin"]) == ([], None)


def test_the_same_articles_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [marked(str(number)) for number in range(5)]
    assert table(documents) == table(documents)
    monkeypatch.setattr(parquet, "ROWS", 3)
    content = table(documents)
    assert content == table(documents)
    assert arrow.ParquetFile(io.BytesIO(content)).num_row_groups == 7
    assert [row["document"] for row in rows(content)] == [str(number) for number in range(5) for _ in range(4)]


def test_a_table_without_articles_has_the_columns() -> None:
    assert arrow.read_table(io.BytesIO(table([]))).column_names[:2] == ["document", "passage"]


def test_a_file_is_written_by_its_suffix(tmp_path: Path) -> None:
    assert corpora.write([marked("1"), marked("2")], tmp_path / "a.parquet", report=silent) == 2
    assert len(arrow.read_table(tmp_path / "a.parquet")) == 8


def test_a_lone_surrogate_fails_the_article() -> None:
    document = article("77", [("Z\ud835", None, "front")])
    add_mention(document.passages[0], [(0, 2)], id="1", annotator=None)
    with pytest.raises(ArticleError, match="document '77' contains a lone surrogate"):
        parquet.dumps(document, silent)


def test_without_pyarrow_a_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r'needs the package pyarrow.*pip install "nlmchem\[parquet\]"'):
        registry.writable("parquet")
