"""The choice among senses: a conditional logistic regression (McFadden 1974) whose last alternative is "another sense".

The probability of a sense is the softmax of the weighted features of all senses, and of the features of the short form
that speak for a sense outside the dictionary. So an answer can be uncertain although one sense is the best of all.
There are weights for articles, and others for texts as short as a sentence, which tell less about their field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from indexing.learning import model_file
from indexing.learning.fitting import fit_choice, standards
from indexing.learning.linear import Floats, Linear, matrix_of
from indexing.learning.validation import folds
from nlmchem.abbreviations.senses.features import FEATURES, OTHER_FEATURES, SENTENCE, SenseFeatures

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


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the senses, and those of the alternative "another sense"."""

    senses: Linear
    other: Linear

    def probabilities(self, found: SenseFeatures) -> Floats:
        """The probability of each sense, in the order of the rows of `found.senses`.

        Those of a short form sum to less than 1; the rest is that of another sense. Each form has at least one sense.
        """
        starts = found.starts
        begins, sizes = starts[:-1], np.diff(starts)
        utility = self.senses.log_odds(matrix_of(found.senses, self.senses.features))
        # Column by column: another order of the memory changes the last digits of the product.
        rest = self.other.log_odds(np.asfortranarray(matrix_of(found.other, self.other.features)))
        most = np.maximum(np.maximum.reduceat(utility, begins), rest)
        values = np.exp(utility - np.repeat(most, sizes))
        whole = np.add.reduceat(values, begins) + np.exp(rest - most)
        result: Floats = values / np.repeat(whole, sizes)
        return result


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """The weights for articles and for sentences. A model without sentences to learn from has the same for both."""

    article: Weights
    sentence: Weights
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    @property
    def reads_sentences(self) -> bool:
        """Whether sentences have features of their own."""
        return not set(SENTENCE).isdisjoint(self.sentence.senses.features)


def fit(samples: Sequence[Sample], with_sentences: bool = False) -> Weights:
    """The weights that make the samples most probable. A sample whose sense is unknown has "another sense" as gold.

    `with_sentences`: the samples are sentences, and have their features.
    """
    names = tuple(name for name in FEATURES if with_sentences or name not in SENTENCE)
    senses = np.concatenate([matrix_of(one.features.senses, names) for one in samples])
    other = np.concatenate([matrix_of(one.features.other, OTHER_FEATURES) for one in samples])
    sizes = np.array([len(one.features.candidates[0]) for one in samples])
    gold = np.array([one.gold for one in samples])
    rest = standards(other, OTHER_FEATURES)
    # The bias is constant: without its mean.
    rest = replace(rest, means=np.where(np.array(OTHER_FEATURES) == "bias", 0.0, rest.means))
    parts = standards(senses, names), rest
    return Weights(*fit_choice(senses, other, np.cumsum(sizes) - sizes, gold, parts, PENALTY))


def crossfitted(samples: Sequence[Sample], groups: Sequence[Any], with_sentences: bool = False) -> list[Floats]:
    """The probabilities of the senses of each sample, by weights that were fitted on other groups."""
    found: list[Floats] = [np.zeros(0)] * len(samples)
    for held in folds(groups, FOLDS, 0):
        weights = fit([samples[at] for at in np.flatnonzero(~held).tolist()], with_sentences)
        for at in np.flatnonzero(held).tolist():
            found[at] = weights.probabilities(samples[at].features)
    return found


def read_choice(path: Path) -> ChoiceModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    article, sentence = (
        Weights(file.linear(part, FEATURES), file.linear(f"{part}, another sense", OTHER_FEATURES))
        for part in ("article", "sentence")
    )
    return ChoiceModel(article, sentence, file.card, file.version)


def write_choice(path: Path, model: ChoiceModel) -> None:
    """Write the model. No partial file is left after an error."""
    parts: dict[str, Linear] = {}
    for part, weights in (("article", model.article), ("sentence", model.sentence)):
        parts |= {part: weights.senses, f"{part}, another sense": weights.other}
    model_file.write(path, KIND, model.card, parts)
