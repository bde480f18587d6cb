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
    bins = []
    for low, high in pairwise(edges):
        inside = (probabilities >= low) & ((probabilities < high) | (high == edges[-1]))
        if inside.any():
            bins.append(
                Bin(low, high, int(inside.sum()), float(probabilities[inside].mean()), float(right[inside].mean()))
            )
    return tuple(bins)


def as_text(bins: Sequence[Bin]) -> Iterator[str]:
    """A table with a line for each bin."""
    yield "probability\tanswers\tmean probability\tshare of right ones"
    for bin in bins:
        yield f"{bin.low:g}-{bin.high:g}\t{bin.answers}\t{bin.probability:.3f}\t{bin.right:.3f}"
