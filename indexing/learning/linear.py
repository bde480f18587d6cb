"""The linear model: weights of standardised features, by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.one_thread import one_thread

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Columns = Mapping[str, Floats]
"""The values of features by name; one item for each row."""


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
