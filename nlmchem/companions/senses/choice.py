"""The choice among senses: a conditional logistic regression (McFadden 1974) whose last alternative is "another sense".

The probability of a sense is the softmax of the weighted features of all senses, and of the features of the short form
that speak for a sense outside the dictionary. So an answer can be uncertain although one sense is the best of all.
There are weights for articles, and others for texts as short as a sentence, which tell less about their field: for the
senses of this dictionary, and for those of another one, of which less is known. For a sentence that an encoder reads,
both have further weights, which were fitted together with that of its cosine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from indexing.learning import model_file
from indexing.learning.crossfit import cross_fitted, folds
from indexing.learning.linear import Floats, Linear, fit_choice, matrix_of, standards
from nlmchem.companions.senses.features import (
    ARTICLE_FEATURES,
    FEATURES,
    OTHER_FEATURES,
    SENTENCE_FEATURES,
    SenseFeatures,
)

KIND = "senses"
"""The kind of the model files."""
PENALTY = 30.0
FOLDS = 5
FEWEST_WORDS = 100
"""A text of fewer words counts as a sentence."""


class Sample(Protocol):
    """The features of one short form and the position of its right sense; -1: none of the candidates."""

    @property
    def features(self) -> SenseFeatures: ...
    @property
    def gold(self) -> int: ...


ARTICLE, SENTENCE, FOREIGN = "article", "sentence", "sentence, other dictionary"
PARTS = (ARTICLE, SENTENCE, FOREIGN, *(READ := (f"{SENTENCE}, encoder", f"{FOREIGN}, encoder")))
"""Which weights a model can have. `READ`: for sentences that an encoder reads."""
COSINE = "encoder cosine"
"""The feature that an encoder gives: the cosine of a sentence and a long form."""
OTHER = "another sense"


@dataclass(frozen=True, slots=True)
class SenseWeights:
    """Weights for the features of senses, of the alternative "another sense", and for the cosine of an encoder."""

    senses: Linear
    other: Linear
    encoder: Linear | None = None

    def probabilities(self, features: SenseFeatures) -> Floats:
        """The probability of each sense, in the order of the rows of `found.senses`.

        Those of a short form sum to less than 1; the rest is that of another sense. Each form has at least one sense.
        Without a column of cosines, these count as their mean.
        """
        begins, sizes = features.starts[:-1], np.diff(features.starts)
        utility, rest = self.log_odds(features)
        most = np.maximum(np.maximum.reduceat(utility, begins), rest)
        values = np.exp(utility - np.repeat(most, sizes))
        whole = np.add.reduceat(values, begins) + np.exp(rest - most)
        result: Floats = values / np.repeat(whole, sizes)
        return result

    def log_odds(self, features: SenseFeatures) -> tuple[Floats, Floats]:
        """The log-odds of each sense, and of another sense of each short form."""
        utility = self.senses.log_odds(matrix_of(features.senses, self.senses.features))
        if self.encoder is not None and COSINE in features.senses:
            utility = utility + self.encoder.log_odds(matrix_of(features.senses, self.encoder.features))
        # Column by column: another order of the memory changes the last digits of the product.
        return utility, self.other.log_odds(np.asfortranarray(matrix_of(features.other, self.other.features)))


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """Weights by the names of `PARTS`. Those of articles are always there."""

    parts: Mapping[str, SenseWeights]
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    def weights(self, short: bool, foreign: bool = False, read: bool = False) -> SenseWeights:
        """The weights of a text, or those that are nearest to them.

        `short`: of a sentence. `foreign`: the senses are of another dictionary. `read`: by an encoder.
        """
        names = [FOREIGN] * foreign + [SENTENCE] if short else []
        wanted = [f"{name}, encoder" for name in names] * read + [*names, ARTICLE]
        return next(self.parts[name] for name in wanted if name in self.parts)

    @property
    def reads_sentences(self) -> bool:
        """Whether sentences have features of their own."""
        return not set(SENTENCE_FEATURES).isdisjoint(self.weights(short=True).senses.features)


def fit(samples: Sequence[Sample], names: Sequence[str] = ARTICLE_FEATURES, penalty: float = PENALTY) -> SenseWeights:
    """The weights that make the samples most probable. A sample whose sense is unknown has "another sense" as gold.

    `names`: of the features of senses. `COSINE` can be the last one; its weight becomes that of the encoder.
    """
    senses = np.concatenate([matrix_of(sample.features.senses, names) for sample in samples])
    other = np.concatenate([matrix_of(sample.features.other, OTHER_FEATURES) for sample in samples])
    sizes = np.array([len(sample.features.candidates[0]) for sample in samples])
    gold = np.array([sample.gold for sample in samples])
    rest = standards(other, OTHER_FEATURES)
    # The bias is constant: without its mean.
    rest = replace(rest, means=np.where(np.array(OTHER_FEATURES) == "bias", 0.0, rest.means))
    parts = standards(senses, names), rest
    fitted, rest = fit_choice(senses, other, np.cumsum(sizes) - sizes, gold, parts, penalty)
    if names[-1] != COSINE:
        return SenseWeights(fitted, rest)
    return SenseWeights(_columns(fitted, slice(-1)), rest, _columns(fitted, slice(-1, None)))


def _columns(model: Linear, chosen: slice) -> Linear:
    return Linear(model.features[chosen], model.means[chosen], model.scales[chosen], model.weights[chosen])


def crossfitted(samples: Sequence[Sample], groups: Sequence[Any]) -> list[Floats]:
    """The probabilities of the senses of each sample, by weights that were fitted on other groups."""
    return cross_fitted(
        folds(groups, FOLDS, 0),
        lambda rest: fit([samples[at] for at in rest]),
        lambda weights, held: (weights.probabilities(samples[at].features) for at in held),
    )


def read_choice(path: Path) -> ChoiceModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    parts = {
        name: SenseWeights(
            file.linear(name, FEATURES),
            file.linear(f"{name}, {OTHER}", OTHER_FEATURES),
            file.linear(f"{name}, {COSINE}", (COSINE,)) if name in READ else None,
        )
        for name in PARTS
        if name == ARTICLE or name in file.content["linear"]
    }
    return ChoiceModel(parts, file.card, file.version)


def write_choice(path: Path, model: ChoiceModel) -> None:
    """Write the model. No partial file is left after an error."""
    parts: dict[str, Linear] = {}
    for name, weights in model.parts.items():
        parts |= {name: weights.senses, f"{name}, {OTHER}": weights.other}
        if weights.encoder is not None:
            parts[f"{name}, {COSINE}"] = weights.encoder
    model_file.write(path, KIND, model.card, parts)
