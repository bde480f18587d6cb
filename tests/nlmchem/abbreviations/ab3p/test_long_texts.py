"""Difficult texts of 80,000 characters. benchmarks/speed/linear_time.py measures how the time grows."""

from __future__ import annotations

import pytest

from nlmchem.abbreviations import detect

LENGTH = 80_000


@pytest.mark.parametrize(
    "unit", ["(", ")", "([", "(1)", "[12, 13] ", "((1)) ", "= ", ", ", "1 = 2; ", "..[111 112]", "\t(2)\n", "A:"]
)
def test_text_without_words_has_no_definitions(unit: str) -> None:
    assert detect(unit * (LENGTH // len(unit))) == []


def test_all_definitions_of_a_long_text_are_found() -> None:
    unit = "Oil of palmitic acid (PA) and more of it, "
    count = LENGTH // len(unit)
    found = detect(unit * count)
    assert {(one.short_form, one.long_form) for one in found} == {("PA", "palmitic acid")}
    assert len(found) == count


def test_a_definition_after_five_megabytes_is_found() -> None:
    (one,) = detect("x" * 5_000_000 + " and palmitic acid (PA) in it")
    assert (one.short_form, one.long_form) == ("PA", "palmitic acid")
