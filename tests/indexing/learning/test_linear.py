"""The linear model: standardised values, unknown values, matrices by name; fitting, against known models."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from indexing.learning.linear import Linear, fit_choice, fit_linear, matrix_of, named, sigmoid, standards

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


# -- fitting ------------------------------------------------------------------------------------

LETTERS = tuple("abcde")


def examples(number: int = 300) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    random = np.random.default_rng(1)
    values = random.normal(size=(number, len(LETTERS)))
    return values, values[:, 2] + 0.3 * random.normal(size=number) > 0


@pytest.mark.parametrize("penalty", [0.01, 2.0, 300.0])
def test_the_linear_model_agrees_with_scikit_learn(penalty: float) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    values, labels = examples()
    model = fit_linear(values, labels, LETTERS, penalty)
    other = linear.LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=1000).fit(model.standard(values), labels)
    assert np.allclose(model.weights, other.coef_[0], atol=1e-4)
    assert model.intercept == pytest.approx(other.intercept_[0], abs=1e-4)


def test_rows_count_as_often_as_they_should() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    values, labels = examples()
    counts = np.random.default_rng(2).random(len(labels)) * 3
    model = fit_linear(values, labels, LETTERS, 2.0, counts)
    other = linear.LogisticRegression(C=0.5, tol=1e-10, max_iter=1000)
    other.fit(model.standard(values), labels, sample_weight=counts)
    assert np.allclose(model.weights, other.coef_[0], atol=1e-4)
    assert model.intercept == pytest.approx(other.intercept_[0], abs=1e-4)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_constant_feature_and_separable_rows_do_no_harm() -> None:
    values = np.zeros((20, len(LETTERS)))
    values[:10, 0], values[:, 1] = 1, 7
    model = fit_linear(values, values[:, 0] > 0, LETTERS, 0.1)
    assert np.isfinite(model.weights).all()
    assert model.weights[1] == 0
    with pytest.raises(ConfigurationError, match="weights of the regression are not found"):
        fit_linear(values, values[:, 0] > 0, LETTERS, float("nan"))


def test_unknown_values_do_not_change_means_and_weigh_nothing() -> None:
    values, labels = examples()
    values[::7, 2] = np.nan
    values[:, 4] = np.nan
    model = fit_linear(values, labels, LETTERS, 1.0)
    assert model.means[2] == pytest.approx(np.nanmean(values[:, 2]))
    assert (model.means[4], model.scales[4], model.weights[4]) == (0.0, 1.0, 0.0)


def test_a_choice_finds_the_weights_that_made_it() -> None:
    """Samples of three senses, chosen by known weights; the alternative is chosen as often as its utility of 0 says."""
    random = np.random.default_rng(2)
    senses, other = random.normal(size=(9000, 2)), np.ones((3000, 1))
    utility = np.column_stack([(senses @ [1.0, -0.5]).reshape(3000, 3), np.zeros(3000)])
    gold = np.argmax(utility + random.gumbel(size=utility.shape), axis=1)
    parts = standards(senses, ("a", "b")), standards(other - 1, ("bias",))
    first, second = fit_choice(senses, other, np.arange(0, 9000, 3), np.where(gold < 3, gold, -1), parts, 1.0)
    assert (first.weights / first.scales).tolist() == pytest.approx([1.0, -0.5], abs=0.06)
    # The means of the senses are not in the utility of the alternative.
    assert second.weights[0] == pytest.approx(-(first.means / first.scales) @ first.weights, abs=0.06)
