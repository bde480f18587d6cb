"""The text that taggers read: sentences in capitals, and numbers of references directly after a name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nlmchem.tagging.tokenization.shown_text import folded, without_citations
from sieves.lexicon.lexicon import Lexicon


@pytest.mark.parametrize(
    ("text", "small"),
    [
        ("EFFECT OF UREA AND ATP ON THE KIDNEY", "effect of urea and ATP on the kidney"),
        ("NO ASPIRIN WAS GIVEN TO PATIENTS", "no aspirin was given to patients"),
        ("NITRIC OXIDE (NO) IN THE HEART", "nitric oxide (NO) in the heart"),
        ("EFFECT OF CGMP ON THE HEART", "effect of cGMP on the heart"),
        ("TIN IN WATER AND FOOD", "tin in water and food"),
        ("Urea rose. UREA AND LIVER DISEASE IN RATS. It fell.", "Urea rose. urea and liver disease in rats. It fell."),
    ],
)  # fmt: skip
def test_words_are_folded_and_short_forms_stay(text: str, small: str) -> None:
    assert folded(text, lambda word: word in ("ATP", "EDTA", "cGMP")) == small
    assert len(folded(text)) == len(text)


@pytest.mark.parametrize("text", ["BRCA1, PTEN, KRAS", "ATP, ADP and AMP", "The GOLD study", "", "NaCl 5 MM"])
def test_other_texts_stay(text: str) -> None:
    assert folded(text) == text


@pytest.fixture(scope="module")
def lexicon() -> Iterator[Lexicon]:
    with Lexicon.open() as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    ["with aspirin1,2 and", "of caffeine12.", "Metformin3 was", "on warfarin4–6)", "ibuprofen10,11; later"],
)
def test_numbers_of_references_are_blanked(text: str, lexicon: Lexicon) -> None:
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
