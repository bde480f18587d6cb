"""Short forms with several long forms: which of their places are mentions."""

from __future__ import annotations

from marked_passages import marked, shown

from corpora.model.document import Definition
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.rules.meanings import remove_other_meanings


def definition(passage: PassageSpans, short: str, long: str) -> Definition:
    """The definition `long (short)` in a passage."""
    start = passage.text.index(f"{long} ({short})")
    end = start + len(long)
    return Definition(short, long, (end + 2, end + 2 + len(short)), (start, end))


def test_the_place_of_another_meaning_is_no_mention() -> None:
    passage = marked("pulmonary embolism («PE»), «phosphatidylethanolamine» («PE»)")
    forms = [definition(passage, "PE", long) for long in ("pulmonary embolism", "phosphatidylethanolamine")]
    remove_other_meanings([passage], forms)
    assert shown(passage) == "pulmonary embolism (PE), «phosphatidylethanolamine» («PE»)"


def test_a_long_form_that_ends_with_a_marked_short_form_is_a_chemical() -> None:
    text = "«hydrocarbons» («PAHs»), «hydroxy hydrocarbons» («OHP»), hydroxylated «PAHs» («OHP»)"
    passage = marked(text)
    pairs = (("PAHs", "hydrocarbons"), ("OHP", "hydroxy hydrocarbons"), ("OHP", "hydroxylated PAHs"))
    remove_other_meanings([passage], [definition(passage, *pair) for pair in pairs])
    assert shown(passage) == text
