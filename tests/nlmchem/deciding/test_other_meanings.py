"""Places where the name of a chemical means a person, an organization, a saying."""

from __future__ import annotations

import pytest

from nlmchem.deciding.other_meanings import label_stems, no_chemicals_in


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
        ("reviewed by Ru Zhang, Stanford", "Ru"),
        ("in Figures S2, S7 and S27", "S27"),
        ("in a TLA120 rotor at", "TLA120"),
        ("Light green: forest", "Light green"),
        ("lemons and limes were", "limes"),
        ("of sugar beets and", "sugar"),
        ("under water lilies", "water"),
        ("the S:N ratio", "N"),
        ("in Glycine soja and", "Glycine"),
        ("the C-H bond", "C-H"),
        ("of C≡C and", "C≡C"),
        ("the C–O–C linkages", "C–O–C"),
        ("at N7-H and C1'-N9", "C1'-N9"),
        ("columns from Waters Co., Ltd. and", "Waters"),
        ("genes that don’t bind", "don"),
        ("Dose\tRate\nhigh\tNA\t5", "NA"),
        ("NA: data not available", "NA"),
        ("ND, not detected", "ND"),
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
        "light green SF, lime and Ru was",
        "C-N metabolism, C10-C16 chains, N-H2 and CO2-H",
        "beet sugar and glycine max. 5 mM",
        "S2 and TLA120 were",
        "NA\tDA\tdose\n1\t2\t3",
        "NA was not detected, NA: noradrenaline",
    ],
)
def test_the_name_has_its_meaning(text: str) -> None:
    assert no_chemicals_in(text) == []


@pytest.mark.parametrize(
    ("texts", "stems"),
    [
        (["the models Cu1, Cu2 and Cu3"], {"Cu"}),
        (["the cases CS1–CS3", "CS2 was"], {"CS"}),
        # Molecules, and compounds with such codes.
        (["CO2, NO2 and NO3, CO1 and CO2", "ginsenosides Rb1, Rb2 and Rg1, PGE1 and PGE2"], set()),
        (["Cu2 and Cu3"], set()),
    ],
)
def test_labels_are_counted_from_one(texts: list[str], stems: set[str]) -> None:
    assert label_stems(texts) == stems
