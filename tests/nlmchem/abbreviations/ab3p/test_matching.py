"""What is no long form although its letters match."""

from __future__ import annotations

import pytest

from nlmchem.abbreviations.ab3p.detector import detect
from nlmchem.abbreviations.ab3p.matching import is_long_form


@pytest.mark.parametrize(
    ("long", "short", "may_be"),
    [
        ("salicylic acid", "sa", True),
        ("Sigma-Aldrich, USA", "sa", False),  # a supplier: `SA (SA ≥ 99%, Sigma-Aldrich, USA)`
        ("Figure of merit", "fom", True),
        ("Figure 3", "fe", False),
        ("Rana et al.", "rna", False),
        ("prostate±pelvic radiotherapy", "ppr", False),
        ("(±)-propranolol", "pp", True),
        ("Centre/Office of", "co", False),
        ("Chlorophyll a", "chl a", True),
    ],
)
def test_places_figures_authors_and_cut_texts_are_no_long_forms(long: str, short: str, may_be: bool) -> None:
    assert is_long_form(long, short) == may_be


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("in 10 mM 2-(N-morpholino)ethanesulfonic acid (MES)", "2-(N-morpholino)ethanesulfonic acid"),
        ("50 µM Amlexanox (Am)", "Amlexanox"),
        ("5 mg/ml of monosodium glutamate (MSG)", "monosodium glutamate"),
        ("per 100 g body weight (GBW)", None),
        # Amounts inside a name, times, and units that are the short form stay.
        ("as Trolox mM equivalents (TE)", "Trolox mM equivalents"),
        ("the 6 min walk test (6MWT)", "6 min walk test"),
        ("0.4 μg/kg bodyweight per day (μg/kg/d)", "μg/kg bodyweight per day"),
    ],
)
def test_no_long_form_begins_with_an_amount(text: str, long: str | None) -> None:
    assert [one.long_form for one in detect(text)] == ([] if long is None else [long])
