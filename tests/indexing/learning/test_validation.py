"""Folds, and thresholds: the best counted F, the best expected F, and F at a threshold."""

from __future__ import annotations

import numpy as np
import pytest

from indexing.learning.validation import best_threshold, expected_threshold, f_at, folds


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
