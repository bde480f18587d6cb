"""Sentences in capitals."""

from __future__ import annotations

import pytest

from nlmchem.tagging.tokenization.capitals import folded


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
