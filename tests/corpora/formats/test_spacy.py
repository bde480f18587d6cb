"""spaCy DocBin: what is written is read back by spaCy with equal spans and ids."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from bioc import BioCDocument

import corpora
from corpora import extras
from corpora.datasets.articles import article
from corpora.errors import ArticleError, ConfigurationError
from corpora.formats import registry
from corpora.formats import spacy as format
from corpora.formats.format import Header
from corpora.model.document import Definition, add_definition, add_mention, fresh_ids, set_identifiers
from corpora.reporting import ignore

LOSSES = (
    "left out, because spaCy's DocBin cannot store it: infons of documents and passages (2), "
    "marks of mentions without a concept (-) (1)"
)
TEXT = "Cells took up 2-deoxy-D-glucose, NaCl(aq) and Ca2+.  β-Carotene?"


def marked() -> BioCDocument:
    document = article("77", [("Zinc", "TITLE", "front"), (TEXT, "ABSTRACT", "abstract")])
    texts = ("2-deoxy-D-glucose", "glucose", "Na", "Ca2+", "β-Carotene")
    for number, text in enumerate(texts, 1):
        start = document.passages[1].offset + TEXT.index(text)
        mention = add_mention(document.passages[1], [(start, start + len(text))], id=f"C{number}", annotator=None)
        set_identifiers(mention, [] if text == "Na" else ["MESH:D003847", "MESH:D1"][: 1 + number % 2])
    return document


def test_spans_and_ids_come_back(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    from spacy.tokens import DocBin

    document = marked()
    messages: list[str] = []
    assert corpora.write([document, marked()], tmp_path / "all.spacy", report=messages.append) == 2
    assert messages == [LOSSES] * 2
    first, _ = DocBin().from_disk(tmp_path / "all.spacy").get_docs(spacy.blank("en").vocab)
    assert first.text == f"Zinc {TEXT}"
    found = [(s.start_char, s.end_char, s.text, s.label_, s.kb_id_, s.id_) for s in first.spans[format.SPANS]]
    assert found == [
        (*mention.spans[0], mention.text, "Chemical", ",".join(mention.identifiers), mention.annotation.id)
        for mention in corpora.mentions(document)
    ]
    assert [(e.text, e.kb_id_) for e in first.ents][:2] == [("2-deoxy-D-glucose", "MESH:D003847,MESH:D1"), ("Na", "")]
    assert first.user_data == {"id": "77", "passages": ((0, "TITLE"), (5, "ABSTRACT"))}


def test_a_chemical_that_is_a_long_form_too_is_an_entity() -> None:
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    document = article("77", [("Rats got nitric oxide (NO).", "TITLE", "front")])
    add_definition(document.passages[0], Definition("NO", "nitric oxide", (23, 25), (9, 21)), fresh_ids(document, "A"))
    add_mention(document.passages[0], [(16, 21)], id="C1", annotator=None)
    doc = format._doc(spacy.blank("en"), json.loads(format.dumps(document, lambda sentence: None)))
    assert [(one.text, one.label_) for one in doc.ents] == [("oxide", "Chemical"), ("NO", "ABBR")]


def test_the_same_articles_give_the_same_bytes() -> None:
    pytest.importorskip("spacy", reason="the extra spacy is not installed")
    written = []
    for _ in range(2):
        stream = io.BytesIO()
        format.write([format.dumps(marked(), ignore)], Header(), stream)
        written.append(stream.getvalue())
    assert written[0] == written[1]


def test_mentions_in_several_pieces_are_reported() -> None:
    document = marked()
    add_mention(document.passages[1], [(5, 10), (16, 18)], id="P", annotator=None)
    messages: list[str] = []
    format.dumps(document, messages.append)
    assert messages == [f"{LOSSES}, mentions in several pieces, or whose text is not at their offsets (1)"]


def test_overlapping_passages_are_an_error() -> None:
    document = marked()
    document.passages[1].offset = 2
    with pytest.raises(ArticleError, match="overlaps the one before it"):
        format.dumps(document, ignore)


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "installed", lambda module: False)
    with pytest.raises(ConfigurationError, match=r'spaCy DocBin needs the package spacy; .*"nlmchem\[spacy\]"'):
        registry.writable("spacy")
