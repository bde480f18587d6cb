"""Boosted trees as arrays: numpy computes all trees at once, and what each feature adds to the log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NO_TREES", "Trees", "plain", "trees_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trees:
    """Log-odds = `base` + the sum of one leaf for each tree.

    The arrays are (trees, nodes); node 0 is the root. Values of `feature` up to `threshold` lead to `left`, others to
    `right`. In a leaf, `left` and `right` are the leaf itself. `value` of an inner node is the mean of its leaves.
    """

    base: float
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    depth: int = 0
    """Steps from the root to the deepest leaf."""

    def log_odds(self, values: Floats) -> Floats:
        """The log-odds of each row of `values`, (candidates, features)."""
        trees = np.arange(len(self.feature))
        nodes = np.zeros((len(values), len(trees)), dtype=np.int64)
        for _ in range(self.depth):
            nodes = self._step(values, nodes)
        total: Floats = self.base + self.value[trees, nodes].sum(axis=1)
        return total

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds, of the shape of `values`.

        At each node the change of the value is added to the feature of the node (Saabas 2014). `start` is the rest.
        """
        trees = np.arange(len(self.feature))
        added = np.zeros_like(values)
        rows = np.arange(len(values))[:, None]
        nodes = np.zeros((len(values), len(trees)), dtype=np.int64)
        for _ in range(self.depth):
            after = self._step(values, nodes)
            change = self.value[trees, after] - self.value[trees, nodes]
            np.add.at(added, (np.broadcast_to(rows, nodes.shape), self.feature[trees, nodes]), change)
            nodes = after
        return added

    @property
    def start(self) -> float:
        """The log-odds before any feature is known."""
        return float(self.base + self.value[:, 0].sum()) if self.value.size else self.base

    def _step(self, values: Floats, nodes: Ints) -> Ints:
        flat = nodes + np.arange(len(self.feature)) * self.feature.shape[1]
        places = self.feature.take(flat) + np.arange(len(values))[:, None] * values.shape[1]
        below = values.take(places) <= self.threshold.take(flat)
        found: Ints = np.where(below, self.left.take(flat), self.right.take(flat))
        return found


def _depth(left: Ints, right: Ints) -> int:
    """Steps from the root to the deepest leaf; children have higher numbers than their parents."""
    depths = np.zeros(left.shape, dtype=np.int64)
    trees = np.arange(len(left))
    for node in range(left.shape[1]):
        for child in (left[:, node], right[:, node]):
            inner = child != node
            depths[trees[inner], child[inner]] = depths[inner, node] + 1
    return int(depths.max(initial=0))


def _empty(base: float) -> Trees:
    none, zeros = np.zeros((0, 1), dtype=np.int64), np.zeros((0, 1))
    return Trees(base, none, zeros, none, none, zeros)


NO_TREES = _empty(0.0)


def trees_of(content: Any, features: int) -> Trees:
    """Trees from plain data. Raises `ValueError`, `KeyError` or `TypeError` for wrong data.

    A cycle cannot occur: a child must have a higher number than its parent.
    """
    found = []
    for tree in content["trees"]:
        columns = [np.array(tree[key], dtype=kind) for key, kind in _KEYS]
        size = len(columns[0])
        if not size or any(column.shape != (size,) for column in columns):
            raise ValueError("a tree has columns of different lengths")
        feature, threshold, left, right, value = columns
        numbers = np.arange(size)
        inner = feature >= 0
        if (feature >= features).any() or not np.isfinite(threshold).all() or not np.isfinite(value).all():
            raise ValueError("a tree has an unknown feature or a number that is not finite")
        for child in (left, right):
            if (child[inner] <= numbers[inner]).any() or (child >= size).any():
                raise ValueError("a tree has a child in the wrong place")
        found.append(
            (
                np.where(inner, feature, 0),
                threshold,
                np.where(inner, left, numbers),
                np.where(inner, right, numbers),
                value,
            )
        )
    base = float(content["base"])
    if not np.isfinite(base):
        raise ValueError("the base of the trees is not finite")
    if not found:
        return _empty(base)
    width = max(len(tree[0]) for tree in found)
    # Nodes that are not used lead to themselves.
    fills = (0, 0.0, None, None, 0.0)
    stacked: Any = [
        np.stack([_padded(tree[column], width, fills[column]) for tree in found]) for column in range(len(_KEYS))
    ]
    feature, threshold, left, right, value = stacked
    return Trees(base, feature, threshold, left, right, value, _depth(left, right))


_KEYS = (
    ("feature", np.int64), ("threshold", np.float64), ("left", np.int64), ("right", np.int64), ("value", np.float64),
)  # fmt: skip


def _padded(column: NDArray[Any], width: int, fill: float | None) -> NDArray[Any]:
    rest = np.arange(len(column), width) if fill is None else np.full(width - len(column), fill)
    return np.concatenate([column, rest.astype(column.dtype)])


def plain(trees: Trees) -> dict[str, Any]:
    """Plain data for `trees_of`; in a leaf `feature` is -1."""
    found = []
    for number in range(len(trees.feature)):
        left = trees.left[number]
        used = _used(trees.left[number], trees.right[number])
        leaf = left[:used] == np.arange(used)
        found.append(
            {
                "feature": np.where(leaf, -1, trees.feature[number, :used]).tolist(),
                "threshold": [float(f"{value:.6g}") for value in trees.threshold[number, :used].tolist()],
                "left": left[:used].tolist(),
                "right": trees.right[number, :used].tolist(),
                "value": [round(value, 5) for value in trees.value[number, :used].tolist()],
            }
        )
    return {"base": round(trees.base, 6), "trees": found}


def _used(left: Ints, right: Ints) -> int:
    """The number of nodes of a tree without those that fill the row."""
    numbers = np.arange(len(left))
    children = np.concatenate([left[left != numbers], right[right != numbers]])
    return int(children.max(initial=0)) + 1
