"""Which texts with the `relaxed` key of a name are spellings of it."""

from __future__ import annotations

import pytest

from nlmchem.tagging.gazetteer.names import is_spelling


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sodium-chloride", "Sodium Chloride"),
        ("CoQ(10)", "CoQ10"),
        ("(-)-reboxetine", "Reboxetine"),
        ("Org 27569", "Org27569"),
        ("Zn2+", "Zn(2+)"),
        ("beta-ionone", "betaionone"),
    ],
)
def test_other_punctuation_case_and_blanks_beside_digits(text: str, name: str) -> None:
    assert is_spelling(text, name)


@pytest.mark.parametrize("text", ["benzene.", "benzene,", "-benzene", "(benzene)", "(benzene", "benzene)", "[benzene]"])
def test_punctuation_around_a_name_is_no_spelling(text: str) -> None:
    assert not is_spelling(text, "benzene")


def test_two_words_are_not_one_word() -> None:
    assert not is_spelling("diet or", "Dietor")
    assert not is_spelling("system in", "Systemin")


def test_short_names_keep_their_case() -> None:
    assert not is_spelling("Musk", "MuSK")
    assert is_spelling("As(2)O(3)", "As2O3")
    assert is_spelling("methyl-ATP", "Methylatp")


def test_texts_without_letters_are_no_spelling() -> None:
    assert not is_spelling("1,2", "12")
