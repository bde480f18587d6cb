"""Kinds of concepts by their tree numbers."""

from __future__ import annotations

import pytest

from sieves.lexicon.concepts import CHEMICAL_KIND, kind_of


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        # A cyclic peptide, the cholesterol of a lipoprotein, and paclitaxel bound to albumin.
        (["D04.345.566.780.110", "D12.644.641.780.110", "D12.776.543.695.054"], CHEMICAL_KIND),
        (["D10.532.515.500", "D10.570.938.208.275", "D12.776.521.550.500"], CHEMICAL_KIND),
        (["D02.455.426.392.368.242.888.777", "D12.776.034"], CHEMICAL_KIND),
        (["D10.532.515", "D12.776.521.550"], "protein"),
        (["D09.400.430", "D12.776.395"], "protein"),
    ],
)
def test_some_chemicals_are_also_among_the_proteins(numbers: list[str], kind: str) -> None:
    assert kind_of(numbers) == kind
