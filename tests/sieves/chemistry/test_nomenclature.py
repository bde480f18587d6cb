"""Systematic names in their parts."""

from __future__ import annotations

import pytest

from sieves.chemistry.nomenclature import NamePart, SystematicName, parts_of, similarity


def parts(text: str) -> SystematicName:
    found = parts_of(text)
    assert found is not None, text
    return found


def test_a_name_has_substituents_with_counts_and_locants() -> None:
    found = parts("(2R)-2,6-dichloro-4-methylbenzoic acid")
    assert NamePart("chloro", 2, ("2", "6")) in found.parts
    assert NamePart("methyl", 1, ("4",)) in found.parts
    assert found.stereo == ("2r",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2-chloro-4-methyl-6-nitropyridine", "4-methyl-2-chloro-6-nitropyridine"),
        ("1,2-propanediol", "propane-1,2-diol"),
        ("benzoic acid, 4-hydroxy-", "p-hydroxybenzoic acid"),
        ("3-anilinoalanine", "3-(phenylamino)alanine"),
        ("ethyl 4-oxopentanoate", "4-oxopentanoic acid ethyl ester"),
        ("4-chlorobiphenyl", "4-monochlorobiphenyl"),
        ("sodium 2-sulfanylethanesulfonate", "2-Mercaptoethanesulphonate, Sodium"),
    ],
)
def test_order_and_spelling_of_the_parts_do_not_matter(one: str, other: str) -> None:
    assert similarity(parts(one), parts(other)) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2-chloro-4-methyl-6-nitropyridine", "4-chloro-2-methyl-6-nitropyridine"),
        ("1-fluoropropane", "2-fluoropropane"),
        ("(R)-2-chloropropanoic acid", "(S)-2-chloropropanoic acid"),
        ("4-methoxyphenylacetic acid", "3-methoxyphenylacetic acid"),
        ("2,4-dichlorophenol", "2,4-dibromophenol"),
        ("dichloronitrobenzene", "trichloronitrobenzene"),
    ],
)
def test_names_that_contradict_each_other_are_not_alike(one: str, other: str) -> None:
    assert similarity(parts(one), parts(other)) == 0.0


def test_what_one_name_does_not_state_lowers_the_similarity() -> None:
    assert 0.8 <= similarity(parts("N,N-dimethylformamide"), parts("dimethylformamide")) < 1.0
    assert 0.8 <= similarity(parts("(R)-2-chloropropanoic acid"), parts("2-chloropropanoic acid")) < 1.0


@pytest.mark.parametrize("text", ["water", "ethanol", "doxorubicin", "glucose levels", "", "x" * 300, "2,4-D"])
def test_other_names_have_no_parts(text: str) -> None:
    assert parts_of(text) is None
