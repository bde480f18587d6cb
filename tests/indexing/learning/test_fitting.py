"""Fitting, against scikit-learn and against models that are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from indexing.learning.fitting import ForestOptions, fit_choice, fit_forest, fit_linear, standards

NAMES = tuple("abcde")


def examples(number: int = 300) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    random = np.random.default_rng(1)
    values = random.normal(size=(number, len(NAMES)))
    return values, values[:, 2] + 0.3 * random.normal(size=number) > 0


@pytest.mark.parametrize("penalty", [0.01, 2.0, 300.0])
def test_the_linear_model_agrees_with_scikit_learn(penalty: float) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    values, labels = examples()
    model = fit_linear(values, labels, NAMES, penalty)
    other = linear.LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=1000).fit(model.standard(values), labels)
    assert np.allclose(model.weights, other.coef_[0], atol=1e-4)
    assert model.intercept == pytest.approx(other.intercept_[0], abs=1e-4)


def test_rows_count_as_often_as_they_should() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    values, labels = examples()
    counts = np.random.default_rng(2).random(len(labels)) * 3
    model = fit_linear(values, labels, NAMES, 2.0, counts)
    other = linear.LogisticRegression(C=0.5, tol=1e-10, max_iter=1000)
    other.fit(model.standard(values), labels, sample_weight=counts)
    assert np.allclose(model.weights, other.coef_[0], atol=1e-4)
    assert model.intercept == pytest.approx(other.intercept_[0], abs=1e-4)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_constant_feature_and_separable_rows_do_no_harm() -> None:
    values = np.zeros((20, len(NAMES)))
    values[:10, 0], values[:, 1] = 1, 7
    model = fit_linear(values, values[:, 0] > 0, NAMES, 0.1)
    assert np.isfinite(model.weights).all()
    assert model.weights[1] == 0
    with pytest.raises(ConfigurationError, match="weights of the regression are not found"):
        fit_linear(values, values[:, 0] > 0, NAMES, float("nan"))


def test_unknown_values_do_not_change_means_and_weigh_nothing() -> None:
    values, labels = examples()
    values[::7, 2] = np.nan
    values[:, 4] = np.nan
    model = fit_linear(values, labels, NAMES, 1.0)
    assert model.means[2] == pytest.approx(np.nanmean(values[:, 2]))
    assert (model.means[4], model.scales[4], model.weights[4]) == (0.0, 1.0, 0.0)


def test_trees_have_the_log_odds_of_scikit_learn() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, _ = examples()
    labels = values[:, 0] * values[:, 1] > 0.1
    forest = fit_forest(values, labels, NAMES, ForestOptions(trees=8, leaves=6, least=20), seed=3)
    model = ensemble.HistGradientBoostingClassifier(
        max_iter=8, learning_rate=0.1, max_leaf_nodes=6, min_samples_leaf=20, l2_regularization=5.0,
        early_stopping=False, random_state=3,
    ).fit(values, labels)  # fmt: skip
    assert (forest.features, len(forest.trees)) == (NAMES, 8)
    assert np.allclose(forest.log_odds(values), model.decision_function(values))


def test_monotone_features_only_raise_the_log_odds() -> None:
    pytest.importorskip("sklearn")
    values, labels = examples()
    forest = fit_forest(values, labels, NAMES, ForestOptions(), monotone={"c": 1})
    raised = values.copy()
    raised[:, 2] += 1
    assert (forest.log_odds(raised) >= forest.log_odds(values)).all()


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
