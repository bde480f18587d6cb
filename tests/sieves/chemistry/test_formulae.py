"""Inorganic formulae become names."""

from __future__ import annotations

import pytest

from sieves.chemistry import formulae


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NaCl", "sodium chloride"),
        ("FeCl3", "ferric chloride"),
        ("CaCl2·2H2O", "calcium chloride"),
        ("CaCl2∙2H2O", "calcium chloride"),
        ("CaCl2 ⋅ 2H2O", "calcium chloride"),
        ("(NH4)2SO4", "ammonium sulfate"),
        ("CuSO4", "cupric sulfate"),
        ("H2O2", "hydrogen peroxide"),
        ("SiO2", "silicon dioxide"),
        ("K2CO3", "potassium carbonate"),
        ("Na2HPO4·12H2O", "sodium phosphate, dibasic"),
        ("Mg(NO3)2", "magnesium nitrate"),
    ],
)
def test_formulae(text: str, name: str) -> None:
    assert name in formulae.salts(text)
