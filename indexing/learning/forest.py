"""Gradient-boosted trees in plain numbers, computed with numpy and fitted by scikit-learn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.extras import require
from indexing.learning.linear import Flags, Floats, Ints, finite, named


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree; node 0 is the root. `feature[i]` is the feature of node i, -1 in a leaf.

    Values up to `threshold[i]` go to `left[i]`, others to `right[i]`. `value[i]` is what the tree adds to the log-odds
    if it ends in node i; of an inner node it is the mean of its leaves. In a leaf, `left` and `right` have no meaning.
    """

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]


class Forest:
    """Log-odds = `base` + one leaf of each tree, for values of `features` in their order.

    All trees take a step at the same time, without the pairs of row and tree that are in a leaf.
    """

    def __init__(self, features: Sequence[str], base: float, trees: Sequence[Tree]) -> None:
        self.features = tuple(features)
        self.base = base
        self.trees = tuple(trees)
        sizes = np.array([len(tree.feature) for tree in trees], dtype=np.int64)
        self._roots = np.cumsum(sizes) - sizes
        first = np.repeat(self._roots, sizes)
        self._feature = _joined([tree.feature for tree in trees], np.int64)
        self._threshold = _joined([tree.threshold for tree in trees], np.float64)
        self._value = _joined([tree.value for tree in trees], np.float64)
        left = _joined([tree.left for tree in trees], np.int64) + first
        right = _joined([tree.right for tree in trees], np.int64) + first
        # The right child of node i is at 2 i, the left one at 2 i + 1, where a comparison gives 0 or 1.
        self._children = np.stack([right, left], axis=1).ravel()

    @property
    def start(self) -> float:
        """The log-odds before any feature is known: the base and the sum of the roots."""
        return self.base + float(self._value[self._roots].sum())

    def log_odds(self, values: Floats) -> Floats:
        """The log-odds of each row of `values` (rows, features)."""
        nodes = np.repeat(self._roots, len(values))
        for active, _, after in self._steps(values):
            nodes[active] = after
        total: Floats = np.full(len(values), self.base)
        # Tree by tree, so that the sum of a row does not depend on the number of rows.
        for leaves in self._value[nodes].reshape(len(self._roots), len(values)):
            total += leaves
        return total

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds, of the shape of `values` (rows, features); `start` is the rest.

        At each node the change of the value is added to the feature of the node (Saabas 2014).
        """
        added: Floats = np.zeros(values.shape)
        for active, before, after in self._steps(values):
            change = self._value[after] - self._value[before]
            np.add.at(added, (active % len(values), self._feature[before]), change)
        return added

    def _steps(self, values: Floats) -> Iterator[tuple[Ints, Ints, Ints]]:
        """The pairs that are not in a leaf (tree * rows + row), their nodes before a step and after it."""
        rows, width = values.shape
        nodes = np.repeat(self._roots, rows)
        active = np.arange(len(nodes))
        begins = np.tile(np.arange(rows) * width, len(self._roots))
        while True:
            inner = self._feature.take(nodes) >= 0
            active, nodes, begins = active[inner], nodes[inner], begins[inner]
            if not len(active):
                return
            below = values.take(begins + self._feature.take(nodes)) <= self._threshold.take(nodes)
            after = self._children.take(2 * nodes + below)
            yield active, nodes, after
            nodes = after


def _joined(columns: Sequence[Sequence[float]], kind: type) -> NDArray[Any]:
    return np.array([value for column in columns for value in column], dtype=kind)


def forest_of(content: Mapping[str, Any], known: Collection[str]) -> Forest:
    """A forest from the data of `plain_forest`. `known`: the features that this version has.

    Raises `ValueError`, `KeyError`, `TypeError` or `OverflowError` for wrong data.
    """
    features = named(content["features"], known)
    return Forest(features, finite(content["base"]), [_tree(row, len(features)) for row in content["trees"]])


def plain_forest(forest: Forest) -> dict[str, Any]:
    """A forest as plain data, with rounded numbers."""
    trees = [
        replace(
            tree,
            threshold=tuple(float(f"{value:.8g}") for value in tree.threshold),
            value=tuple(round(value, 5) for value in tree.value),
        )
        for tree in forest.trees
    ]
    return {"features": list(forest.features), "base": round(forest.base, 6), "trees": [asdict(tree) for tree in trees]}


def _tree(row: Mapping[str, Any], features: int) -> Tree:
    tree = Tree(
        tuple(int(value) for value in row["feature"]),
        tuple(finite(value) for value in row["threshold"]),
        tuple(int(value) for value in row["left"]),
        tuple(int(value) for value in row["right"]),
        tuple(finite(value) for value in row["value"]),
    )
    size = len(tree.feature)
    if not size or {len(part) for part in (tree.threshold, tree.left, tree.right, tree.value)} != {size}:
        raise ValueError("a tree has lists of different lengths")
    for node, feature in enumerate(tree.feature):
        if not -1 <= feature < features:
            raise ValueError("a node has a feature that is not there")
        # Children have higher numbers, so that every walk through the tree ends.
        if feature >= 0 and not (node < tree.left[node] < size and node < tree.right[node] < size):
            raise ValueError("a node has a child that is not there")
    return tree


# -- fitting ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ForestOptions:
    """Options of gradient boosting."""

    trees: int = 60
    rate: float = 0.1
    leaves: int = 8
    """Leaves of a tree, at most."""
    least: int | None = None
    """Rows in a leaf, at least; None: 40, or 5 for up to 4000 rows."""
    penalty: float = 5.0
    """L2, of the values of leaves."""


def fit_forest(
    values: Floats,
    labels: Flags,
    features: Sequence[str],
    options: ForestOptions,
    seed: int = 0,
    monotone: Mapping[str, int] | None = None,
) -> Forest:
    """Boosted trees for the log-odds of `labels`. `values`: (rows, features), without unknown ones.

    `monotone`: features that can only raise (1) or lower (-1) the log-odds.
    """
    require("sklearn", extra="train", purpose="training trees")
    from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]

    model = HistGradientBoostingClassifier(
        max_iter=options.trees,
        learning_rate=options.rate,
        max_leaf_nodes=options.leaves,
        min_samples_leaf=options.least or (40 if len(values) > 4000 else 5),
        l2_regularization=options.penalty,
        monotonic_cst=[(monotone or {}).get(name, 0) for name in features],
        early_stopping=False,
        random_state=seed,
    )
    model.fit(values, labels)
    # scikit-learn has no public names for the trees; tests/indexing/learning/test_forest.py compares the log-odds.
    trees = [_fitted_tree(predictors[0].nodes) for predictors in model._predictors]
    return Forest(features, float(np.ravel(model._baseline_prediction)[0]), trees)


def _fitted_tree(nodes: NDArray[Any]) -> Tree:
    """A tree of `HistGradientBoostingClassifier`. `nodes`: the records of its predictor."""
    leaf = nodes["is_leaf"].astype(bool)
    left, right = nodes["left"].astype(int), nodes["right"].astype(int)
    count, value = nodes["count"].astype(float), nodes["value"].astype(float)
    for node in range(len(nodes) - 1, -1, -1):
        if not leaf[node]:
            first, second = left[node], right[node]
            value[node] = (count[first] * value[first] + count[second] * value[second]) / (count[first] + count[second])
    return Tree(
        tuple(np.where(leaf, -1, nodes["feature_idx"]).tolist()),
        tuple(np.where(leaf, 0.0, nodes["num_threshold"]).tolist()),
        tuple(np.where(leaf, -1, left).tolist()),
        tuple(np.where(leaf, -1, right).tolist()),
        tuple(value.tolist()),
    )
