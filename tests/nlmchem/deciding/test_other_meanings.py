"""Places where the name of a chemical means a person, an organization, a saying."""

from __future__ import annotations

import pytest

from nlmchem.deciding.other_meanings import no_chemicals_in


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("and Nurse Silver reviewed the charts", "Silver"),
        ("Judge Gold and Sir Iron left", "Iron"),
        ("the senior author (J. Gold) trained", "Gold"),
        ("by one reader (A. B. Tin; blinded)", "Tin"),
        ("from the Bromine Foundation and", "Bromine"),
        ("International Copper Association, New York", "Copper"),
        ("Gold Biotechnology sells it", "Gold"),
        ("computed by the Radon transform of", "Radon"),
        ("a copper-bottomed argument", "copper"),
        ("the iron-clad rule", "iron"),
        ("through I/O ports", "O"),
        ("amoxicillin 250 mg TDS for", "TDS"),
        ("funded by the Gold Family Trust", "Gold"),
    ],
)
def test_the_name_has_another_meaning(text: str, name: str) -> None:
    start = text.index(name)
    assert any(first <= start and start + len(name) <= end for first, end in no_chemicals_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "given vitamin A. Iron was",
        "plates (D. Glucose was added)",
        "a gold-plated electrode and a copper-bottom pan",
        "zinc in the Institute",
        "5 mg of TDS was weighed",
        "levels of Copper in College students",
        "silver was judged by a nurse",
    ],
)
def test_the_name_has_its_meaning(text: str) -> None:
    assert no_chemicals_in(text) == []
