"""The trees of scikit-learn's gradient boosting as plain columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TreeColumns", "tree_columns"]


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
