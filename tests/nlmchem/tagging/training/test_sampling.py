"""The order of training windows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nlmchem.tagging.training.stage import LengthGrouped

LENGTHS = [16 * (1 + number * 7 % 16) for number in range(1000)]


@given(st.lists(st.integers(1, 256), max_size=300), st.integers(1, 9), st.integers(0, 5))
def test_each_pass_contains_every_window_once(lengths: list[int], batch: int, seed: int) -> None:
    order = list(LengthGrouped(lengths, batch, seed))
    assert sorted(order) == list(range(len(lengths)))


def test_the_order_depends_on_the_seed_and_the_pass() -> None:
    order, again = LengthGrouped(LENGTHS, 8, 3), LengthGrouped(LENGTHS, 8, 3)
    first = list(order)
    order.set_epoch(1)
    second = list(order)
    again.set_epoch(1)
    assert first != second
    assert list(again) == second
    assert first != list(LengthGrouped(LENGTHS, 8, 4))


def test_batches_have_windows_of_similar_length_in_random_order() -> None:
    order = list(LengthGrouped(LENGTHS, 8, 3))
    batches = [[LENGTHS[place] for place in order[at : at + 8]] for at in range(0, len(order), 8)]
    padding = sum(8 * max(batch) - sum(batch) for batch in batches)
    assert padding < 0.05 * sum(LENGTHS)
    longest = [max(batch) for batch in batches]
    assert longest not in (sorted(longest), sorted(longest, reverse=True))
