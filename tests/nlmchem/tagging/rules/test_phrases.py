"""Words that belong to a name, and spans that are not names."""

from __future__ import annotations

import pytest

from nlmchem.tagging.rules.boundaries import completed, no_name


@pytest.mark.parametrize(
    ("text", "found", "whole"),
    [
        ("of amino acids in", "amino", "amino acids"),
        ("Chlorinated paraffins are", "paraffins", "Chlorinated paraffins"),
        ("fluorinated alcohols are", "alcohols", "alcohols"),
        ("and p-coumaric acid was", "p-coumaric", "p-coumaric acid"),
        ("a free-radical scavenger", "free", "free-radical"),
        ("Heavy metals in soil", "Heavy", "Heavy metals"),
        ("hydroxyl radicals", "hydroxyl", "hydroxyl radicals"),
        ("of inorganic phosphate in", "inorganic", "inorganic phosphate"),
        ("loaded with Nile Red in", "Nile", "Nile Red"),
        ("the antagonist MK-801 was", "MK", "MK-801"),
        ("1% Triton X-100, and", "Triton X", "Triton X-100"),
        ("by C-13 labels", "C", "C"),
        ("KCl-100 mM", "KCl", "KCl"),
        ("in phosphate-buffered saline (PBS)", "saline", "phosphate-buffered saline"),
        ("in ice cold phosphate buffered saline", "ice cold phosphate", "phosphate buffered saline"),
        ("in saline", "saline", "saline"),
        ("blood 25(OH)D3 levels", "D3", "25(OH)D3"),
        ("active 1,25(OH)2D3 levels", "D3", "1,25(OH)2D3"),
        ("a D3 receptor", "D3", "D3"),
        ("a glucose acidic", "glucose", "glucose"),
        ("glucose metals", "glucose", "glucose"),
        ("hydroxyl groups", "hydroxyl", "hydroxyl"),
        ("amino", "amino", "amino"),
    ],
)
def test_a_span_is_extended_by_words_that_belong_to_the_name(text: str, found: str, whole: str) -> None:
    start = text.index(found)
    begin, end = completed(text, (start, start + len(found)))
    assert text[begin:end] == whole


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("in 12 of them", "12"),
        ("0.5 ml", "0.5"),
        ("E. coli grew", "E"),
        ("its C-terminal part", "C"),
        ("the T-DNA of", "T"),
        ("with heavy chains", "heavy"),
        ("a Waters column", "Waters"),
        ("an N95 mask", "N95"),
        ("positive for HBeAg", "HBeAg"),
        ("activity of GSH-Px", "GSH-Px"),
        ("purified CAPS-Myc-His was", "His"),
        ("in C(2)C(12) myotubes", "C(2)C(12)"),
        ("the H1H2 strain", "H1H2"),
        ("of DMA(V) in urine", "V"),
        ("the K(V) family", "V"),
    ],
)
def test_numbers_adjectives_and_initials_are_not_names(text: str, found: str) -> None:
    start = text.index(found)
    assert no_name(text, (start, start + len(found)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("C and N", "C"),
        ("rich in K. Then", "K"),
        ("13C NMR", "13C"),
        ("into C(2)H(4) and", "C(2)H(4)"),
        ("by Fe2O3 and", "Fe2O3"),
        ("valine (V) and", "V"),
        ("levels of V in", "V"),
        ("amino acid", "amino acid"),
        ("the His tag", "His"),
        ("Arg-His", "His"),
        ("GSH", "GSH"),
    ],
)
def test_symbols_are_names(text: str, found: str) -> None:
    start = text.index(found)
    assert not no_name(text, (start, start + len(found)))
