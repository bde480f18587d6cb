"""Lipid shorthand: what the carbons and double bonds of a text name."""

from __future__ import annotations

import pytest

from sieves.chemistry.lipids import SPECIES, is_species, shorthand


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("C18:2 acid", "linoleic acid"),
        ("18:3n-3 fatty acid", "alpha-linolenic acid"),
        ("PE(P-16:0/20:4)", "phosphatidylethanolamines"),
        ("TG 54:3", "triglycerides"),
    ],
)
def test_the_name_of_a_shorthand(text: str, name: str) -> None:
    assert list(shorthand(text)) == [name]


@pytest.mark.parametrize("text", ["PC(34:1)", "SM(d18:1/16:0)", "PC(16:0_18:1)", "PI 38:4", "LPC(18:1)"])
def test_lipids_with_their_chains(text: str) -> None:
    assert SPECIES.fullmatch(text)
    assert is_species(text)


@pytest.mark.parametrize("text", ["PS (85:15)", "PE(70:30)", "PG 12:30", "PA 10:1", "XY(16:0)"])
def test_ratios_and_times_are_no_lipids(text: str) -> None:
    assert not (SPECIES.fullmatch(text) and is_species(text))
