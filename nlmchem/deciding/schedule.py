"""The best set of spans that do not overlap (weighted interval scheduling)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from corpora.model.document import Span

__all__ = ["best_set"]


def best_set(spans: Sequence[Span], weights: Sequence[float]) -> list[int]:
    """The positions of the spans with the largest sum of weights; only spans with positive weights are taken.

    Of sets with equal sums, the one whose last spans begin first and are longest is taken, so the result does not
    depend on the order of the spans. Time: n log n.
    """
    order = sorted(
        (at for at in range(len(spans)) if weights[at] > 0), key=lambda at: (spans[at][1], -spans[at][0], weights[at])
    )
    ends = [spans[at][1] for at in order]
    before = [bisect_right(ends, spans[at][0], hi=place) for place, at in enumerate(order)]
    sums = [0.0]
    for place, at in enumerate(order):
        sums.append(max(sums[place], weights[at] + sums[before[place]]))
    chosen: list[int] = []
    place = len(order)
    while place:
        at = order[place - 1]
        if weights[at] + sums[before[place - 1]] >= sums[place]:
            chosen.append(at)
            place = before[place - 1]
        else:
            place -= 1
    return chosen[::-1]
