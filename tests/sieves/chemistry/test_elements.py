"""Isotopes and labelled compounds become names."""

from __future__ import annotations

import pytest

from sieves.chemistry.elements import isotope_names, label


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("13C", "carbon-13"),
        ("[3H]", "tritium"),
        ("125I", "iodine-125"),
        ("Co-60", "cobalt-60"),
        ("1H", "hydrogen"),
        ("(14)C", "carbon-14"),
        ("67Gallium", "gallium-67"),
        ("iodine-131", "iodine-131"),
    ],
)
def test_isotopes(text: str, first: str) -> None:
    assert next(isotope_names(text)) == first


@pytest.mark.parametrize("text", ["C-225", "P400", "S-1", "H5"])
def test_an_impossible_mass_number_makes_no_isotope(text: str) -> None:
    assert list(isotope_names(text)) == []


@pytest.mark.parametrize("text", ["[3H]dopamine", "[(3)H]dopamine", "[(3)H]-dopamine", "3H-dopamine", "3H dopamine"])
def test_a_labelled_compound_is_split_into_label_and_compound(text: str) -> None:
    assert label(text) == ("3H", "dopamine")


@pytest.mark.parametrize(
    ("text", "compound"),
    [
        ("[U-13C]glucose", "glucose"),
        ("L-[1-13C]leucine", "L-leucine"),
        ("[1,2-13C2]-D-glucose", "D-glucose"),
        ("[γ-(32)P] ATP", "ATP"),
        ("(alpha-32P)dCTP", "dCTP"),
        ("2-deoxy-D-[1-3H]glucose", "2-deoxy-D-glucose"),
        ("[1,2,6,7-3H(N)]progesterone", "progesterone"),
        ("[U-13C,15N]glutamine", "glutamine"),
        ("L-[ring-D5]phenylalanine", "L-phenylalanine"),
        ("U-13C-glucose", "glucose"),
        ("α-32P dGTP", "dGTP"),
        ("palmitate-1-14C", "palmitate"),
    ],
)
def test_a_name_with_the_places_of_its_labelled_atoms_means_the_compound(text: str, compound: str) -> None:
    assert label(text) == ("", compound)


@pytest.mark.parametrize("text", ["quinazolin-4(3H)-one", "pyrimidine-2,4(1H,3H)-dione", "[M-2H]2-", "[6S]-folate"])
def test_hydrogens_of_rings_and_ions_of_mass_spectra_are_no_labels(text: str) -> None:
    assert label(text) is None


@pytest.mark.parametrize("text", ["2H-pyran", "1H-indole", "12C-glucose", "5-HT", "3Hdopamine"])
def test_a_number_and_a_letter_without_bracket_are_a_label_only_if_the_isotope_is_used_as_one(text: str) -> None:
    assert label(text) is None
