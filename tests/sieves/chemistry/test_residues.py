"""Amino-acid codes become names."""

from __future__ import annotations

import pytest

from sieves.chemistry import residues


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
    assert list(residues.names(text, set(others))) == names


@pytest.mark.parametrize("text", ["S473", "pS-1473", "ARG", "SER/ARG", "p-ARG residue"])
def test_the_pattern_of_doubtful_codes_finds_them(text: str) -> None:
    assert residues.DOUBTFUL.search(text)


@pytest.mark.parametrize("text", ["Ser473", "ethanol", "C18H34O2", "HEK293"])
def test_the_pattern_of_doubtful_codes_finds_nothing_in_other_texts(text: str) -> None:
    assert residues.DOUBTFUL.search(text) is None
