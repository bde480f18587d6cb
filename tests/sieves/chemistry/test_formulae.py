"""Ions and inorganic formulae become names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieves.chemistry import formulae


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
        ("FeII", "ferrous ion"),
    ],
)
def test_ions_and_elements(text: str, first: str) -> None:
    assert next(formulae.ion_names(text)) == first


@pytest.mark.parametrize("text", ["", "IL-2", "Ca(v)1.2", "DHA", "CO-", "p53", "H3K4", "NI", "PII"])
def test_other_texts_have_no_name_of_an_ion(text: str) -> None:
    assert list(formulae.ion_names(text)) == []


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
        ("h2o2", "hydrogen peroxide"),
        ("NACL", "sodium chloride"),
        ("Na-acetate", "sodium acetate"),
        ("K Gluconate", "potassium Gluconate"),
        ("Na2-phosphocreatine", "sodium phosphocreatine"),
        ("Al oxides", "aluminum oxides"),
        ("Cu chloride", "copper chloride"),
    ],
)
def test_formulae(text: str, name: str) -> None:
    assert name in formulae.salts(text)


@pytest.mark.parametrize("text", ["Kinate", "Capsulate", "KATP", "K-ATP", "Ca channel", "Na-K"])
def test_no_symbol_of_a_metal_stands_before_a_name(text: str) -> None:
    assert formulae.half_written(text) is None


@pytest.mark.parametrize("text", ["Na0Cl", "K0SO4", "Ca(NO3)0", "Fe0Cl3", "Na0GTP"])
def test_a_count_of_zero_is_no_formula(text: str) -> None:
    assert formulae.salts(text) == ()


@given(
    st.lists(st.sampled_from(["Na", "Fe", "Cl", "SO4", "O", "H2O", "0", "2", "10", "(", ")", "(II)", "·", " ", "-"]))
)
def test_every_text_of_signs_of_formulae_is_answered(signs: list[str]) -> None:
    assert all(formulae.salts("".join(signs)))
