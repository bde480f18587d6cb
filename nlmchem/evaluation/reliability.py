"""Reliability: whether answers with a probability of 0.8 are right eight times of ten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

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
    found = []
    for low, high in pairwise(edges):
        own = (probabilities >= low) & ((probabilities < high) | (high == edges[-1]))
        if own.any():
            found.append(Bin(low, high, int(own.sum()), float(probabilities[own].mean()), float(right[own].mean())))
    return tuple(found)


def as_text(bins: Sequence[Bin]) -> Iterator[str]:
    """A table with a line for each bin."""
    yield "probability\tanswers\tmean probability\tshare of right ones"
    for one in bins:
        yield f"{one.low:g}-{one.high:g}\t{one.answers}\t{one.probability:.3f}\t{one.right:.3f}"
