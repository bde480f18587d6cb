"""Counts and scores: what every measure gives for one document, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

__all__ = ["NOTHING", "PRF", "Counts", "Score", "f1", "mean", "ratio", "total"]


class PRF(Protocol):
    """Precision, recall and F1, each in 0..1."""

    @property
    def precision(self) -> float: ...
    @property
    def recall(self) -> float: ...
    @property
    def f1(self) -> float: ...


def ratio(part: float, whole: float) -> float:
    """part / whole, and 0 where there is no whole."""
    return part / whole if whole else 0.0


def f1(precision: float, recall: float) -> float:
    """The harmonic mean, 0 where both are 0."""
    return ratio(2 * precision * recall, precision + recall)


@dataclass(frozen=True, slots=True)
class Counts:
    """What was found of the gold, and what was right of the predicted.

    `found` of `gold` gives recall, `right` of `predicted` gives precision. Under strict measures
    `found` and `right` are the same number, the true positives; under approximate spans they are not.
    """

    gold: int = 0
    found: int = 0
    predicted: int = 0
    right: int = 0

    @property
    def precision(self) -> float:
        return ratio(self.right, self.predicted)

    @property
    def recall(self) -> float:
        return ratio(self.found, self.gold)

    @property
    def f1(self) -> float:
        return f1(self.precision, self.recall)

    @property
    def false(self) -> int:
        """False positives."""
        return self.predicted - self.right

    @property
    def missed(self) -> int:
        """False negatives."""
        return self.gold - self.found

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.gold + other.gold,
            self.found + other.found,
            self.predicted + other.predicted,
            self.right + other.right,
        )


NOTHING = Counts()


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 that are not made of counts: of one document, or a mean over documents."""

    precision: float
    recall: float
    f1: float


def total(counts: Iterable[Counts]) -> Counts:
    """Micro-average: the counts of all documents together."""
    return sum(counts, NOTHING)


def mean(scores: Iterable[PRF | None]) -> Score:
    """Macro-average over the documents that have a score (None: it does not count); 0 where none has."""
    there = [score for score in scores if score is not None]
    number = len(there)
    return Score(
        ratio(sum(score.precision for score in there), number),
        ratio(sum(score.recall for score in there), number),
        ratio(sum(score.f1 for score in there), number),
    )
