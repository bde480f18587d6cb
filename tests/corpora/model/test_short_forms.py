"""Which long form a short form with several meanings has at a place."""

from __future__ import annotations

import doctest

import pytest

from corpora.model import short_forms
from corpora.model.document import Definition
from corpora.model.short_forms import Scopes, same_meaning


def definition(short: str, long: str, start: int) -> Definition:
    end = start + len(long)
    return Definition(short, long, (end + 2, end + 2 + len(short)), (start, end))


def test_the_examples() -> None:
    assert doctest.testmod(short_forms).failed == 0


def test_the_last_definition_before_a_place_counts() -> None:
    scopes = Scopes.of([definition("PA", "phosphatidic acid", 300), definition("PA", "pulmonary artery", 20)])
    assert [scopes.long_form("PA", at) for at in (0, 50, 299, 300, 900)] == [
        "pulmonary artery",
        "pulmonary artery",
        "pulmonary artery",
        "phosphatidic acid",
        "phosphatidic acid",
    ]
    assert scopes.long_form("PAs", 900) == "phosphatidic acid"
    assert scopes.long_forms("PA") == ("pulmonary artery", "phosphatidic acid")


def test_a_short_form_with_one_meaning_is_left_out() -> None:
    scopes = Scopes.of(
        [definition("FFA", "free fatty acids", 0), definition("FFA", "Free fatty acid", 90), definition("X", "y", 5)]
    )
    assert list(scopes) == []
    assert scopes.long_form("FFA", 10) is None
    assert scopes.long_forms("FFA") == ()


def test_short_forms_in_long_forms_are_written_out() -> None:
    scopes = Scopes.of(
        [
            definition("TB", "tuberculosis", 0),
            definition("MDR-TB", "multidrug-resistant TB", 40),
            definition("MDR-TB", "multidrug-resistant tuberculosis", 90),
            definition("TB", "total bilirubin", 200),
        ]
    )
    assert list(scopes) == ["TB"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("docosapentaenoic acid", "docosapentanoic acid", True),
        ("super-paramagnetic iron oxide", "Iron oxide", True),
        ("palmitic acid", "phosphatidic acid", False),
        ("cardiac output", "carbon monoxide", False),
        ("lipid", "lipid peroxidation", False),
    ],
)
def test_variants_of_a_long_form(one: str, other: str, same: bool) -> None:
    assert same_meaning(one, other) is same_meaning(other, one) is same
