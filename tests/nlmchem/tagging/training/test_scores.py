"""Scores of a tagger during training."""

from __future__ import annotations

import pytest
from bioc import BioCDocument

from nlmchem.tagging.training.scores import ArticleScore, article_scores, bare, compare, strict_f


def test_strict_and_approximate_counts(articles: list[BioCDocument]) -> None:
    gold = {((0, 5),), ((10, 14),), ((20, 30),)}
    found = {((0, 5),), ((12, 18),), ((40, 41),)}
    score = compare(gold, found)
    assert (score.strict.found, score.strict.right) == (1, 1)
    assert (score.approximate.found, score.approximate.right) == (2, 2)
    assert score.approximate.precision == pytest.approx(2 / 3)
    perfect = article_scores(lambda copies: None, [bare(document) for document in articles])
    assert strict_f(perfect) == 0.0
    assert all(isinstance(value, ArticleScore) for value in perfect.values())
