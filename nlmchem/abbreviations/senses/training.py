"""Fits the weights of the choice on hidden definitions, by maximum likelihood with L2 regularisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from indexing.learning.fitting import fit_choice, standards
from indexing.learning.linear import Floats, matrix_of
from indexing.learning.validation import folds
from nlmchem.abbreviations.senses.choice import ChoiceModel
from nlmchem.abbreviations.senses.features import FEATURES, OTHER_FEATURES
from nlmchem.abbreviations.senses.simulation import Hidden

PENALTY = 1.0
FOLDS = 5


def fit(samples: Sequence[Hidden], card: Mapping[str, Any] | None = None) -> ChoiceModel:
    """The weights that make the samples most probable. A sample whose sense is unknown has "another sense" as gold."""
    senses = np.concatenate([matrix_of(one.features.senses, FEATURES) for one in samples])
    other = np.concatenate([matrix_of(one.features.other, OTHER_FEATURES) for one in samples])
    sizes = np.array([len(one.features.candidates[0]) for one in samples])
    gold = np.array([one.gold for one in samples])
    rest = standards(other, OTHER_FEATURES)
    # The bias is constant: without its mean.
    rest = replace(rest, means=np.where(np.array(OTHER_FEATURES) == "bias", 0.0, rest.means))
    parts = standards(senses, FEATURES), rest
    return ChoiceModel(*fit_choice(senses, other, np.cumsum(sizes) - sizes, gold, parts, PENALTY), card or {})


def crossfitted(samples: Sequence[Hidden]) -> list[Floats]:
    """The probabilities of the senses of each sample, by weights that were fitted on other articles."""
    found: list[Floats] = [np.zeros(0)] * len(samples)
    for held in folds([one.article for one in samples], FOLDS, 0):
        model = fit([samples[at] for at in np.flatnonzero(~held).tolist()])
        for at in np.flatnonzero(held).tolist():
            found[at] = model.probabilities(samples[at].features)
    return found
