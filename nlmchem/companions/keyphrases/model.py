"""The model of keyphrases: a regression, trees for the second stage, and a prior, in one JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.learning import model_file
from indexing.learning.forest import Forest
from indexing.learning.linear import Columns, Floats, Linear, matrix_of, sigmoid
from nlmchem.companions.keyphrases import priors
from nlmchem.companions.keyphrases.candidates import Candidates
from nlmchem.companions.keyphrases.features import FEATURES, columns
from nlmchem.companions.keyphrases.frequencies import Frequencies
from nlmchem.companions.keyphrases.frequencies import read as read_frequencies
from nlmchem.companions.keyphrases.priors import KeyphrasePrior
from nlmchem.companions.keyphrases.redundancy import SECOND, best, relations

KIND = "keyphrases"
"""The kind of the model files."""
DEFAULT = Path(__file__).with_name("default.json")
"""The embedded model; its card is nlmchem/companions/keyphrases/default.md."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scored:
    """The candidates that reached the second stage, best first.

    `numbers`: their numbers in `Candidates`. `scores`: 0..1. `values`: the features of the trees, (candidates,
    features).
    """

    numbers: Ints
    scores: Floats
    values: Floats


@dataclass(frozen=True, slots=True)
class KeyphraseModel:
    """`first` ranks all candidates, `second` the best of them. `threshold` (0..1): the lowest score that is chosen."""

    first: Linear
    second: Forest
    prior: KeyphrasePrior
    threshold: float
    table: Frequencies
    version: str = ""
    card: Mapping[str, Any] = field(default_factory=dict)

    def score(self, candidates: Candidates) -> Scored:
        """Score the candidates of an article; equal scores are ordered by first place, then length."""
        values = columns(candidates, self.table, self.prior, self.first.features)
        log_odds = self.first.log_odds(matrix_of(values, self.first.features))
        order = best(log_odds)
        second = matrix_of(second_columns(candidates, values, order, log_odds), self.second.features)
        scores = sigmoid(self.second.log_odds(second))
        ranks = np.lexsort((candidates.lengths[order], candidates.first[order], -scores))
        return Scored(order[ranks], scores[ranks], second[ranks])


def second_columns(candidates: Candidates, values: Columns, order: Ints, log_odds: Floats) -> Columns:
    """The features of the second stage for the candidates `order`: those of the first, and how they relate."""
    return {**{name: column[order] for name, column in values.items()}, **relations(candidates, order, log_odds)}


def open_model(given: str | None) -> KeyphraseModel:
    """The model of a path; None and `default` mean the embedded one. Raises `ResourceError`."""
    return read(DEFAULT if given in (None, "default") else Path(str(given)))


def read(path: Path, table: Frequencies | None = None) -> KeyphraseModel:
    """Read a model and the embedded table of phrases (or `table`). Raises `ResourceError`."""
    file = model_file.read(path, KIND)
    first = file.linear("first", FEATURES)
    return KeyphraseModel(
        first,
        file.forest("second", (*first.features, *SECOND)),
        file.value("prior", priors.prior_of),
        file.share("threshold"),
        table or read_frequencies(),
        file.version,
        file.card,
    )


def write(path: Path, model: KeyphraseModel) -> None:
    """Write a model atomically. The same model gives the same bytes."""
    values = {"threshold": round(model.threshold, 6), "prior": priors.plain(model.prior)}
    model_file.write(path, KIND, model.card, {"first": model.first}, {"second": model.second}, values)
