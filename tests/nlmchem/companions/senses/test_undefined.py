"""Which short forms of an article have no definition, and where they stand."""

from __future__ import annotations

from corpora.datasets.articles import article
from nlmchem.abbreviations import define
from nlmchem.companions.senses.resolver import undefined

KNOWN = {"DHA", "FFA", "IL-6", "ER"}


def forms(*lines: str, sections: tuple[str | None, ...] = ()) -> dict[str, list[str]]:
    kinds = [*sections, *[None] * (len(lines) - len(sections))]
    document = article("1", [(line, kind, "paragraph") for line, kind in zip(lines, kinds, strict=True)])
    found = undefined(document, define(document), KNOWN.__contains__)
    places = {}
    for form, form_places in found.items():
        places[form] = [
            passage.text[start - passage.offset : end - passage.offset] for passage, (start, end) in form_places
        ]
    return places


def test_a_defined_form_is_not_undefined() -> None:
    assert forms("Docosahexaenoic acid (DHA) rose.", "So DHA and DHAs rose, but FFA fell.") == {"FFA": ["FFA"]}


def test_places_are_in_text_order_without_the_plural_of_the_dictionary() -> None:
    assert forms("FFA rose.", "FFAs and FFA fell.") == {"FFA": ["FFA", "FFAs", "FFA"]}


def test_parts_at_hyphens_and_slashes_count() -> None:
    assert forms("A DHA-rich oil with IL-6 and DHA/FFA.") == {"DHA": ["DHA", "DHA"], "IL-6": ["IL-6"], "FFA": ["FFA"]}


def test_forms_outside_the_dictionary_count_if_they_look_like_an_acronym() -> None:
    assert forms("The XQZ of Table VII and Water.") == {"XQZ": ["XQZ"]}


def test_references_are_skipped() -> None:
    assert forms("The ER was seen.", "A study of the FFA.", sections=(None, "REF")) == {"ER": ["ER"]}
