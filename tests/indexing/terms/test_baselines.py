"""Indexers without weights: their choices, calculated by hand."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import pytest
from bioc import BioCDocument

from indexing.terms.baselines import TEAM_110, TITLE_ABSTRACT, rule_indexer, tfidf_indexer
from indexing.terms.indexer import Concepts
from indexing.terms.statistics import Background

ZINC, COPPER, RUTIN = "MESH:D015032", "MESH:D003300", "MESH:D012431"


def test_all_chemicals_of_title_and_abstract_are_chosen(article: Callable[..., BioCDocument]) -> None:
    document = article([("TITLE", "zinc"), ("ABSTRACT", "copper"), ("METHODS", "rutin rutin rutin")])
    choices = rule_indexer(TITLE_ABSTRACT)(document)
    # Of equal scores the identifier decides.
    assert [(choice.identifier, choice.score) for choice in choices] == [(COPPER, 1.0), (ZINC, 1.0)]


@pytest.mark.parametrize(
    ("passages", "chosen"),
    [
        ([("TITLE", "zinc")], True),
        ([("ABSTRACT", "zinc " + 9 * "copper ")], True),
        ([("ABSTRACT", "zinc " + 10 * "copper ")], False),
        ([("FIG", "zinc copper copper copper")], True),
        ([("FIG", "zinc copper copper copper copper")], False),
        ([("CONCL", "zinc " + 9 * "copper ")], True),
        ([("RESULTS", "zinc zinc zinc")], False),
    ],
)
def test_the_rules_of_team_110(
    article: Callable[..., BioCDocument], passages: list[tuple[str, str]], chosen: bool
) -> None:
    assert (ZINC in {choice.identifier for choice in rule_indexer(TEAM_110)(article(passages))}) is chosen


def test_a_threshold_replaces_those_of_the_rules(article: Callable[..., BioCDocument]) -> None:
    document = article([("TITLE", "zinc copper copper copper")])
    assert [choice.identifier for choice in rule_indexer(TEAM_110, threshold=0.5)(document)] == [COPPER]
    assert rule_indexer(TEAM_110, threshold=0.5).version != rule_indexer(TEAM_110).version


def test_rules_explain_their_choices_by_shares(article: Callable[..., BioCDocument]) -> None:
    explained = rule_indexer(TEAM_110).explain(article([("TITLE", "zinc copper copper copper"), ("METHODS", "rutin")]))
    assert explained.base is None
    assert [(c.identifier, c.chosen) for c in explained.candidates] == [(COPPER, True), (ZINC, True), (RUTIN, False)]
    assert {item.feature: item.value for item in explained.candidates[0].contributions}["part:title"] == 0.75


def test_tfidf_prefers_concepts_that_are_frequent_here_and_rare_in_others(
    article: Callable[..., BioCDocument], lexicon: Concepts
) -> None:
    document = article([("RESULTS", "zinc zinc copper copper rutin")])
    background = Background(99, {ZINC: 9, COPPER: 90, RUTIN: 0})
    explained = tfidf_indexer(background, "v", 0.1, lexicon).explain(document)
    assert {c.identifier: c.score for c in explained.candidates} == pytest.approx(
        {
            ZINC: 2 / 5 * log(100 / 9.5) / log(200),
            RUTIN: 1 / 5 * log(100 / 0.5) / log(200),
            COPPER: 2 / 5 * log(100 / 90.5) / log(200),
        }
    )
    choices = tfidf_indexer(background, "v", 0.1, lexicon)(document)
    assert [(choice.identifier, choice.entry_term) for choice in choices] == [(RUTIN, "Rutin"), (ZINC, "Zinc")]


def test_a_concept_that_occurs_only_in_references_is_never_chosen(article: Callable[..., BioCDocument]) -> None:
    assert tfidf_indexer(Background(1), "v", 0.0)(article([("REF", "zinc zinc")])) == []
