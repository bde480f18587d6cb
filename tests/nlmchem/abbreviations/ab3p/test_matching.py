"""What is no long form although its letters match."""

from __future__ import annotations

import pytest

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
