"""Senses of acronyms in articles whose mentions are linked."""

from __future__ import annotations

from bioc import BioCDocument

from corpora.datasets.document_builder import article
from corpora.model.document import add_mention, fresh_ids, set_identifiers
from nlmchem.abbreviations.linked import linked_pairs


def linked(text: str, **concepts: str) -> BioCDocument:
    """An article with mentions of words (blanks written as `_`) and their concepts."""
    document = article("1", [(text, None, "paragraph")])
    ids = fresh_ids(document, "T")
    for word, concept in concepts.items():
        name = word.rstrip("0").replace("_", " ")
        start = -1
        while (start := text.find(name, start + 1)) >= 0:
            mention = add_mention(
                document.passages[0], [(start, start + len(name))], id=next(ids), annotator=None
            )  # fmt: skip
            set_identifiers(mention, concept.split(","))
    return document


def pairs(document: BioCDocument) -> list[tuple[str, str]]:
    return [(one.short_form, one.long_form) for one in linked_pairs(document)]


def test_an_acronym_means_the_name_of_its_concept() -> None:
    document = linked("We gave docosahexaenoic acid. The DHA rose.", docosahexaenoic_acid="MESH:D1", DHA="MESH:D1")
    assert pairs(document) == [("DHA", "docosahexaenoic acid")]
    [one] = linked_pairs(document)
    assert (one.short_span, one.long_span, one.strategy) == ((34, 37), (8, 28), "Linked")


def test_names_of_other_concepts_and_other_letters_do_not_count() -> None:
    assert pairs(linked("Glucose and DHA.", Glucose="MESH:D2", DHA="MESH:D1")) == []
    assert pairs(linked("Cervonic acid and DHA.", Cervonic_acid="MESH:D1", DHA="MESH:D1")) == []


def test_an_acronym_of_two_concepts_has_no_sense() -> None:
    document = linked("Docosahexaenoic acid and DHA.", Docosahexaenoic_acid="MESH:D1", DHA="MESH:D1")
    again = add_mention(document.passages[0], [(25, 28)], id="X", annotator=None)
    set_identifiers(again, ["MESH:D9"])
    assert pairs(document) == []
