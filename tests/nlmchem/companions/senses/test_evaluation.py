"""The measures of acronym disambiguation."""

from __future__ import annotations

import pytest

from nlmchem.companions.senses.evaluation import Decided, score_senses


def one(gold: str, predicted: str | None, rank: int | None = 0, candidates: int = 2, short: str = "ER") -> Decided:
    return Decided(short, gold, predicted, candidates, rank)


def test_measures_by_hand() -> None:
    # a: 2 of 3 right, predicted twice. b: never predicted. c: 1 of 1, predicted twice.
    decided = [one("a", "a"), one("a", "a"), one("a", "c"), one("b", None, 1), one("c", "c", 1)]
    scores = score_senses(decided, samples=0)
    assert scores.accuracy == pytest.approx(3 / 5)
    precision, recall = (1 + 1 + 1 / 2) / 3, (2 / 3 + 0 + 1) / 3
    assert scores.sdu_f1 == pytest.approx(2 * precision * recall / (precision + recall)), "b has precision 1"
    assert scores.gladis_f1 == pytest.approx((4 / 5 + 0 + 2 / 3) / 3)
    assert scores.answered == pytest.approx(4 / 5)
    assert (scores.overshadowed, scores.overshadowed_accuracy) == (pytest.approx(2 / 5), pytest.approx(1 / 2))


def test_coverage_and_candidates_count_each_acronym_once() -> None:
    decided = [one("a", "a"), one("a", "a"), one("x", "y", None, 6, "CT")]
    scores = score_senses(decided, samples=0)
    assert scores.coverage == pytest.approx(2 / 3)
    assert scores.candidates == pytest.approx(4)
    assert scores.short_forms == 2


def test_intervals_contain_the_score_and_repeat() -> None:
    decided = [one("a", "a" if number % 3 else "b") for number in range(60)] + [one("b", "b") for _ in range(20)]
    scores = score_senses(decided, samples=200, seed=3)
    low, high = scores.accuracy_interval
    assert low < scores.accuracy < high
    assert score_senses(decided, samples=200, seed=3) == scores
