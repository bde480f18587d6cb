"""Boosted trees in plain numbers: the sums of their leaves, contributions, and trees of scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexing.boosting import Forest, Tree, tree_from, tree_of

STUMP = Tree((0, -1, -1), (0.5, 0.0, 0.0), (1, -1, -1), (2, -1, -1), (0.25, -1.0, 2.0))
DEEP = Tree((1, -1, 0, -1, -1), (3.0, 0, 0.5, 0, 0), (1, 1, 3, 3, 4), (2, 1, 4, 3, 4), (0.0, 0.5, -0.5, -2.0, 1.0))
LEAF = Tree((-1,), (0.0,), (-1,), (-1,), (0.125,))
FOREST = Forest([STUMP, DEEP, LEAF])
VALUES = np.array([[0.0, 2.0], [1.0, 2.0], [0.0, 4.0], [1.0, 4.0]])


def test_log_odds_are_the_base_and_one_leaf_of_each_tree() -> None:
    assert FOREST.log_odds(VALUES, 1.0).tolist() == [1.125 - 1 + 0.5, 1.125 + 2 + 0.5, 1.125 - 1 - 2, 1.125 + 2 + 1]


def test_no_trees_and_no_rows() -> None:
    assert Forest([]).log_odds(VALUES, 0.5).tolist() == [0.5] * 4
    assert Forest([]).contributions(VALUES).tolist() == [[0.0, 0.0]] * 4
    assert (Forest([]).start, FOREST.start) == (0.0, 0.375)
    assert FOREST.log_odds(np.zeros((0, 2)), 0.5).tolist() == []
    assert FOREST.contributions(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("by_tree", [True, False])
def test_contributions_start_and_base_add_up_to_the_log_odds(by_tree: bool) -> None:
    added = FOREST.contributions(VALUES, by_tree)
    assert np.allclose(added.sum(axis=1) + FOREST.start, FOREST.log_odds(VALUES, 0.0))
    # The last row: 2 - 0.25 at the stump, -0.5 to 1 at the second node of the deep tree; the rest is of feature 1.
    assert added[-1].tolist() == [1.75 + 1.5, -0.5]


def test_a_row_has_the_same_sum_in_any_company() -> None:
    random = np.random.default_rng(3)
    trees = [replace(STUMP, threshold=(at, 0, 0), value=(0, high, -high)) for at, high in random.normal(size=(99, 2))]
    values = random.normal(size=(40, 1))
    together = Forest(trees).log_odds(values, 0.1)
    assert [Forest(trees).log_odds(row[None], 0.1)[0] for row in values] == together.tolist()


def test_trees_of_scikit_learn_give_the_same_log_odds() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    values = np.random.default_rng(5).normal(size=(300, 3))
    model = ensemble.HistGradientBoostingClassifier(max_iter=8, random_state=0)
    model.fit(values, values[:, 0] * values[:, 1] > 0.1)
    forest = Forest([tree_from(predictors[0].nodes) for predictors in model._predictors])
    base = float(np.ravel(model._baseline_prediction)[0])
    assert np.allclose(forest.log_odds(values, base), model.decision_function(values))


def test_plain_data_is_checked() -> None:
    row = {"feature": [0, -1, -1], "threshold": [0.5, 0, 0], "left": [1, 1, 2], "right": [2, 1, 2], "value": [0, 1, 2]}
    assert tree_of(row, 1).value == (0.0, 1.0, 2.0)
    for change, message in (
        ({"left": [0, 1, 2]}, "a child that is not there"),
        ({"feature": [1, -1, -1]}, "a feature that is not there"),
        ({"value": [0, 1]}, "lists of different lengths"),
        ({"threshold": [float("nan"), 0, 0]}, "a number is not finite"),
    ):
        with pytest.raises(ValueError, match=message):
            tree_of({**row, **change}, 1)
