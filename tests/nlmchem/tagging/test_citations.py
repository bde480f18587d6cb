"""Numbers of references directly after a name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nlmchem.tagging.tokenization.citations import without_citations
from sieves.lexicon.lexicon import Lexicon


@pytest.fixture(scope="module")
def lexicon() -> Iterator[Lexicon]:
    with Lexicon.open() as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    ["with aspirin1,2 and", "of caffeine12.", "Metformin3 was", "on warfarin4–6)", "ibuprofen10,11; later"],
)
def test_they_are_blanked(text: str, lexicon: Lexicon) -> None:
    shown = without_citations(text, lexicon)
    assert len(shown) == len(text)
    assert not any(map(str.isdigit, shown))
    assert [word for word in shown.split() if word.isalpha()][-1] in text


@pytest.mark.parametrize(
    "text",
    [
        "polysorbate80 was", "carbon14 and", "iodine131 was", "dextran40 in", "interleukin12 was", "aspirin1a was",
        "aspirin-1 was", "caffeine2 levels", "Pax6 was", "word12 and", "omega3 and",
    ],
)  # fmt: skip
def test_a_number_of_a_name_stays(text: str, lexicon: Lexicon) -> None:
    assert without_citations(text, lexicon) == text
