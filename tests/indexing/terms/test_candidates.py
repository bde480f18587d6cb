"""Candidates of an article, counted by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bioc import BioCDocument

from corpora.model.document import Definition, add_definition, fresh_ids, mentions, set_identifiers
from indexing.terms.candidates import PLACES, ArticleCandidates, candidates_of
from indexing.terms.indexer import Concepts

ZINC, COPPER, RUTIN = "MESH:D015032", "MESH:D003300", "MESH:D012431"

Article = Callable[..., BioCDocument]


def counts_of(found: ArticleCandidates, identifier: str) -> dict[str, int]:
    (candidate,) = [c for c in found.candidates if c.identifier == identifier]
    return {place: n for place, n in zip(PLACES, candidate.counts, strict=True) if n}


def test_mentions_are_counted_by_section(zinc_paper: BioCDocument) -> None:
    found = candidates_of(zinc_paper)
    assert [candidate.identifier for candidate in found.candidates] == [COPPER, RUTIN, ZINC]
    assert counts_of(found, ZINC) == {"title": 1, "abstract": 2, "results": 1, "reference": 1}
    assert counts_of(found, COPPER) == {"methods": 2}
    assert (found.total, found.body) == (8, 7)
    zinc = found.candidates[2]
    assert (zinc.total, zinc.body, zinc.passages) == (5, 4, 4)
    assert found.words == 5 + 7 + 10 + 6


def test_positions_are_shares_of_the_characters_before(article: Article) -> None:
    found = candidates_of(article([("TITLE", "copper " + 12 * "x"), ("RESULTS", "zinc " + 14 * "x")]))
    copper, zinc = found.candidates
    assert (copper.first, copper.last) == (0.0, 0.0)
    assert zinc.first == pytest.approx(20 / 40)


def test_positions_do_not_depend_on_the_offsets_of_the_file(zinc_paper: BioCDocument) -> None:
    before = candidates_of(zinc_paper)
    for number, passage in enumerate(zinc_paper.passages):
        for annotation in passage.annotations:
            for place in annotation.locations:
                place.offset += 1000 * number
        passage.offset += 1000 * number
    assert candidates_of(zinc_paper) == before


def test_sections_are_derived_from_headings_if_the_file_has_none(article: Article) -> None:
    texts = [
        "Zinc in roots",
        "Roots take up zinc.",
        "Introduction",
        "Much zinc.",
        "Materials and Methods",
        "A copper net.",
    ]
    found = candidates_of(article([(None, text) for text in texts]))
    assert counts_of(found, ZINC) == {"abstract": 1, "introduction": 1}
    assert counts_of(found, COPPER) == {"methods": 1}


def test_a_mention_counts_for_each_of_its_concepts(zinc_paper: BioCDocument) -> None:
    both, nothing, *_ = mentions(zinc_paper)
    set_identifiers(both, [RUTIN, COPPER, RUTIN])
    set_identifiers(nothing, [])
    found = candidates_of(zinc_paper)
    assert counts_of(found, RUTIN) == {"title": 1, "methods": 1}
    assert counts_of(found, COPPER) == {"title": 1, "methods": 2}
    assert counts_of(found, ZINC) == {"abstract": 1, "results": 1, "reference": 1}


def test_concepts_in_other_branches_are_left_out(article: Article, lexicon: Concepts) -> None:
    document = article([("TITLE", "enzymes and zinc")])
    assert [c.identifier for c in candidates_of(document, lexicon).candidates] == [ZINC]
    # A lexicon without tree numbers knows no better.
    assert len(candidates_of(document).candidates) == 2


def test_keywords_are_whole_words(article: Article) -> None:
    document = article([("TITLE", "zinc and rutin")], infons={"kwd": "Roots Zinc-uptake rutinosides"})
    assert {c.identifier: c.keyword for c in candidates_of(document).candidates} == {ZINC: True, RUTIN: False}


def test_candidates_with_a_defined_abbreviation_are_flagged(article: Article) -> None:
    document = article([("ABSTRACT", "the zinc ( Zn ) and copper")])
    long, short, _ = [mention.spans[0] for mention in mentions(document)]
    add_definition(document.passages[0], Definition("Zn", "zinc", short, long), fresh_ids(document, "A"))
    assert {c.identifier: c.defined for c in candidates_of(document).candidates} == {ZINC: True, COPPER: False}


def test_an_article_without_passages_has_no_candidates(article: Article) -> None:
    found = candidates_of(article([]))
    assert (found.candidates, found.total, found.words) == ((), 0, 0)
