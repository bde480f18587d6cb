"""Folds, out-of-fold predictions, and thresholds: the best counted F, the best expected F, and F at a threshold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from corpora.errors import ConfigurationError
from indexing.learning.crossfit import (
    Examples,
    best_threshold,
    check_features,
    cross_fitted,
    expected_threshold,
    f_at,
    folds,
    held_out_scores,
    parts_of,
)
from indexing.learning.linear import Floats


@pytest.mark.parametrize(
    ("scores", "missing", "threshold"),
    [
        # F of the first is 2 * 0.9 / (1 + 1.8) = 0.643, of two 2 * 1.7 / (2 + 1.8) = 0.895, of all 2 * 1.8 / (3 + 1.8).
        ([0.1, 0.9, 0.8], 0, 0.45),
        # With more terms that cannot be found, a lower threshold is better.
        ([0.1, 0.9, 0.8, 0.35], 0, 0.575),
        ([0.1, 0.9, 0.8, 0.35], 3, 0.225),
        # Of equals all are chosen, or none.
        ([0.9, 0.6, 0.6], 0, 0.3),
        ([0.2], 0, 0.1),
    ],
)
def test_the_threshold_with_the_best_expected_f(scores: list[float], missing: int, threshold: float) -> None:
    assert expected_threshold(np.array(scores), missing) == pytest.approx(threshold)


def test_the_threshold_is_about_half_of_the_best_f() -> None:
    """Lipton et al. 2014, theorem 2."""
    scores = np.linspace(0.0005, 0.9995, 1000) ** 2
    threshold = expected_threshold(scores, 0)
    chosen = scores >= threshold
    assert threshold == pytest.approx(scores[chosen].sum() / (chosen.sum() + scores.sum()), abs=0.01)


def test_f_at_a_threshold_counts_terms_that_are_no_candidates() -> None:
    scores, labels = np.array([0.9, 0.5, 0.1]), np.array([True, False, True])
    assert f_at(0.5, scores, labels, 3) == pytest.approx(2 / (2 + 3))
    assert f_at(1.0, scores, labels, 3) == 0.0
    assert f_at(0.5, scores[:0], labels[:0], 0) == 0.0


@pytest.mark.parametrize(
    ("scores", "labels", "total", "threshold", "f"),
    [
        ([0.9, 0.8, 0.1], [1, 1, 0], 2, 0.45, 1.0),
        # A term that is no candidate counts in recall.
        ([0.9, 0.8, 0.1], [1, 1, 0], 4, 0.45, 4 / 6),
        # Of equals all are chosen, or none.
        ([0.9, 0.5, 0.5], [1, 1, 0], 2, 0.25, 4 / 5),
        ([0.9, 0.5, 0.5, 0.5, 0.5], [1, 0, 0, 0, 1], 2, 0.7, 2 / 3),
        ([0.3], [1], 1, 0.15, 1.0),
    ],
)
def test_the_threshold_with_the_best_f(
    scores: list[float], labels: list[int], total: int, threshold: float, f: float
) -> None:
    found = best_threshold(np.array(scores), np.array(labels, dtype=bool), total)
    assert found == pytest.approx((threshold, f))


def test_folds_have_whole_groups_and_depend_only_on_groups_and_seed() -> None:
    groups = [str(number // 2) for number in range(46)]
    parts = folds(groups, 5, 0)
    assert (sum(part.astype(int) for part in parts) == 1).all()
    assert {int(part.sum()) for part in parts} == {8, 10}
    assert all(part[at] == part[at + 1] for part in parts for at in range(0, 46, 2))
    again = folds(groups[::-1], 5, 0)
    assert [part.tolist() for part in again] == [part[::-1].tolist() for part in parts]
    assert [part.tolist() for part in folds(groups, 5, 1)] != [part.tolist() for part in parts]
    assert len(folds(groups[:4], 5, 0)) == 2


def test_an_item_is_predicted_by_a_model_without_its_part() -> None:
    parts = [np.array([True, False, False, True]), np.array([False, True, True, False])]
    seen = cross_fitted(parts, lambda rest: rest, lambda model, held: [(at, model) for at in held])
    assert seen == [(0, [1, 2]), (1, [0, 3]), (2, [0, 3]), (3, [1, 2])]


def test_a_prediction_that_is_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        cross_fitted([np.array([True, True])], lambda rest: rest, lambda _, held: held[:1])


def test_rows_are_scored_by_examples_of_other_groups() -> None:
    examples = Examples.joined([Examples.of(np.full((2, 1), number), [True, False], number) for number in range(4)])
    rows: list[set[int]] = []

    def fit(rest: Examples) -> Callable[[Floats], Floats]:
        rows.append(set(rest.groups.tolist()))
        return lambda values: values[:, 0] + 10 * len(rest.labels)

    assert held_out_scores(examples, examples.folds(4, 0), fit).tolist() == [60, 60, 61, 61, 62, 62, 63, 63]
    assert sorted(map(sorted, rows)) == [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]


def test_each_group_can_be_a_part() -> None:
    assert [part.tolist() for part in parts_of(["b", "a", "b"])] == [[True, False, True], [False, True, False]]


def test_an_unknown_feature_is_one_sentence() -> None:
    check_features(["first"], {"first": 1, "last": 2})
    with pytest.raises(ConfigurationError, match="there is no feature 'size'; choose from first, last"):
        check_features(["first", "size"], {"first": 1, "last": 2})
