"""The prior and the background: smoothed shares, calculated by hand."""

from __future__ import annotations

from math import log

import pytest

from indexing.terms.candidates import PLACES, ArticleCandidates, TermCandidate
from indexing.terms.indexer import NO_CONCEPTS, Concepts
from indexing.terms.statistics import Background, learn

ZINC, COPPER, RUTIN = "MESH:D015032", "MESH:D003300", "MESH:D012431"


def log_odds(share: float) -> float:
    return log(share / (1 - share))


def test_without_tree_numbers_a_concept_is_smoothed_towards_all_concepts() -> None:
    articles = [([ZINC, COPPER], frozenset({ZINC})), ([COPPER], frozenset[str]()), ([COPPER], frozenset({RUTIN}))]
    prior = learn(articles, strength=2)
    base = (1 + 0.5) / (4 + 1)
    assert prior.of(ZINC, NO_CONCEPTS) == pytest.approx(log_odds((1 + 2 * base) / (1 + 2)))
    assert prior.of(COPPER, NO_CONCEPTS) == pytest.approx(log_odds((0 + 2 * base) / (3 + 2)))
    # Nobody named it, so it is not known.
    assert prior.of(RUTIN, NO_CONCEPTS) == pytest.approx(log_odds(base))


def test_an_unknown_concept_has_the_prior_of_its_branch(lexicon: Concepts) -> None:
    prior = learn([([COPPER], frozenset({COPPER}))] * 5 + [([RUTIN], frozenset[str]())] * 5, lexicon)
    assert prior.of(ZINC, lexicon) > prior.of("MESH:D000001", lexicon) > prior.of(RUTIN, lexicon)


def test_no_articles_give_a_prior_without_concepts() -> None:
    assert learn([]).of(ZINC, NO_CONCEPTS) == 0.0


def candidate(identifier: str, **counts: int) -> TermCandidate:
    row = tuple(counts.get(place, 0) for place in PLACES)
    return TermCandidate(identifier, row, row, 1, 0.0, 0.0, ("x",), False, False)


def article(*candidates: TermCandidate) -> ArticleCandidates:
    return ArticleCandidates("1", candidates, (0,) * len(PLACES), (0,) * len(PLACES), 100)


def test_the_background_counts_articles_without_their_references() -> None:
    background = Background()
    background.add(article(candidate(ZINC, title=1, results=5), candidate(COPPER, methods=2)))
    background.add(article(candidate(ZINC, abstract=1), candidate(COPPER, reference=3)))
    assert background.plain() == {"articles": 2, "concepts": {COPPER: [1, 0, 0], ZINC: [2, 2, 1]}}
    assert Background.from_plain(background.plain()) == background


def test_concepts_of_titles_are_prominent_and_those_of_few_articles_are_rare() -> None:
    background = Background(100, {ZINC: 20, COPPER: 20}, {ZINC: 15, COPPER: 1}, {ZINC: 10, COPPER: 0})
    assert background.prominence(ZINC) > background.prominence(RUTIN) > background.prominence(COPPER)
    assert background.titularity(ZINC) > background.titularity(RUTIN) > background.titularity(COPPER)
    assert background.rarity(RUTIN) == pytest.approx(log(101 / 0.5))
    assert background.rarity(ZINC) == pytest.approx(log(101 / 20.5))


def test_articles_can_be_added_after_a_query() -> None:
    background = Background(1, {ZINC: 1}, {ZINC: 1}, {ZINC: 1})
    before = background.prominence(RUTIN)
    background.add(article(candidate(COPPER, methods=1)))
    assert background.prominence(RUTIN) < before
