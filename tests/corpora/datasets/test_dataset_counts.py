"""Real corpora: counts equal the data cards and ../shared/data/README.md, and all offsets are correct."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from companion_cases import cases

import corpora
from corpora.datasets import card, open_corpus
from corpora.formats.columns import is_abbreviation
from corpora.model.document import mentions
from corpora.model.passages import passage_text
from corpora.tools.statistics import compare, measure

pytestmark = pytest.mark.realdata

PLACES = {
    "nlmchem-open": "nlmchem",
    "bc5cdr": "bc5cdr",
    "biored": "biored",
    "drugprot": "drugprot",
    "craft": "craft",
    "craft-extensions": "craft",
    "pmc-indexing": "indexing",
    "ab3p": "abbreviations",
    "schwartz-hearst": "abbreviations",
    "sciai": "acronyms/sciai",
    "sciad": "acronyms/sciad",
    "gladis": "acronyms/gladis",
    "uad": "acronyms/gladis",
    **{name: place for name, (place, _) in cases("CORPORA").items()},
}
README = {
    # ../shared/data/README.md: documents and chemical mentions, or samples.
    "bc5cdr": {"documents": 1500, "mentions.Chemical": 15920},
    "biored": {"documents": 600, "mentions.Chemical": 4429},
    "drugprot": {"documents": 4250, "mentions.Chemical": 56127},
    "craft": {"documents": 97, "mentions.Chemical": 6748},
    "nlmchem-open": {"documents": 30},
    "pmc-indexing": {"documents": 461, "index_terms": 539, "indexed": 461 - 201},
    "ab3p": {"documents": 1250},
    "schwartz-hearst": {"documents": 1000},
    **{name: counts for name, (_, counts) in cases("CORPORA").items()},
}


@pytest.mark.parametrize("name", PLACES)
def test_counts_equal_the_card_and_the_readme(name: str, shared_data: Path) -> None:
    corpus = open_corpus(name, shared_data / PLACES[name])
    total: Counter[str] = Counter()
    for split in corpus.form.splits:
        counts = measure(corpus.read(split, lambda sentence: None))
        assert compare(corpus.card, split, counts) == []
        assert counts.get("violations", 0) == 0
        total.update(counts)
    assert card(name).counts, "a corpus at hand has counts on its card"
    for what, number in README.get(name, {}).items():
        assert total[what] == number, f"{what} of {name}"


def test_both_forms_of_nlmchem_are_equal(shared_data: Path) -> None:
    blocks = open_corpus("nlmchem-open", shared_data / "nlmchem" / "nlmchem-open.passages.PubTator")
    files = open_corpus("nlmchem-open", shared_data / "nlmchem" / "bioc")
    assert (blocks.form.name, files.form.name) == ("PubTator, a block a passage", "BioC XML")
    assert {d.id: content(d) for d in blocks.read()} == {d.id: content(d) for d in files.read()}


@pytest.mark.parametrize("name", ["nlmchem-open", "bc5cdr", "biored", "drugprot", "craft", "ab3p"])
def test_conversion_to_another_format_and_back_loses_nothing(name: str, shared_data: Path, tmp_path: Path) -> None:
    corpus = open_corpus(name, shared_data / PLACES[name])
    split = corpus.splits[-1]
    documents = list(corpus.read(split, lambda sentence: None))
    for suffix in ("xml", "json"):
        path = tmp_path / f"corpus.{suffix}"
        corpora.write(documents, path)
        assert list(map(everything, corpora.read(path))) == list(map(everything, documents))
    # PubTator has abbreviations on demand only. It has no place for relations between annotations, nor for pieces.
    whole = [d for d in documents if all(len(m.spans) == 1 for m in mentions(d, None))]
    path = tmp_path / "corpus.pubtator"
    corpora.write(whole, path, report=lambda sentence: None)
    back = list(corpora.read(path))
    assert [spans_and_ids(d) for d in back] == [spans_and_ids(d) for d in whole]


def content(document: BioCDocument) -> Any:
    found = [(m.type, m.text, m.spans, m.identifiers) for m in mentions(document, None)]
    return [(p.offset, passage_text(p)) for p in document.passages], sorted(found)


def everything(document: BioCDocument) -> Any:
    return (
        str(document.id),
        document.infons,
        [
            (
                passage.offset,
                passage.text,
                passage.infons,
                [(a.id, a.text, a.infons, [(p.offset, p.length) for p in a.locations]) for a in passage.annotations],
                [(r.id, r.infons, [(n.refid, n.role) for n in r.nodes]) for r in passage.relations],
            )
            for passage in document.passages
        ],
        [(r.id, r.infons) for r in document.relations],
    )


def spans_and_ids(document: BioCDocument) -> Any:
    """Texts, and mentions by the passage they stand in: PubTator numbers passages one after another.

    Abbreviations are left out.
    """
    texts = [passage_text(p) for p in document.passages]
    found = sorted(
        (
            document.passages.index(m.passage),
            m.spans[0][0] - m.passage.offset,
            m.spans[0][1] - m.passage.offset,
            m.type,
            m.text,
            m.identifiers,
        )
        for m in mentions(document, None)
        if not is_abbreviation(m.annotation)
    )
    return texts, found
