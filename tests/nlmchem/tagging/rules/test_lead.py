"""Where the word lead is the metal."""

from __future__ import annotations

import pytest

from nlmchem.tagging.rules.meanings import has_other_meaning, is_lead, metal_places


def places(*texts: str) -> list[list[str]]:
    found = metal_places(texts)
    return [[text[start - 6 : end + 6] for start, end in spans] for text, spans in zip(texts, found, strict=True)]


@pytest.mark.parametrize(
    "text",
    [
        "The blood lead was high.",
        "Chronic lead exposure was common.",
        "It was a lead-contaminated site.",
        "Exposure to lead is harmful.",
        "The toxicity of lead is known.",
        "We measured zinc, lead and iron.",
        "We measured Cd and lead.",
        "A metal, lead (Pb), was found.",
        "CHILDHOOD LEAD POISONING",
        "Keywords: smelters; arsenic; lead; soils",
        "Hair: lead was found.",
        "The swans had eaten lead pellets.",
        "Limits were: lead, 5 µg/dL and so on",
    ],
)
def test_the_neighbours_show_the_metal(text: str) -> None:
    assert [len(spans) for spans in metal_places([text])] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "This may lead to death.",
        "High doses of zinc lead to anaemia.",
        "Blood loss and serum zinc lead the list.",
        "The lead investigator took the lead.",
        "A lead compound; lead II; a 12-lead ECG; lead time.",
        "A lead-in period.",
        "Lead acetate was given.",
    ],
)
def test_a_verb_another_noun_or_a_compound(text: str) -> None:
    assert metal_places([text]) == [[]]


def test_an_article_about_the_metal_means_it_elsewhere_too() -> None:
    vague = "Rats drank water with lead for weeks, which may lead to harm. The lead author agreed."
    assert metal_places([vague]) == [[]]
    assert [len(spans) for spans in metal_places(["Blood lead rose.", vague])] == [1, 1]


def test_another_meaning_needs_a_sign_of_it() -> None:
    text = "It may lead to loss of lead."
    first, second = text.index("lead"), text.rindex("lead")
    assert has_other_meaning(text, (first, first + 4))
    assert not has_other_meaning(text, (second, second + 4))
    assert is_lead("LEAD")
    assert not is_lead("leads")
