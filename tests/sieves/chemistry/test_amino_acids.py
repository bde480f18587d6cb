"""Codes of amino acids and of protected peptides become names."""

from __future__ import annotations

import pytest

from sieves.chemistry.amino_acids import DOUBTFUL, peptide_names, residue_names


@pytest.mark.parametrize(
    ("text", "others", "names"),
    [
        ("Arg", [], ["arginine"]),
        ("Arg-12", [], ["arginine"]),
        ("Ser473", [], ["serine"]),
        ("S473", [], []),
        ("S473", ["T308"], ["serine"]),
        ("S473", ["Tyr"], ["serine"]),
        ("pS473", ["Tyr"], ["phosphoserine", "serine"]),
        ("phospho-Thr", [], ["phosphothreonine", "threonine"]),
        ("Phe", [], ["phenylalanine"]),
        ("ARG", [], []),
        ("ARG", ["Lys", "Glu"], ["arginine"]),
        ("C16", ["C16", "wine"], []),
        ("S", [], []),
        ("S4", [], []),
    ],
)
def test_doubtful_codes_count_in_articles_with_other_codes(text: str, others: list[str], names: list[str]) -> None:
    assert list(residue_names(text, set(others))) == names


@pytest.mark.parametrize("text", ["S473", "pS-1473", "ARG", "SER/ARG", "p-ARG residue"])
def test_the_pattern_of_doubtful_codes_finds_them(text: str) -> None:
    assert DOUBTFUL.search(text)


@pytest.mark.parametrize("text", ["Ser473", "ethanol", "C18H34O2", "HEK293"])
def test_the_pattern_of_doubtful_codes_finds_nothing_in_other_texts(text: str) -> None:
    assert DOUBTFUL.search(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Z-VAD-FMK", "benzyloxycarbonyl-valyl-alanyl-aspartyl fluoromethyl ketone"),
        ("zVAD-fmk", "benzyloxycarbonyl-valyl-alanyl-aspartyl fluoromethyl ketone"),
        ("Ac-DEVD-pNA", "acetyl-aspartyl-glutamyl-valyl-aspartic acid p-nitroanilide"),
        ("Ac-YVAD-CHO", "acetyl-tyrosyl-valyl-alanyl-aspartal"),
        ("Suc-LLVY-AMC", "succinyl-leucyl-leucyl-valyl-tyrosyl 7-amino-4-methylcoumarin"),
    ],
)
def test_codes_of_protected_peptides_are_written_out(text: str, name: str) -> None:
    assert name in list(peptide_names(text))


@pytest.mark.parametrize("text", ["DEVD", "Ac-devd-pNA", "Ac-DEVD", "Ac-DXVD-pNA", "Z-DNA"])
def test_other_texts_are_no_codes(text: str) -> None:
    assert list(peptide_names(text)) == []
