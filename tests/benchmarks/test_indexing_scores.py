"""The choice of a set of index terms by its expected F, compared with all outcomes of a few concepts."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from benchmarks.scores.indexing import best_number, right_of


def expected_f(scores: list[float], number: int) -> float:
    """The mean F of choosing the first `number` concepts, over all outcomes."""
    found = 0.0
    for right in product((False, True), repeat=len(scores)):
        chance = prod(score if one else 1 - score for score, one in zip(scores, right, strict=True))
        f = 2 * sum(right[:number]) / (number + sum(right)) if number or any(right) else 1.0
        found += chance * f
    return found


@pytest.mark.parametrize(
    "scores", [[], [0.1], [0.9], [0.6, 0.5, 0.1], [0.3, 0.3, 0.3, 0.3], [0.99, 0.4, 0.35, 0.02], [0.45, 0.4, 0.4, 0.4]]
)
def test_the_set_has_the_best_expected_f(scores: list[float]) -> None:
    expected = [expected_f(scores, number) for number in range(len(scores) + 1)]
    assert expected[best_number(scores)] == pytest.approx(max(expected))


def test_the_probabilities_of_all_numbers_of_right_concepts() -> None:
    assert right_of([0.5, 0.2]) == pytest.approx([0.4, 0.5, 0.1])
