"""Scores of hidden definitions: accuracy, and how many are answered at a wanted precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmchem.abbreviations.senses.simulation import Hidden

PRECISION = 0.91


@dataclass(frozen=True, slots=True)
class HidingScores:
    """Shares between 0 and 1.

    `reachable`: hidden definitions whose sense another article defines. `accuracy`: of all; `of_reachable`,
    `of_overshadowed`: of those whose sense is reachable, or is not the most frequent one. `popularity` and
    `popularity_of_reachable`: the same for the most frequent sense. `answered`: the largest share that the most
    confident answers can have at a precision of `PRECISION`, from the probability `threshold` on. `candidates`: senses
    that other articles define, on average.
    """

    samples: int
    articles: int
    candidates: float
    reachable: float
    accuracy: float
    of_reachable: float
    of_overshadowed: float
    popularity: float
    popularity_of_reachable: float
    answered: float
    threshold: float


def score_hidden(samples: Sequence[Hidden], scores: Sequence[NDArray[np.float64]]) -> HidingScores:
    """The scores of samples with the probabilities of their senses."""
    gold = np.array([one.gold for one in samples])
    best = np.array([int(own.argmax()) for own in scores])
    confidence = np.array([float(own.max()) for own in scores])
    known = np.array([one.known for one in samples])
    right = best == gold
    answered, threshold = answered_at(right, confidence)
    return HidingScores(
        samples=len(samples),
        articles=len({one.article for one in samples}),
        candidates=_mean(np.array([one.senses for one in samples])),
        reachable=_mean(known),
        accuracy=_mean(right),
        of_reachable=_mean(right[known]),
        of_overshadowed=_mean(right[gold > 0]),
        popularity=_mean(gold == 0),
        popularity_of_reachable=_mean(gold[known] == 0),
        answered=answered,
        threshold=threshold,
    )


def answered_at(
    right: NDArray[np.bool_], confidence: NDArray[np.float64], precision: float = PRECISION
) -> tuple[float, float]:
    """The largest share of answers that has this precision, by falling confidence, and the lowest confidence of it."""
    order = np.argsort(-confidence, kind="stable")
    precisions = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.nonzero(precisions >= precision)[0]
    if not len(enough):
        return 0.0, 1.0
    return float((enough[-1] + 1) / len(order)), float(confidence[order[enough[-1]]])


def _mean(values: NDArray[np.bool_] | NDArray[np.int64]) -> float:
    return float(values.mean()) if len(values) else 0.0
