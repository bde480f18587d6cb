"""Fits the weights of the choice on hidden definitions, by maximum likelihood with L2 regularisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmchem.abbreviations.senses.choice import ChoiceModel, Weights
from nlmchem.abbreviations.senses.features import FEATURES, OTHER_FEATURES
from nlmchem.abbreviations.senses.simulation import Hidden

__all__ = ["crossfitted", "fit"]

L2 = 1.0
FOLDS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Data:
    """Standardised features: senses of all samples in one array, and where each sample begins."""

    senses: Floats
    other: Floats
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    gold: NDArray[np.int64]


def fit(samples: Sequence[Hidden], l2: float = L2, provenance: Mapping[str, Any] | None = None) -> ChoiceModel:
    """The weights that make the samples most probable. A sample whose sense is unknown has "another sense" as gold."""
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    senses = np.concatenate([one.evidence.senses for one in samples])
    other = np.array([one.evidence.other for one in samples])
    scaling = [(values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)) for values in (senses, other)]
    # The bias is constant.
    scaling[1][0][0], scaling[1][1][0] = 0.0, 1.0
    sizes = np.array([len(one.evidence.senses) for one in samples])
    data = _Data(
        (senses - scaling[0][0]) / scaling[0][1],
        (other - scaling[1][0]) / scaling[1][1],
        np.cumsum(sizes) - sizes,
        sizes,
        np.array([one.gold for one in samples]),
    )
    width = len(FEATURES)
    result = minimize(
        _loss, np.zeros(width + len(OTHER_FEATURES)), (data, l2), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )
    parts = result.x[:width], result.x[width:]
    weights = [
        Weights(names, tuple(map(float, means)), tuple(map(float, scales)), tuple(map(float, part)))
        for names, (means, scales), part in zip((FEATURES, OTHER_FEATURES), scaling, parts, strict=True)
    ]
    return ChoiceModel(weights[0], weights[1], provenance or {})


def _loss(weights: Floats, data: _Data, l2: float) -> tuple[float, Floats]:
    """The negative log-likelihood and its gradient."""
    width = data.senses.shape[1]
    utility, other = data.senses @ weights[:width], data.other @ weights[width:]
    most = np.maximum(np.maximum.reduceat(utility, data.starts), other)
    terms, rest = np.exp(utility - np.repeat(most, data.sizes)), np.exp(other - most)
    whole = np.add.reduceat(terms, data.starts) + rest
    known = data.gold >= 0
    gold = data.starts[known] + data.gold[known]
    likelihood = (utility[gold] - most[known]).sum() + (other - most)[~known].sum() - np.log(whole).sum()
    gradient = np.concatenate(
        [
            data.senses.T @ (terms / np.repeat(whole, data.sizes)) - data.senses[gold].sum(axis=0),
            data.other.T @ (rest / whole) - data.other[~known].sum(axis=0),
        ]
    )
    return float(-likelihood + 0.5 * l2 * weights @ weights), gradient + l2 * weights


def crossfitted(samples: Sequence[Hidden], folds: int = FOLDS, l2: float = L2) -> list[Floats]:
    """The probabilities of the senses of each sample, by weights that were fitted on other articles."""
    fold = np.array([one.article % folds for one in samples])
    found: list[Floats] = [np.zeros(0)] * len(samples)
    for number in range(folds):
        model = fit([one for one, own in zip(samples, fold, strict=True) if own != number], l2)
        for index in np.nonzero(fold == number)[0].tolist():
            evidence = samples[index].evidence
            found[index] = model.probabilities(evidence.senses, evidence.other)
    return found
