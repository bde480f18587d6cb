"""Texts of 80,000 characters that hang or overflow others; how their time grows: benchmarks/linear_time.py."""

from __future__ import annotations

import pytest

from nlmchem.abbreviations import detect

LENGTH = 80_000


@pytest.mark.parametrize(
    "unit", ["(", ")", "([", "(1)", "[12, 13] ", "((1)) ", "= ", ", ", "1 = 2; ", "..[111 112]", "\t(2)\n", "A:"]
)
def test_nothing_is_defined_where_there_are_no_words(unit: str) -> None:
    assert detect(unit * (LENGTH // len(unit))) == []


def test_each_definition_of_a_long_text_is_found_where_it_stands() -> None:
    unit = "Oil of palmitic acid (PA) and more of it, "
    count = LENGTH // len(unit)
    found = detect(unit * count)
    assert {(one.short_form, one.long_form) for one in found} == {("PA", "palmitic acid")}
    assert len(found) == count


def test_a_definition_behind_five_megabytes_is_found() -> None:
    (one,) = detect("x" * 5_000_000 + " and palmitic acid (PA) in it")
    assert (one.short_form, one.long_form) == ("PA", "palmitic acid")
