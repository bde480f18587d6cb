"""The trees of scikit-learn's gradient boosting: their training, and the trees as plain columns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.extras import require
from indexing.keyphrases.trees import Trees, trees_of

__all__ = ["TreeColumns", "TreeOptions", "fitted_trees", "tree_columns"]


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Options of gradient boosting, with the names of scikit-learn's: trees, rate, leaves of a tree, candidates in a
    leaf, and the L2 penalty of leaves."""

    max_iter: int = 60
    learning_rate: float = 0.1
    max_leaf_nodes: int = 8
    min_samples_leaf: int = 20
    l2_regularization: float = 5.0


@dataclass(frozen=True, slots=True)
class TreeColumns:
    """A tree, one entry a node. In a leaf `feature` is -1 and `threshold` 0.

    `value`: what a leaf adds to the log-odds; of an inner node the mean of its leaves.
    """

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


def tree_columns(nodes: NDArray[Any]) -> TreeColumns:
    """The columns of a tree of `HistGradientBoostingClassifier`. `nodes`: the records of its predictor."""
    leaf = nodes["is_leaf"].astype(bool)
    left, right = nodes["left"].astype(int), nodes["right"].astype(int)
    count, value = nodes["count"].astype(float), nodes["value"].astype(float)
    for node in range(len(nodes) - 1, -1, -1):
        if not leaf[node]:
            one, other = left[node], right[node]
            value[node] = (count[one] * value[one] + count[other] * value[other]) / (count[one] + count[other])
    return TreeColumns(
        np.where(leaf, -1, nodes["feature_idx"]).tolist(),
        np.where(leaf, 0.0, nodes["num_threshold"]).tolist(),
        left.tolist(),
        right.tolist(),
        value.tolist(),
    )


def fitted_trees(values: NDArray[np.float64], labels: NDArray[np.bool_], options: TreeOptions, seed: int = 0) -> Trees:
    """Boosted trees for the log-odds of `labels`. `values`: (candidates, features), without unknown ones."""
    require("sklearn", extra="train", purpose="training an indexer")
    from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]

    model = HistGradientBoostingClassifier(**asdict(options), early_stopping=False, random_state=seed)
    model.fit(values, labels)
    plain = [asdict(tree_columns(predictors[0].nodes)) for predictors in model._predictors]
    return trees_of({"base": float(np.ravel(model._baseline_prediction)[0]), "trees": plain}, values.shape[1])
