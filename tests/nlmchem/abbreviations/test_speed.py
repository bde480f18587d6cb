"""Time is linear, whatever the text; the benchmark (benchmarks/abbreviations.py) gives the figures."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmchem.abbreviations import detect

LINEAR = 8
"""How much longer four times the text may take: linear is 4, quadratic 16."""


def seconds(text: str) -> float:
    """The best of three runs."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        detect(text)
        times.append(time.process_time() - begun)
    return min(times)


@settings(max_examples=60, deadline=None)
@given(st.text("()[]{}0123456789.,;:=-/ '\"+<>", max_size=40))
def test_time_is_linear_over_brackets_digits_and_punctuation(seed: str) -> None:
    text = seed * (80_000 // max(1, len(seed)))
    assert seconds(text) < LINEAR * max(seconds(text[:20_000]), 0.002)


@pytest.mark.parametrize(
    "unit",
    ["(", ")", "([", "(1)", "[12, 13] ", "((1)) ", "(1(", "= ", ", ", "1 = 2; ", "..[111 112]", "\t(2)\n", "(2) (3) "],
)
def test_time_is_linear_over_known_traps(unit: str) -> None:
    text = unit * (80_000 // len(unit))
    assert seconds(text) < LINEAR * max(seconds(text[:20_000]), 0.002)


@pytest.mark.parametrize(
    "unit", ["Oil of palmitic acid (PA) and more of it, ", "(A", "A(", "aaaaaaaa", "(aA) aA ", "A = b ", ", AA,", "A:"]
)
def test_time_is_linear_in_the_length_of_a_passage(unit: str) -> None:
    short, long = (unit * 50_000)[:20_000], (unit * 50_000)[:80_000]
    assert seconds(long) < LINEAR * max(seconds(short), 0.002)


def test_a_bracket_behind_five_megabytes_does_not_look_back_over_them() -> None:
    brackets = " (AB cd ef) and (g HI) in it" * 1000
    behind = seconds("x" * 5_000_000 + brackets) - seconds("x" * 5_000_000)
    # A slice of the whole for each of 2,000 brackets takes a second and more.
    assert behind < 2 * seconds(brackets) + 0.2
