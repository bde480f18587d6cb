"""Short forms in a bracket after a name."""

from __future__ import annotations

import pytest

from sieves.article.apposition import names_before


@pytest.mark.parametrize(
    ("text", "chemicals", "names"),
    [
        ("urinary fumonisin B1 (UFB1) rose", ["fumonisin B1", "UFB1"], {"UFB1": ("fumonisin B1",)}),
        ("nitrosamine (DEN: 10 mg/kg) in water", ["nitrosamine", "DEN", "water"], {"DEN": ("nitrosamine",)}),
        ("the gibberellins (GAs), and auxin", ["gibberellins", "GAs", "auxin"], {"GAs": ("gibberellins",)}),
        ("methotrexate and leucovorin (MFL)", ["methotrexate", "leucovorin", "MFL"], {}),
        ("mycotoxins (AFB1, ZEN)", ["mycotoxins", "AFB1", "ZEN"], {}),
        ("a glycine histidine (GH) motif", ["glycine", "histidine", "GH"], {}),
    ],
)
def test_a_bracket_after_one_name_has_its_short_form(
    text: str, chemicals: list[str], names: dict[str, tuple[str, ...]]
) -> None:
    spans = [(at, at + len(chemical)) for chemical in chemicals if (at := text.index(chemical)) >= 0]
    assert names_before([(text, spans)]) == names
