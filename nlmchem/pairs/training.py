"""Trains the solver: a logistic regression on pairs with answers, and its accuracy in cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from corpora.pairs.pair import ContextPair
from corpora.pairs.selection import clusters
from corpora.reporting import Report, log
from nlmchem.pairs.evidence import Floats
from nlmchem.pairs.model import PairModel

__all__ = ["PENALTY", "cross_validate", "fit", "learn", "usable"]

PENALTY = 10.0
"""Of half the sum of squared weights of standardised features, against the sum of losses."""
STEPS = 50
FOLDS = 5


def usable(pairs: Sequence[ContextPair], report: Report = log) -> list[ContextPair]:
    """The pairs with an answer and with both terms at their spans. The others are reported."""
    found = [pair for pair in pairs if pair.is_in_place and pair.same is not None]
    if len(found) < len(pairs):
        report(f"{len(pairs) - len(found)} of {len(pairs)} pairs have no answer, or a term that is not at its span")
    return found


def learn(
    pairs: Sequence[ContextPair],
    values: Floats,
    features: Sequence[str],
    seed: int = 0,
    provenance: dict[str, Any] | None = None,
    report: Report = log,
) -> PairModel:
    """Train on all pairs. `values`, `features`: of `Evidences`.

    The provenance gets the number of pairs and the accuracy in cross-validation.

    Raises `ConfigurationError` if there are not both answers, or fewer than `FOLDS` independent groups of pairs.
    """
    same = np.array([bool(pair.same) for pair in pairs])
    if not 0 < same.sum() < len(same):
        raise ConfigurationError("the pairs need both answers, same and different; add pairs of the other answer")
    cluster = clusters(pairs)
    if len(set(cluster.tolist())) < FOLDS:
        raise ConfigurationError(
            f"the pairs are in fewer than {FOLDS} groups without common sentences or terms; give more pairs to train on"
        )
    right = (cross_validate(values, same, cluster, seed) > 0.5) == same
    accuracy = float(right.mean())
    report(f"accuracy {accuracy:.4f} in {FOLDS}-fold cross-validation by common sentence or term")
    model = fit(values, same, features)
    facts = {**(provenance or {}), "pairs": len(pairs), "cross-validated accuracy": round(accuracy, 4)}
    return replace(model, provenance=facts)


def cross_validate(values: Floats, same: NDArray[np.bool_], cluster: NDArray[np.int64], seed: int = 0) -> Floats:
    """The probability of "same" for each pair, by a model that was trained without its group of pairs."""
    fold = np.random.default_rng(seed).integers(0, FOLDS, int(cluster.max(initial=0)) + 1)[cluster]
    found = np.full(len(same), float(same.mean()) if len(same) else 0.5)
    for number in range(FOLDS):
        held = fold == number
        if held.any() and 0 < same[~held].sum() < (~held).sum():
            found[held] = fit(values[~held], same[~held]).probabilities(values[held])
    return found


def fit(values: Floats, same: NDArray[np.bool_], features: Sequence[str] = (), penalty: float = PENALTY) -> PairModel:
    """Penalised logistic regression by Newton's method. `values`: (pairs x features)."""
    means = values.mean(axis=0)
    scales = values.std(axis=0)
    # A constant feature gets no weight.
    scales = np.where(scales > 1e-6, scales, 1.0)
    design = np.hstack([(values - means) / scales, np.ones((len(values), 1))])
    weights = np.zeros(design.shape[1])
    punished = np.full(len(weights), penalty)
    punished[-1] = 0.0
    for _ in range(STEPS):
        probability = 0.5 * (1 + np.tanh(0.5 * (design @ weights)))
        gradient = design.T @ (probability - same) + punished * weights
        curvature = np.maximum(probability * (1 - probability), 1e-9)
        hessian = (design * curvature[:, None]).T @ design + np.diag(punished + 1e-9)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return PairModel(
        tuple(features), tuple(means.tolist()), tuple(scales.tolist()), tuple(weights[:-1].tolist()), float(weights[-1])
    )
