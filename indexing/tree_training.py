"""Trains boosted trees on the features of candidates."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from corpora.extras import require
from indexing.boosting import tree_from
from indexing.trees import Trees

__all__ = ["TreeOptions", "fitted_trees"]


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Options of gradient boosting, with the names of scikit-learn: trees, rate, leaves of a tree, candidates in a
    leaf, and the L2 penalty of leaves."""

    max_iter: int = 60
    learning_rate: float = 0.1
    max_leaf_nodes: int = 8
    min_samples_leaf: int = 20
    l2_regularization: float = 5.0


def fitted_trees(values: NDArray[np.float64], labels: NDArray[np.bool_], options: TreeOptions, seed: int = 0) -> Trees:
    """Boosted trees for the log-odds of `labels`. `values`: (candidates, features), without unknown ones."""
    require("sklearn", extra="train", purpose="training an indexer")
    from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]

    model = HistGradientBoostingClassifier(**asdict(options), early_stopping=False, random_state=seed)
    model.fit(values, labels)
    trees = tuple(tree_from(predictors[0].nodes) for predictors in model._predictors)
    return Trees(float(np.ravel(model._baseline_prediction)[0]), trees)
