"""Counts and scores of one document, their averages over documents, and the reliability of probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class PRF(Protocol):
    """Precision, recall and F1, each in 0..1."""

    @property
    def precision(self) -> float: ...
    @property
    def recall(self) -> float: ...
    @property
    def f1(self) -> float: ...


def ratio(part: float, whole: float) -> float:
    """part / whole, or 0 if whole is 0."""
    return part / whole if whole else 0.0


def f1(precision: float, recall: float) -> float:
    """The harmonic mean, 0 if both are 0."""
    return ratio(2 * precision * recall, precision + recall)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many gold items were found, and how many predicted items are right.

    Recall is `found` / `gold`, precision is `right` / `predicted`. In strict measures `found` and `right` are equal:
    the true positives. For approximate spans they may differ.
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
    """Precision, recall and F1 without counts, for example a mean over documents."""

    precision: float
    recall: float
    f1: float


def figures(score: PRF) -> list[str]:
    """Precision, recall and F1 with 4 decimals."""
    return [f"{value:.4f}" for value in (score.precision, score.recall, score.f1)]


def score_line(score: PRF) -> str:
    """Precision, recall and F1 for the terminal."""
    return "P {}  R {}  F1 {}".format(*figures(score))


def score_fields(score: PRF, digits: int) -> dict[str, float]:
    """Precision, recall and F1 for JSON, rounded."""
    return {name: round(getattr(score, name), digits) for name in ("precision", "recall", "f1")}


def count_fields(counts: Counts, digits: int) -> dict[str, float]:
    """Scores for JSON, rounded, and true positives, false positives and false negatives."""
    return {**score_fields(counts, digits), "tp": counts.right, "fp": counts.false, "fn": counts.missed}


def total(counts: Iterable[Counts]) -> Counts:
    """The sum of the counts, for micro-averages."""
    return sum(counts, NOTHING)


def mean(scores: Iterable[PRF | None]) -> Score:
    """Macro-average over all documents but those with None; 0 if no document has a score."""
    there = [score for score in scores if score is not None]
    number = len(there)
    return Score(
        ratio(sum(score.precision for score in there), number),
        ratio(sum(score.recall for score in there), number),
        ratio(sum(score.f1 for score in there), number),
    )


TENTHS = tuple(number / 10 for number in range(11))


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers with a probability of `low` to less than `high` (the last bin: up to 1).

    `probability`: their mean probability. `right`: the share of right ones.
    """

    low: float
    high: float
    answers: int
    probability: float
    right: float


def reliability(
    probabilities: NDArray[np.float64], right: NDArray[np.bool_], edges: Sequence[float] = TENTHS
) -> tuple[Bin, ...]:
    """The bins between `edges` that have an answer, by rising probability."""
    bins = []
    for low, high in pairwise(edges):
        inside = (probabilities >= low) & ((probabilities < high) | (high == edges[-1]))
        if inside.any():
            bins.append(
                Bin(low, high, int(inside.sum()), float(probabilities[inside].mean()), float(right[inside].mean()))
            )
    return tuple(bins)


def reliability_as_text(bins: Sequence[Bin]) -> Iterator[str]:
    """A table with a line for each bin."""
    yield "probability\tanswers\tmean probability\tshare of right ones"
    for bin in bins:
        yield f"{bin.low:g}-{bin.high:g}\t{bin.answers}\t{bin.probability:.3f}\t{bin.right:.3f}"
