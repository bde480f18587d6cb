"""The linear model: weights of standardised features, by name, and its fitting by Newton's method in numpy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.arrays import one_thread
from corpora.errors import ConfigurationError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Columns = Mapping[str, Floats]
"""The values of features by name; one item for each row."""
STEPS = 100
NEAR = 1e-8
"""The fitting ends when no weight changes by more than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Log-odds = intercept + sum of weight * (value - mean) / scale, for values of `features` in their order.

    An unknown value (NaN) counts as the mean.
    """

    features: tuple[str, ...]
    means: Floats
    scales: Floats
    weights: Floats
    intercept: float = 0.0

    @classmethod
    def of(cls, features: Mapping[str, tuple[float, float, float]], intercept: float = 0.0) -> Linear:
        """A model of mean, scale and weight by feature."""
        means, scales, weights = np.array(list(features.values()), dtype=np.float64).reshape(-1, 3).T.copy()
        return cls(tuple(features), means, scales, weights, intercept)

    def known(self, values: Floats) -> Floats:
        """The values with means in place of unknown ones."""
        filled: Floats = np.where(np.isnan(values), self.means, values)
        return filled

    def standard(self, values: Floats) -> Floats:
        """Values with the mean 0 and the standard deviation 1; unknown values are 0."""
        standard = (values - self.means) / self.scales
        filled: Floats = np.where(np.isnan(standard), 0.0, standard)
        return filled

    def probabilities(self, values: Floats) -> Floats:
        """The probability of each row of `values`."""
        return sigmoid(self.log_odds(values))

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds; of the shape of `values`, (..., features)."""
        return self.standard(values) * self.weights

    def log_odds(self, values: Floats) -> Floats:
        """The log-odds of each row of `values`; of their shape without the last axis."""
        with one_thread():
            sums: Floats = self.standard(values) @ self.weights + self.intercept
        return sums


def sigmoid(values: Floats) -> Floats:
    """Probabilities of log-odds."""
    # By tanh, because exp overflows for large numbers.
    probabilities: Floats = 0.5 * (1 + np.tanh(0.5 * values))
    return probabilities


def matrix_of(columns: Columns, features: Sequence[str]) -> Floats:
    """The columns of features as (rows, features). Raises `KeyError` for a feature without a column."""
    matrix: Floats = np.stack([columns[name] for name in features], axis=1).astype(np.float64, copy=False)
    return matrix


def linear_of(content: Mapping[str, Any], known: Collection[str]) -> Linear:
    """A linear model from the data of `plain_linear`. `known`: the features that this version has.

    Raises `ValueError`, `KeyError`, `TypeError`, `AttributeError` or `OverflowError` for wrong data.
    """
    rows = content["features"]
    named(rows, known)
    keys = ("mean", "scale", "weight")
    model = Linear.of({name: tuple(finite(row[key]) for key in keys) for name, row in rows.items()})  # type: ignore[misc]
    if not (model.scales > 0).all():
        raise ValueError("a scale is not greater than 0")
    return Linear(model.features, model.means, model.scales, model.weights, finite(content["intercept"]))


def plain_linear(model: Linear) -> dict[str, Any]:
    """A linear model as plain data; numbers have 6 decimals."""
    rows = zip(model.features, model.means.tolist(), model.scales.tolist(), model.weights.tolist(), strict=True)
    return {
        "intercept": round(model.intercept, 6),
        "features": {
            name: {"mean": round(mean, 6), "scale": max(round(scale, 6), 1e-6), "weight": round(weight, 6)}
            for name, mean, scale, weight in rows
        },
    }


def named(features: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """The names of features. Raises `ValueError` if there are none, one is there twice, or one is unknown."""
    names = tuple(features)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"this version has no feature {unknown[0]!r}")
    if not names or len(set(names)) < len(names):
        raise ValueError("a feature is named twice" if names else "no features")
    return names


def finite(value: Any) -> float:
    """A number. Raises `ValueError` or `TypeError` for anything else; Python reads NaN and Infinity from JSON."""
    if isinstance(value, (bool, str)):
        raise ValueError(f"{value!r} is not a number")
    number = float(value)
    if not np.isfinite(number):
        raise ValueError("a number is not finite")
    return number


# -- fitting ------------------------------------------------------------------------------------


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


def _newton(derivatives: Callable[[Floats], tuple[float, Floats, Floats]], size: int) -> Floats:
    """The weights with the least loss, which is convex. `derivatives`: loss, gradient and Hessian of weights."""
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
