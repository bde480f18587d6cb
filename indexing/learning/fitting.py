"""Fits models: linear models by Newton's method in numpy, forests and word vectors by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from corpora.extras import require
from corpora.one_thread import one_thread
from indexing.learning.forest import Forest, Tree
from indexing.learning.linear import Flags, Floats, Linear

STEPS = 100
NEAR = 1e-8
"""The fitting ends when no weight changes by more than this."""
Ints = NDArray[np.int64]
Derivatives = Callable[[Floats], tuple[float, Floats, Floats]]
"""Loss, gradient and Hessian of weights."""


@dataclass(frozen=True, slots=True)
class ForestOptions:
    """Options of gradient boosting: `rate` of learning, `leaves` of a tree, the `least` number of rows in a leaf (None:
    40, or 5 for up to 4000 rows), the `penalty` (L2) of leaves."""

    trees: int = 60
    rate: float = 0.1
    leaves: int = 8
    least: int | None = None
    penalty: float = 5.0


def fit_linear(
    values: Floats, labels: Flags, features: Sequence[str], penalty: float, counts: Floats | None = None
) -> Linear:
    """Logistic regression on standardised values (rows, features).

    `penalty`: of half the sum of squared weights, against the sum of losses (1 / C of scikit-learn). `counts`: how
    often each row counts (None: once).
    """
    start = standards(values, features)
    design = np.hstack([start.standard(values), np.ones((len(values), 1))])
    punished = np.append(np.full(len(features), penalty), 0.0)
    signs = np.where(labels, 1.0, -1.0)
    often = np.ones(len(values)) if counts is None else counts

    def derivatives(weights: Floats) -> tuple[float, Floats, Floats]:
        log_odds = design @ weights
        chances = 0.5 * (1 + np.tanh(0.5 * log_odds))
        curvature = often * np.maximum(chances * (1 - chances), 1e-9)
        return (
            float(often @ np.logaddexp(0.0, -signs * log_odds) + 0.5 * (punished * weights) @ weights),
            design.T @ (often * (chances - labels)) + punished * weights,
            (design * curvature[:, None]).T @ design + np.diag(punished + 1e-9),
        )

    with one_thread():
        weights = _newton(derivatives, design.shape[1])
    return Linear(start.features, start.means, start.scales, weights[:-1], float(weights[-1]))


def fit_choice(
    senses: Floats, other: Floats, starts: Ints, gold: Ints, parts: tuple[Linear, Linear], penalty: float
) -> tuple[Linear, Linear]:
    """Conditional logistic regression: one of several senses, or the alternative "another" (McFadden 1974).

    `senses`: (all senses, features); the senses of sample i are the rows from `starts[i]` on. `other`: (samples, other
    features), of the alternative. `gold`: the right sense of each sample, -1 for the alternative. `parts`: means and
    scales of both (`standards`).
    """
    width, samples = senses.shape[1], len(other)
    sizes = np.diff(np.append(starts, len(senses)))
    # One row for each sense and, behind them, one for the alternative of each sample; columns of both parts.
    design = np.zeros((len(senses) + samples, width + other.shape[1]))
    design[: len(senses), :width], design[len(senses) :, width:] = parts[0].standard(senses), parts[1].standard(other)
    owner = np.concatenate([np.repeat(np.arange(samples), sizes), np.arange(samples)])
    chosen = design[np.where(gold >= 0, starts + gold, len(senses) + np.arange(samples))]

    def derivatives(weights: Floats) -> tuple[float, Floats, Floats]:
        utility = design @ weights
        most = np.maximum(np.maximum.reduceat(utility[: len(senses)], starts), utility[len(senses) :])
        terms = np.exp(utility - most[owner])
        whole = np.bincount(owner, terms)
        chances = terms / whole[owner]
        weighted = design * chances[:, None]
        means = np.stack([np.bincount(owner, column) for column in weighted.T], axis=1)
        return (
            float((most + np.log(whole)).sum() - (chosen @ weights).sum() + 0.5 * penalty * weights @ weights),
            weighted.sum(axis=0) - chosen.sum(axis=0) + penalty * weights,
            weighted.T @ design - means.T @ means + penalty * np.eye(len(weights)),
        )

    with one_thread():
        weights = _newton(derivatives, design.shape[1])
    first, second = parts
    return (
        Linear(first.features, first.means, first.scales, weights[:width]),
        Linear(second.features, second.means, second.scales, weights[width:]),
    )


def standards(values: Floats, features: Sequence[str]) -> Linear:
    """Means and scales of the features, with weights of 0. Unknown values (NaN) are left out."""
    known = np.where(np.isnan(values).all(axis=0), 0.0, values)
    means, scales = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    # For a constant value any scale is right.
    return Linear(tuple(features), means, np.where(scales < 1e-6, 1.0, scales), np.zeros(len(means)))


def _newton(derivatives: Derivatives, size: int) -> Floats:
    """The weights with the least loss, which is convex. Raises `ConfigurationError` if they are not found."""
    weights = np.zeros(size)
    loss, gradient, hessian = derivatives(weights)
    for _ in range(STEPS):
        step = np.linalg.solve(hessian, gradient)
        stepped = derivatives(weights - step)
        while not stepped[0] <= loss + 1e-9 * abs(loss) and np.abs(step).max() > NEAR:
            step = step / 2
            stepped = derivatives(weights - step)
        weights, (loss, gradient, hessian) = weights - step, stepped
        if np.abs(step).max() <= NEAR:
            return weights
    raise ConfigurationError("the weights of the regression are not found; give more examples")


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
    # scikit-learn has no public names for the trees; tests/indexing/learning/test_fitting.py compares the log-odds.
    trees = [_tree(predictors[0].nodes) for predictors in model._predictors]
    return Forest(features, float(np.ravel(model._baseline_prediction)[0]), trees)


def _tree(nodes: NDArray[Any]) -> Tree:
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


def singular_vectors(matrix: Any, width: int, rounds: int, seed: int) -> Floats:
    """The first right singular vectors of a sparse matrix (rows, columns), as (columns, width)."""
    require("sklearn", extra="train", purpose="training word vectors")
    from sklearn.utils.extmath import randomized_svd  # type: ignore[import-untyped]

    with one_thread():
        _, _, components = randomized_svd(matrix, width, n_iter=rounds, random_state=seed)
    vectors: Floats = components.T
    return vectors
