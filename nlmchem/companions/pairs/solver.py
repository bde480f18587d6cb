"""Answers pairs: the same meaning or not, with a score and the reasons. Trains the logistic regression behind it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from corpora.errors import Argument, ConfigurationError
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from indexing.learning import model_file
from indexing.learning.crossfit import folds, parts_of
from indexing.learning.linear import Flags, Floats, Linear, fit_linear, sigmoid
from nlmchem.companions.pairs.features import FEATURES, SENSES, PairFeatureMaker
from nlmchem.companions.pairs.pair import ContextPair, clusters

EMBEDDED = Path(__file__).with_name("default.json")
"""The model that comes with the package; default.md beside it is its card."""
KIND = "pairs"
"""The kind of the model files, and the name of the regression in them."""
REASONS = 3
"""How many reasons an answer gets."""
PENALTY = 10.0
"""Of half the sum of squared weights of standardised features, against the sum of losses. Chosen for models that answer
pairs of the same source; for other sources, a higher one is better (docs/measurements/pairs.md)."""
FOLDS = 5


@dataclass(frozen=True, slots=True)
class PairModel:
    """A regression on the features of a pair; the probability is that of "same"."""

    linear: Linear
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    """The sha256 of the file."""

    def probabilities(self, values: Floats) -> Floats:
        """The probability of "same" of each row of `values` (pairs x features)."""
        return sigmoid(self.linear.contributions(values).sum(axis=-1) + self.linear.intercept)

    def reasons(self, values: Floats, facts: Mapping[str, str], same: bool) -> tuple[str, ...]:
        """The features that speak most for the answer, by what they add to the log-odds."""
        reasons = []
        added = self.linear.contributions(values)
        for at in np.argsort(-added if same else added, kind="stable")[:REASONS].tolist():
            if (added[at] > 0) == same and added[at]:
                name = self.linear.features[at]
                words = facts.get(name) if values[at] else None
                reasons.append(f"{words or f'{name} {values[at]:.3g}'} ({added[at]:+.2f})")
        return tuple(reasons)


def read_model(path: Path) -> PairModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    return PairModel(file.linear(KIND, FEATURES), file.card, file.version)


def write_model(path: Path, model: PairModel) -> None:
    """Write a model atomically. Numbers are rounded; the same model gives the same bytes."""
    model_file.write(path, KIND, model.card, {KIND: model.linear})


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """The answer to the pair with this id."""

    id: str
    same: bool
    score: float
    """The probability of "same", 0..1."""
    reasons: tuple[str, ...]
    """The strongest first: a fact, or the name of a feature with its value, and what it adds to the log-odds."""

    def as_object(self) -> dict[str, Any]:
        """For JSON; `label` is 1 for "same"."""
        return {"id": self.id, "label": int(self.same), "score": self.score, "reasons": list(self.reasons)}


class Solver:
    """Answers pairs by their features and a logistic model. It keeps nothing from one pair to the next."""

    def __init__(self, features: PairFeatureMaker, model: PairModel | None = None) -> None:
        """`model`: None for the one that comes with the package; it needs a dictionary.

        Raises `ConfigurationError` if the model needs a feature that is not made, and `ResourceError` if the
        model of the package is damaged.
        """
        self._features = features
        self.model = model or read_model(EMBEDDED)
        missing = [name for name in self.model.linear.features if name not in features.features]
        if missing:
            off, default = Argument("dictionary", "off"), Argument("encoder", "default")
            remedy = ("leave out ", off) if missing[0] in SENSES else ("add ", default)
            raise ConfigurationError(f"the model was trained with the feature {missing[0]!r}; ", *remedy)

    def __call__(self, pairs: Iterable[ContextPair], report: Report = log) -> Iterator[PairAnswer]:
        """The answers. A pair with a term that is not at its span gets no answer and is reported."""
        for pair in pairs:
            if pair.fault is not None:
                report(f"pair {pair.id} has no answer: {pair.fault}; correct the span or the sentence")
                continue
            by_name, facts = self._features.of(pair)
            values = np.array([by_name[name] for name in self.model.linear.features])
            # Rounded first, so that the answer follows from the score as it is written.
            score = round(float(self.model.probabilities(values)), 4)
            same = score >= 0.5
            yield PairAnswer(pair.id, same, score, self.model.reasons(values, facts, same))


def usable(pairs: Sequence[ContextPair], report: Report = log) -> list[ContextPair]:
    """The pairs with an answer and with both terms at their spans. The others are reported."""
    answered = [pair for pair in pairs if pair.fault is None and pair.same is not None]
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

    The card gets the accuracy in cross-validation and, with several sources, where each is predicted from the others.
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
    probabilities = np.full(len(same), float(same.mean()))
    for held in parts:
        rest = ~held
        if same[rest].any() and not same[rest].all():
            model = PairModel(fit_linear(values[rest], same[rest], features, penalty))
            probabilities[held] = model.probabilities(values[held])
    return probabilities
