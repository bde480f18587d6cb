"""Symbols and charges become names."""

from __future__ import annotations

import pytest

from sieves.chemistry import ions


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Ca2+", "calcium ion"),
        ("Zn(2+)", "zinc ion"),
        ("Fe(III)", "ferric ion"),
        ("Na+", "sodium"),
        ("Cl-", "chlorides"),
        ("SO42-", "sulfates"),
        ("SO4 2-", "sulfates"),
        ("HCO3-", "bicarbonates"),
        ("NH4+", "ammonium"),
        ("Mg2", "magnesium ion"),
        ("H2", "hydrogen"),
        ("C", "carbon"),
        ("Pd", "palladium"),
    ],
)
def test_ions_and_elements(text: str, first: str) -> None:
    assert next(ions.names(text)) == first


@pytest.mark.parametrize("text", ["", "IL-2", "Ca(v)1.2", "DHA", "CO-", "p53", "H3K4"])
def test_other_texts_have_no_name_of_an_ion(text: str) -> None:
    assert list(ions.names(text)) == []
