"""Compound codes are found by the words that introduce them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmchem.tagging.rules.post_processing import codes_in, places


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("The curcumin analog FLLL32 was given.", {"FLLL32"}),
        ("The inhibitors (WP1066, and others)", {"WP1066"}),
        ("the MEK inhibitor, PD-0325901, fell", {"PD-0325901"}),
        ("the agonist SB224,289 and", {"SB224,289"}),
        ("BKM120, an anticancer drug, was", {"BKM120"}),
        ("MK-801 is an NMDA receptor antagonist", {"MK-801"}),
        ("GSK126, a potent EZH2 inhibitor", {"GSK126"}),
        ("proinhibitor K12 and the prodrug CB1954", {"K12", "CB1954"}),
        ("an inhibitor (IC50 = 3 nM)", set()),
        ("the compound Fig. 3 and drug No 12", set()),
        ("compound 12 and compound 4b", set()),
        ("cells of HEK293, and STAT3", set()),
        ("", set()),
    ],
)
def test_codes_are_found_by_the_words_around_them(text: str, codes: set[str]) -> None:
    assert set(codes_in([text])) == codes


def test_occurrences_are_separate_words() -> None:
    text = "FLLL32, FLLL32-treated, anti-FLLL32, FLLL321 and XFLLL32"
    assert [text[start - 1 : end + 1] for start, end in places(text, ["FLLL32"]) if start] == [" FLLL32-", "-FLLL32,"]
    assert len(list(places(text, ["FLLL32"]))) == 3


@given(st.text(alphabet="AK12,- drug()", max_size=60))
def test_every_code_occurs_in_the_text(text: str) -> None:
    for code in codes_in([text]):
        assert code in text
