"""The choice among senses: a conditional logistic regression (McFadden 1974) whose last alternative is "another sense".

The probability of a sense is the softmax of the weighted features of all senses, and of the features of the short form
that speak for a sense outside the dictionary. So an answer can be uncertain although one sense is the best of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from indexing.learning import model_file
from indexing.learning.linear import Floats, Linear, matrix_of
from nlmchem.abbreviations.senses.features import FEATURES, OTHER_FEATURES, SenseFeatures

KIND = "senses"
"""The kind of the model files."""


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """The weights of the senses, and those of the alternative "another sense"."""

    senses: Linear
    other: Linear
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

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


def read_choice(path: Path) -> ChoiceModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    return ChoiceModel(file.linear("senses", FEATURES), file.linear("other", OTHER_FEATURES), file.card, file.version)


def write_choice(path: Path, model: ChoiceModel) -> None:
    """Write the model. No partial file is left after an error."""
    model_file.write(path, KIND, model.card, {"senses": model.senses, "other": model.other})
