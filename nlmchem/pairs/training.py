"""Trains the solver: a logistic regression on pairs with answers, and its accuracy in cross-validation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from corpora.errors import ConfigurationError
from corpora.pairs.pair import ContextPair
from corpora.pairs.selection import clusters
from corpora.reporting import Report, log
from indexing.learning.fitting import fit_linear
from indexing.learning.linear import Flags, Floats
from indexing.learning.validation import folds
from nlmchem.pairs.solver import PairModel

PENALTY = 10.0
"""Of half the sum of squared weights of standardised features, against the sum of losses."""
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
    card: dict[str, Any] | None = None,
    report: Report = log,
) -> PairModel:
    """Train on all pairs. `values`, `features`: of `PairFeatureMaker`.

    The card gets the number of pairs and the accuracy in cross-validation.

    Raises `ConfigurationError` if there are not both answers, or fewer than `FOLDS` independent groups of pairs.
    """
    same = np.array([bool(pair.same) for pair in pairs])
    if not 0 < same.sum() < len(same):
        raise ConfigurationError("the pairs need both answers, same and different; add pairs of the other answer")
    cluster = clusters(pairs).tolist()
    if len(set(cluster)) < FOLDS:
        raise ConfigurationError(
            f"the pairs are in fewer than {FOLDS} groups without common sentences or terms; give more pairs to train on"
        )
    right = (cross_validate(values, same, features, cluster, seed) > 0.5) == same
    accuracy = float(right.mean())
    report(f"accuracy {accuracy:.4f} in {FOLDS}-fold cross-validation by common sentence or term")
    facts = {**(card or {}), "pairs": len(pairs), "cross-validated accuracy": round(accuracy, 4)}
    return PairModel(fit_linear(values, same, features, PENALTY), facts)


def cross_validate(
    values: Floats, same: Flags, features: Sequence[str], groups: Sequence[Hashable], seed: int = 0
) -> Floats:
    """The probability of "same" for each pair, by a model that was trained without its group of pairs."""
    found = np.full(len(same), float(same.mean()) if len(same) else 0.5)
    for held in folds(groups, FOLDS, seed):
        if 0 < same[~held].sum() < (~held).sum():
            model = PairModel(fit_linear(values[~held], same[~held], features, PENALTY))
            found[held] = model.probabilities(values[held])
    return found
