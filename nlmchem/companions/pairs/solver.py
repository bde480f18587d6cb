"""Answers pairs: the same meaning or not, with a score and the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from corpora.errors import Argument, ConfigurationError
from corpora.reporting import Report, log
from indexing.learning import model_file
from indexing.learning.linear import Floats, Linear, sigmoid
from nlmchem.companions.pairs.features import FEATURES, SENSES, PairFeatureMaker, PairFeatures
from nlmchem.companions.pairs.pair import ContextPair

EMBEDDED = Path(__file__).with_name("default.json")
"""The model that comes with the package; default.md beside it is its card."""
KIND = "pairs"
"""The kind of the model files, and the name of the regression in them."""
REASONS = 3
"""How many reasons an answer gets."""


@dataclass(frozen=True, slots=True)
class PairModel:
    """A regression on the features of a pair; the probability is that of "same". `version`: the sha256 of the file."""

    linear: Linear
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    def values(self, pair: PairFeatures) -> Floats:
        """The values of a pair, as `probabilities` expects them."""
        return np.array([pair.values[name] for name in self.linear.features])

    def probabilities(self, values: Floats) -> Floats:
        """The probability of "same" of each row of `values` (pairs x features)."""
        return sigmoid(self.linear.contributions(values).sum(axis=-1) + self.linear.intercept)


def read_model(path: Path) -> PairModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    return PairModel(file.linear(KIND, FEATURES), file.card, file.version)


def write_model(path: Path, model: PairModel) -> None:
    """Write a model atomically. Numbers are rounded; the same model gives the same bytes."""
    model_file.write(path, KIND, model.card, {KIND: model.linear})


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """The answer to the pair with this id. `score`: the probability of "same", 0..1. `reasons`: the strongest first.

    A reason is a fact, or the name of a feature with its value, and what it adds to the log-odds.
    """

    id: str
    same: bool
    score: float
    reasons: tuple[str, ...]


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
            if pair.is_in_place:
                yield self._answer(pair.id, self._features.of(pair))
            else:
                report(f"pair {pair.id} has no answer: {_fault(pair)}; correct the span or the sentence")

    def _answer(self, id: str, pair: PairFeatures) -> PairAnswer:
        # Rounded first, so that the answer follows from the score as it is written.
        values = self.model.values(pair)
        score = round(float(self.model.probabilities(values)), 4)
        same = score >= 0.5
        return PairAnswer(id, same, score, _reasons(self.model, values, pair.facts, same))


def as_object(answer: PairAnswer) -> dict[str, Any]:
    """An answer for JSON: id, label (1: same), score and reasons."""
    return {"id": answer.id, "label": int(answer.same), "score": answer.score, "reasons": list(answer.reasons)}


def _reasons(model: PairModel, values: Floats, facts: Mapping[str, str], same: bool) -> tuple[str, ...]:
    """The features that speak most for the answer, by what they add to the log-odds."""
    reasons = []
    added = model.linear.contributions(values)
    for at in np.argsort(-added if same else added, kind="stable")[:REASONS].tolist():
        if (added[at] > 0) == same and added[at]:
            name = model.linear.features[at]
            words = facts.get(name) if values[at] else None
            reasons.append(f"{words or f'{name} {values[at]:.3g}'} ({added[at]:+.2f})")
    return tuple(reasons)


def _fault(pair: ContextPair) -> str:
    for term, sentence, span in (
        (pair.term1, pair.sentence1, pair.span1),
        (pair.term2, pair.sentence2, pair.span2),
    ):
        there = sentence[max(0, span[0]) : max(0, span[1])]
        if there != term or not term:
            return f"the term {term!r} is not at {span[0]}..{span[1]} of its sentence, where the text is {there!r}"
    return "the span of a term is negative or empty"
