"""The second stage: how a candidate relates to the other candidates that the first stage ranked high.

A phrase whose words are in better candidates adds little. The trees of the second stage receive these values with the
features of the first stage.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexing.learning.linear import Columns, Floats
from nlmchem.companions.keyphrases.candidates import LONGEST, Candidates

TOP = 150
"""Candidates that the second stage ranks: those with the highest log-odds of the first stage."""
SECOND = (
    "log-odds", "log-rank", "lead", "covered", "longer-lead", "inner-lead", "sharing-above", "likeness-above",
    "last-word-above",
)  # fmt: skip
"""The features of the second stage.

`lead`: log-odds minus those of the tenth candidate. `covered`: the share of content words that better candidates
contain. `longer-lead`, `inner-lead`: the log-odds of the best candidate that contains this one, or is contained in it,
minus its own. `sharing-above`: better candidates with a common word. `likeness-above`: the largest share of common
words with a better candidate. `last-word-above`: better candidates with the same last word.
"""
_TENTH = 10
_NONE = -8.0
"""The lead where there is no such candidate."""

Ints = NDArray[np.int64]


def best(log_odds: Floats) -> Ints:
    """The candidates for the second stage, best first; of equal ones the first in the article."""
    return np.argsort(-log_odds, kind="stable")[:TOP]


def relations(candidates: Candidates, order: Ints, log_odds: Floats) -> Columns:
    """The features of the second stage (`SECOND`) for the candidates `order`, best first."""
    size = len(order)
    if not size:
        return dict.fromkeys(SECOND, np.zeros(0))
    ordered = log_odds[order]
    members, last = _members(candidates, order)
    sizes = members.sum(axis=1)
    common = members @ members.T
    above = np.tri(size, k=-1)
    contains = (common >= sizes[None, :]) & (sizes[:, None] > sizes[None, :])
    differences = ordered[None, :] - ordered[:, None]
    likeness = common / (sizes[:, None] + sizes[None, :] - common)
    return {
        "log-odds": ordered,
        "log-rank": np.log1p(np.arange(size)),
        "lead": ordered - ordered[min(_TENTH, size) - 1],
        "covered": (members * (above @ members > 0)).sum(axis=1) / sizes,
        "longer-lead": np.where(contains.T, differences, _NONE).max(axis=1),
        "inner-lead": np.where(contains, differences, _NONE).max(axis=1),
        "sharing-above": np.log1p(((common > 0) * above).sum(axis=1)),
        "likeness-above": (likeness * above).max(axis=1),
        "last-word-above": np.log1p(((last[:, None] == last[None, :]) * above).sum(axis=1)),
    }


def _members(candidates: Candidates, order: Ints) -> tuple[Floats, Ints]:
    """Which content words each candidate has, (candidates, words), and its last word."""
    lengths = candidates.lengths[order]
    places = candidates.first[order][:, None] + np.arange(LONGEST)
    inside = np.arange(LONGEST) < lengths[:, None]
    places = np.where(inside, places, 0)
    stems = candidates.words.stems[places]
    content = inside & candidates.words.edges[places]
    _, numbers = np.unique(stems, return_inverse=True)
    numbers = numbers.reshape(stems.shape)
    members = np.zeros((len(order), int(numbers.max()) + 1))
    rows, columns = np.nonzero(content)
    members[rows, numbers[rows, columns]] = 1.0
    return members, stems[np.arange(len(order)), lengths - 1]
