"""From the log-odds of a decision to the probability that a mention is right.

The trees are fitted to candidates, and mentions are the best of these, some of them by the floor. How often mentions
are right is measured on articles that neither the tagger nor the trees have seen (`nlmchem.deciding.training`): two
logistic regressions, one for whole articles and one for short texts, where the same log-odds have another meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from indexing.learning.linear import Columns, Floats, Linear, matrix_of, sigmoid
from nlmchem.deciding.features import FEATURES, GROUPS, OF_THE_FLOOR

LOG_ODDS = ("log-odds", "log-odds below 0", "log-odds above 3")
"""The log-odds of the trees without the floor, as a line with two bends."""
NONE = 1.1
"""More than any probability."""
RAISED = "raised"
"""Whether the floor raised the log-odds."""
OF_ARTICLES = LOG_ODDS
OF_SHORT_TEXTS = (*LOG_ODDS, RAISED, *(name for name in (*FEATURES, *OF_THE_FLOOR) if name not in GROUPS["article"]))
"""In short texts the surroundings of a mention and the tagger's own probabilities add to the log-odds."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The regressions.

    A text with up to `few` mentions is short, one with `many` or more is a whole article; in between both count, by the
    logarithm of the number.
    """

    articles: Linear
    short: Linear | None
    """Of short texts (None: not measured)."""
    few: float
    many: float

    def __call__(self, columns: Columns, mentions: int) -> Floats:
        """The probability of each row. `columns`: of `calibration_columns`. `mentions`: how many the text has."""
        log_odds = self.articles.log_odds(matrix_of(columns, self.articles.features))
        if self.short is not None and mentions < self.many:
            # How far a text with so many mentions is a short one.
            share = min(1.0, log(self.many / max(1, mentions)) / log(self.many / self.few))
            short = self.short.log_odds(matrix_of(columns, self.short.features))
            log_odds = share * short + (1 - share) * log_odds
        return sigmoid(log_odds)


def lowest_for(target: float, probabilities: Floats) -> float:
    """The lowest probability of the mentions of an article that stay, so that the mean of theirs reaches the target.

    More than 1 if none stays. The mean of all articles then reaches the target as well, in any order of articles.
    """
    # As they are written, so that the mean of a finished file is the same.
    falling, numbers = np.unique(probabilities.round(4), return_counts=True)
    falling, numbers = falling[::-1], numbers[::-1]
    means = np.cumsum(falling * numbers) / np.cumsum(numbers)
    # Means fall with the probabilities, and equal ones stay or go together.
    kept = int((means.round(9) >= target).sum())
    return float(falling[kept - 1]) if kept else NONE


def calibration_columns(columns: Columns, without_floor: Floats, log_odds: Floats) -> Columns:
    """The columns of candidates, with those of their log-odds without and with the floor."""
    bends = (without_floor, np.minimum(without_floor, 0.0), np.maximum(without_floor - 3.0, 0.0))
    return {**columns, **dict(zip(LOG_ODDS, bends, strict=True)), RAISED: (log_odds > without_floor).astype(np.float64)}
