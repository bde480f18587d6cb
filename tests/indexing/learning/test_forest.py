"""Boosted trees in plain numbers: the sums of their leaves, contributions, plain data; fitting against scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from indexing.learning.forest import Forest, ForestOptions, Tree, fit_forest, forest_of, plain_forest

STUMP = Tree((0, -1, -1), (0.5, 0.0, 0.0), (1, -1, -1), (2, -1, -1), (0.25, -1.0, 2.0))
DEEP = Tree((1, -1, 0, -1, -1), (3.0, 0, 0.5, 0, 0), (1, 1, 3, 3, 4), (2, 1, 4, 3, 4), (0.0, 0.5, -0.5, -2.0, 1.0))
LEAF = Tree((-1,), (0.0,), (-1,), (-1,), (0.125,))
NAMES = ("a", "b")
FOREST = Forest(NAMES, 1.0, [STUMP, DEEP, LEAF])
VALUES = np.array([[0.0, 2.0], [1.0, 2.0], [0.0, 4.0], [1.0, 4.0]])


def test_log_odds_are_the_base_and_one_leaf_of_each_tree() -> None:
    assert FOREST.log_odds(VALUES).tolist() == [1.125 - 1 + 0.5, 1.125 + 2 + 0.5, 1.125 - 1 - 2, 1.125 + 2 + 1]


def test_no_trees_and_no_rows() -> None:
    none = Forest(NAMES, 0.5, [])
    assert none.log_odds(VALUES).tolist() == [0.5] * 4
    assert none.contributions(VALUES).tolist() == [[0.0, 0.0]] * 4
    assert (none.start, FOREST.start) == (0.5, 1.375)
    assert FOREST.log_odds(np.zeros((0, 2))).tolist() == []
    assert FOREST.contributions(np.zeros((0, 2))).shape == (0, 2)


def test_contributions_and_start_add_up_to_the_log_odds() -> None:
    added = FOREST.contributions(VALUES)
    assert np.allclose(added.sum(axis=1) + FOREST.start, FOREST.log_odds(VALUES))
    # The last row: 2 - 0.25 at the stump, -0.5 to 1 at the second node of the deep tree; the rest is of feature 1.
    assert added[-1].tolist() == [1.75 + 1.5, -0.5]


def test_a_row_has_the_same_sum_in_any_company() -> None:
    random = np.random.default_rng(3)
    trees = [replace(STUMP, threshold=(at, 0, 0), value=(0, high, -high)) for at, high in random.normal(size=(99, 2))]
    values = random.normal(size=(40, 1))
    forest = Forest(("a",), 0.1, trees)
    assert [forest.log_odds(row[None])[0] for row in values] == forest.log_odds(values).tolist()


def test_plain_data_is_checked() -> None:
    plain = plain_forest(Forest(NAMES, -2.0, [STUMP]))
    assert forest_of(plain, NAMES).trees == (STUMP,)
    for change, message in (
        ({"left": [0, 1, 2]}, "a child that is not there"),
        ({"right": [9, 1, 2]}, "a child that is not there"),
        ({"feature": [2, -1, -1]}, "a feature that is not there"),
        ({"value": [0, 1]}, "lists of different lengths"),
        ({"threshold": [float("nan"), 0, 0]}, "a number is not finite"),
    ):
        with pytest.raises(ValueError, match=message):
            forest_of({**plain, "trees": [{**plain["trees"][0], **change}]}, NAMES)


# -- fitting ------------------------------------------------------------------------------------

LETTERS = tuple("abcde")


def examples(number: int = 300) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    random = np.random.default_rng(1)
    values = random.normal(size=(number, len(LETTERS)))
    return values, values[:, 2] + 0.3 * random.normal(size=number) > 0


def test_trees_have_the_log_odds_of_scikit_learn() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, _ = examples()
    labels = values[:, 0] * values[:, 1] > 0.1
    forest = fit_forest(values, labels, LETTERS, ForestOptions(trees=8, leaves=6, least=20), seed=3)
    model = ensemble.HistGradientBoostingClassifier(
        max_iter=8, learning_rate=0.1, max_leaf_nodes=6, min_samples_leaf=20, l2_regularization=5.0,
        early_stopping=False, random_state=3,
    ).fit(values, labels)  # fmt: skip
    assert (forest.features, len(forest.trees)) == (LETTERS, 8)
    assert np.allclose(forest.log_odds(values), model.decision_function(values))


def test_monotone_features_only_raise_the_log_odds() -> None:
    pytest.importorskip("sklearn")
    values, labels = examples()
    forest = fit_forest(values, labels, LETTERS, ForestOptions(), monotone={"c": 1})
    raised = values.copy()
    raised[:, 2] += 1
    assert (forest.log_odds(raised) >= forest.log_odds(values)).all()
