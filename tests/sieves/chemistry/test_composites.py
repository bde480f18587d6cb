"""Lists in which names share a part become names."""

from __future__ import annotations

import pytest

from sieves.chemistry.composites import of_ellipsis
from sieves.chemistry.variants import parent


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("2,4- and 2,6-dinitrotoluene", ["2,4-dinitrotoluene", "2,6-dinitrotoluene"]),
        ("1,2-, 1,3- and 1,4-butanediol", ["1,2-butanediol", "1,3-butanediol", "1,4-butanediol"]),
        ("o-, m- or p-cresol", ["o-cresol", "m-cresol", "p-cresol"]),
        ("m,p-xylene", ["m-xylene", "p-xylene"]),
        ("m/p-xylene", ["m-xylene", "p-xylene"]),
        ("α-,β-pinene", ["α-pinene", "β-pinene"]),
        ("D- and L-lactate", ["D-lactate", "L-lactate"]),
        (
            "mono-, di- and trichloroacetic acids",
            ["monochloroacetic acid", "dichloroacetic acid", "trichloroacetic acid"],
        ),
        ("Oligo-, di-, and mono-saccharides", ["Oligosaccharides", "disaccharides", "monosaccharides"]),
        ("microcystin-LR, -RR and -YR", ["microcystin-LR", "microcystin-RR", "microcystin-YR"]),
        ("PCB-28 and -52", ["PCB-28", "PCB-52"]),
    ],
)
def test_each_member_of_a_list_in_short_is_a_name(text: str, names: list[str]) -> None:
    assert list(of_ellipsis(text)) == names
    assert not list(parent(text))


@pytest.mark.parametrize("text", ["2,4-dinitrotoluene", "zinc and iron", "p-cresol", "disaccharides", "IL-2, -", "a/b"])
def test_other_texts_are_no_list_in_short(text: str) -> None:
    assert of_ellipsis(text) == ()


@pytest.mark.parametrize(
    ("text", "polymer"), [("PEG 4000", "PEG"), ("macrogol 6000", "macrogol"), ("Poloxamer 188", "Poloxamer")]
)
def test_a_polymer_without_its_grade(text: str, polymer: str) -> None:
    assert next(parent(text)) == polymer
