"""Trains the solver: a logistic regression on pairs with answers, and its accuracy in cross-validation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from corpora.errors import ConfigurationError
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from indexing.learning.crossfit import Positions, cross_fitted, folds, parts_of
from indexing.learning.linear import Flags, Floats, fit_linear
from nlmchem.companions.pairs.pair import ContextPair
from nlmchem.companions.pairs.selection import clusters
from nlmchem.companions.pairs.solver import PairModel

PENALTY = 10.0
"""Of half the sum of squared weights of standardised features, against the sum of losses. Chosen for models that answer
pairs of the same source; for other sources, a higher one is better (docs/measurements/pairs.md)."""
FOLDS = 5


def usable(pairs: Sequence[ContextPair], report: Report = log) -> list[ContextPair]:
    """The pairs with an answer and with both terms at their spans. The others are reported."""
    answered = [pair for pair in pairs if pair.is_in_place and pair.same is not None]
    if len(answered) < len(pairs):
        report(
            f"{len(pairs) - len(answered)} of {quantity(len(pairs), 'pair')} without an answer, or "
            "with a term that is not at its span"
        )
    return answered


def learn(
    pairs: Sequence[ContextPair],
    values: Floats,
    features: Sequence[str],
    seed: int = 0,
    card: dict[str, Any] | None = None,
    report: Report = log,
    sources: Sequence[str] = (),
    penalty: float = PENALTY,
) -> PairModel:
    """Train on all pairs. `values`, `features`: of `PairFeatureMaker`. `sources`: where each pair is from.

    The card gets the number of pairs and the accuracy in cross-validation. With two sources or more, it also gets the
    accuracy where each is predicted from the others, which tells more about new texts.

    Raises `ConfigurationError` if there are not both answers, or fewer than `FOLDS` independent groups of pairs.
    """
    same = np.array([bool(pair.same) for pair in pairs])
    if not 0 < same.sum() < len(same):
        raise ConfigurationError("the pairs need both answers, same and different; add pairs of the other answer")
    cluster = clusters(pairs, by_concept=True).tolist()
    if len(set(cluster)) < FOLDS:
        raise ConfigurationError(
            f"the pairs are in fewer than {FOLDS} groups without common sentences, terms or concepts; "
            "give more pairs to train on"
        )
    right = (cross_validate(values, same, features, cluster, seed, penalty) > 0.5) == same
    accuracy = float(right.mean())
    report(f"accuracy {accuracy:.4f} in {FOLDS}-fold cross-validation by common sentence, term or concept")
    facts = {**(card or {}), "pairs": len(pairs), "cross-validated accuracy": round(accuracy, 4)}
    if len(set(sources)) > 1:
        facts["accuracy by source"] = by_source(values, same, features, sources, penalty)
        shares = ", ".join(f"{name} {share:.4f}" for name, share in facts["accuracy by source"].items())
        report(f"accuracy where each source is predicted from the others: {shares}")
    return PairModel(fit_linear(values, same, features, penalty), facts)


def cross_validate(
    values: Floats,
    same: Flags,
    features: Sequence[str],
    groups: Sequence[Hashable],
    seed: int = 0,
    penalty: float = PENALTY,
) -> Floats:
    """The probability of "same" for each pair, by a model that was trained without its group of pairs."""
    return _held_out(values, same, features, folds(groups, FOLDS, seed), penalty)


def by_source(
    values: Floats, same: Flags, features: Sequence[str], sources: Sequence[str], penalty: float = PENALTY
) -> dict[str, float]:
    """The accuracy for the pairs of each source, by a model that was trained on the other sources."""
    parts = dict(zip(dict.fromkeys(sources), parts_of(sources), strict=True))
    right = (_held_out(values, same, features, parts.values(), penalty) > 0.5) == same
    return {name: round(float(right[of_source].mean()), 4) for name, of_source in parts.items()}


def _held_out(values: Floats, same: Flags, features: Sequence[str], parts: Iterable[Flags], penalty: float) -> Floats:
    """The probability of "same" for each pair, by a model that was trained without its part.

    It is the share of all pairs where the other parts have only one answer.
    """

    def fitted(rest: Positions) -> PairModel | None:
        if same[rest].all() or not same[rest].any():
            return None
        return PairModel(fit_linear(values[rest], same[rest], features, penalty))

    def probabilities(model: PairModel | None, held: Positions) -> list[float]:
        return model.probabilities(values[held]).tolist() if model else [float(same.mean())] * len(held)

    return np.array(cross_fitted(parts, fitted, probabilities))
