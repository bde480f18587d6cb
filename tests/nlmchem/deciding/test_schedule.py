"""Weighted interval scheduling, against all subsets."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from nlmchem.deciding.decision import best_set

SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6)), max_size=8, unique=True).map(
    lambda found: [(start, start + length) for start, length in found]
)
WEIGHTS = st.integers(-4, 8)


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


@given(SPANS, st.data())
def test_no_other_set_without_overlaps_has_a_larger_sum(spans: list[tuple[int, int]], data: st.DataObject) -> None:
    weights = [float(data.draw(WEIGHTS)) for _ in spans]
    chosen = best_set(spans, weights)
    assert not any(overlap(spans[a], spans[b]) for a, b in combinations(chosen, 2))
    assert all(weights[at] > 0 for at in chosen)
    best = max(
        sum(weights[at] for at in subset)
        for size in range(len(spans) + 1)
        for subset in combinations(range(len(spans)), size)
        if not any(overlap(spans[a], spans[b]) for a, b in combinations(subset, 2))
    )
    assert sum(weights[at] for at in chosen) == best


@given(SPANS, st.data())
def test_the_order_of_the_candidates_does_not_matter(spans: list[tuple[int, int]], data: st.DataObject) -> None:
    weights = [float(data.draw(WEIGHTS)) for _ in spans]
    order = data.draw(st.permutations(range(len(spans))))
    other = best_set([spans[at] for at in order], [weights[at] for at in order])
    assert sorted(spans[at] for at in best_set(spans, weights)) == sorted(spans[order[at]] for at in other)


def test_two_parts_win_over_the_whole_if_they_weigh_more() -> None:
    spans = [(0, 10), (0, 4), (5, 10)]
    assert best_set(spans, [1.5, 1.0, 1.0]) == [1, 2]
    assert best_set(spans, [2.5, 1.0, 1.0]) == [0]
    assert best_set(spans, [-1.0, 0.0, -2.0]) == []
