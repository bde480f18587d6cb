"""Boosted trees with a base, and their plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.boosting import Forest, Tree, tree_of

__all__ = ["Trees", "plain", "trees_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trees:
    """Log-odds = `base` + the sum of one leaf for each tree."""

    base: float
    trees: Sequence[Tree]

    @cached_property
    def _forest(self) -> Forest:
        return Forest(self.trees)

    def log_odds(self, values: Floats) -> Floats:
        """The log-odds of each row of `values`, (candidates, features)."""
        return self._forest.log_odds(values, self.base)

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds, of the shape of `values`. `start` is the rest."""
        return self._forest.contributions(values)

    @property
    def start(self) -> float:
        """The log-odds before any feature is known."""
        return self.base + self._forest.start


def trees_of(content: Any, features: int) -> Trees:
    """Trees from plain data. Raises `ValueError`, `KeyError` or `TypeError` for wrong data."""
    base = float(content["base"])
    if not np.isfinite(base):
        raise ValueError("the base of the trees is not finite")
    return Trees(base, tuple(tree_of(row, features) for row in content["trees"]))


def plain(trees: Trees) -> dict[str, Any]:
    """Plain data for `trees_of`, with rounded numbers."""
    return {"base": round(trees.base, 6), "trees": [asdict(_rounded(tree)) for tree in trees.trees]}


def _rounded(tree: Tree) -> Tree:
    return replace(
        tree,
        threshold=tuple(float(f"{value:.6g}") for value in tree.threshold),
        value=tuple(round(value, 5) for value in tree.value),
    )
