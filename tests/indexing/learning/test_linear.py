"""The linear model: standardised values, unknown values, matrices by name."""

from __future__ import annotations

import numpy as np
import pytest

from indexing.learning.linear import Linear, matrix_of, named, sigmoid

MODEL = Linear.of({"a": (1.0, 2.0, 3.0), "b": (0.0, 0.5, -1.0)}, -0.5)
VALUES = np.array([[3.0, 1.0], [np.nan, 0.5]])


def test_log_odds_are_a_weighted_sum_and_unknown_values_count_as_the_mean() -> None:
    assert MODEL.contributions(VALUES).tolist() == [[3.0, -2.0], [0.0, -1.0]]
    assert MODEL.log_odds(VALUES).tolist() == [0.5, -1.5]
    assert MODEL.known(VALUES)[1].tolist() == [1.0, 0.5]


def test_probabilities_of_large_log_odds_are_finite() -> None:
    assert sigmoid(np.array([-1e9, 0.0, 1e9])).tolist() == [0.0, 0.5, 1.0]


def test_columns_are_taken_by_name() -> None:
    columns = {"a": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0])}
    assert matrix_of(columns, ("b", "a")).tolist() == [[3.0, 1.0], [4.0, 2.0]]
    with pytest.raises(KeyError, match="moon phase"):
        matrix_of(columns, ("moon phase",))


@pytest.mark.parametrize(
    ("names", "message"),
    [([], "no features"), (["a", "a"], "named twice"), (["a", "moon phase"], "no feature 'moon phase'")],
)
def test_names_of_features_are_checked(names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        named(names, ("a", "b"))
