"""The normalizer as a stage: it writes identifiers and evidence."""

from __future__ import annotations

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from corpora.model.document import Definition, add_definition, fresh_ids, mentions
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer


def document_of(*texts: str, define: tuple[str, str] | None = None) -> BioCDocument:
    passage = BioCPassage()
    passage.offset, passage.text = 0, " ".join(texts)
    at = 0
    for number, text in enumerate(texts):
        annotation = BioCAnnotation()
        annotation.id, annotation.text, annotation.infons = str(number), text, {"type": "Chemical"}
        annotation.add_location(BioCLocation(at, len(text)))
        passage.add_annotation(annotation)
        at += len(text) + 1
    document = BioCDocument()
    document.id = "d"
    document.add_passage(passage)
    if define:
        short, long = (passage.text.index(text) for text in define)
        spans = (short, short + len(define[0])), (long, long + len(define[1]))
        add_definition(passage, Definition(*define, *spans), fresh_ids(document, "A"))
    return document


def infons(document: BioCDocument) -> list[dict[str, str]]:
    return [dict(mention.annotation.infons) for mention in mentions(document)]


def test_the_stage_writes_concepts_and_evidence(lexicon: Lexicon) -> None:
    document = document_of("Ethanol", "wine", "vitamins A and C")
    Normalizer(lexicon)([document])
    assert infons(document) == [
        {
            "type": "Chemical",
            "identifier": "MESH:D000002",
            "name": "Ethanol",
            "sieve": "exact",
            "matched_name": "Ethanol",
        },
        {"type": "Chemical", "identifier": "-"},
        {
            "type": "Chemical",
            "identifier": "MESH:D000003,MESH:D000004",
            "name": "Vitamin A | Ascorbic Acid",
            "sieve": "composite",
            "matched_name": "Vitamin A | Vitamin C",
        },
    ]


def test_a_mention_of_only_punctuation_gets_no_concept(lexicon: Lexicon) -> None:
    document = document_of("·+-()", "Ethanol")
    Normalizer(lexicon)([document])
    assert [found["identifier"] for found in infons(document)] == ["-", "MESH:D000002"]


def test_an_empty_mention_gets_no_concept(lexicon: Lexicon) -> None:
    document = document_of("Ethanol", "")
    Normalizer(lexicon)([document])
    assert [found["identifier"] for found in infons(document)] == ["MESH:D000002", "-"]


def test_the_stage_uses_the_definitions_of_the_document(lexicon: Lexicon) -> None:
    document = document_of("linoleic acid", "XQ", define=("XQ", "linoleic acid"))
    Normalizer(lexicon)([document])
    assert [found["identifier"] for found in infons(document)] == ["MESH:D000005"] * 2


def test_articles_do_not_affect_each_other(lexicon: Lexicon) -> None:
    first, second = document_of("linoleic acid", "XQ", define=("XQ", "linoleic acid")), document_of("XQ")
    Normalizer(lexicon)([first, second])
    assert infons(second) == [{"type": "Chemical", "identifier": "-"}]


def test_a_mention_with_an_identifier_is_unchanged(lexicon: Lexicon) -> None:
    document = document_of("Ethanol")
    next(mentions(document)).annotation.infons["identifier"] = "MESH:D999999"
    Normalizer(lexicon)([document])
    assert infons(document) == [{"type": "Chemical", "identifier": "MESH:D999999"}]


def test_the_score_of_the_tagger_is_kept(lexicon: Lexicon) -> None:
    document = document_of("docosahexaenoic acid", "docosahexanoic acid")
    for mention in mentions(document):
        mention.annotation.infons["score"] = "0.4000"
    Normalizer(lexicon)([document])
    assert [found["score"] for found in infons(document)] == ["0.4000", "0.4000"]


def test_the_order_of_articles_does_not_matter(lexicon: Lexicon) -> None:
    texts = ["NaCl", "linoleic acid", "XQ", "wine", "Ca2+", "docosahexanoic acid", "docosahexaenoic acid"]
    forward, backward = document_of(*texts), document_of(*texts)
    Normalizer(lexicon)([document_of("wine"), forward])
    Normalizer(lexicon)([backward, document_of("NaCl")])
    assert infons(forward) == infons(backward)


def chemicals(text: str, *names: str) -> BioCDocument:
    """A document with one passage; the first place of each name is a mention."""
    document = document_of()
    passage = document.passages[0]
    passage.text = text
    for number, name in enumerate(names):
        annotation = BioCAnnotation()
        annotation.id, annotation.text, annotation.infons = str(number), name, {"type": "Chemical"}
        annotation.add_location(BioCLocation(text.index(name), len(name)))
        passage.add_annotation(annotation)
    return document


def identifiers(document: BioCDocument) -> list[tuple[str, ...]]:
    return [mention.identifiers for mention in mentions(document)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Zinc iodide (ZnI) was given.", ("Zinc iodide", "ZnI")),
        ("We gave ZnI [zinc iodide].", ("ZnI", "zinc iodide")),
    ],
)
def test_a_formula_in_an_apposition_means_the_name_beside_it(text: str, names: tuple[str, str]) -> None:
    document = chemicals(text, *names)
    with Lexicon.open() as lexicon:
        Normalizer(lexicon)([document])
    assert identifiers(document) == [("MESH:C029770",), ("MESH:C029770",)]


@pytest.mark.parametrize("text", ["Zinc iodide, ZnI.", "Zinc iodide (ZnI and others).", "Zinc iodide and (ZnI)."])
def test_mentions_that_are_not_divided_by_one_bracket_are_no_apposition(text: str) -> None:
    document = chemicals(text, "Zinc iodide", "ZnI")
    with Lexicon.open() as lexicon:
        Normalizer(lexicon)([document])
    assert identifiers(document) == [("MESH:C029770",), ("MESH:D015032",)]


def test_an_apposition_with_another_meaning_changes_nothing(lexicon: Lexicon) -> None:
    document = chemicals("An alcohol (Ethanol).", "alcohol", "Ethanol")
    Normalizer(lexicon)([document])
    assert identifiers(document)[1] == ("MESH:D000002",)


def test_a_mixture_is_more_than_the_name_before_it() -> None:
    document = chemicals("Buffer with Tween-20 (TBST) was used.", "Tween-20", "TBST")
    with Lexicon.open() as lexicon:
        Normalizer(lexicon)([document])
    assert len(identifiers(document)[1]) > 1


def test_a_short_form_after_a_list_does_not_mean_its_last_name() -> None:
    text = "Vincristine and ifosfamide (MVX) were given."
    document = chemicals(text, "Vincristine", "ifosfamide", "MVX")
    with Lexicon.open() as lexicon:
        Normalizer(lexicon)([document])
    assert identifiers(document)[2] == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [("Ifosfamide (IFX) was given.", "Ifosfamide"), ("We gave ifosfamide (IFX: 10 mg/kg).", "ifosfamide")],
)
def test_a_short_form_that_nothing_defines_means_the_name_before_it(text: str, name: str) -> None:
    document = chemicals(text, name, "IFX")
    with Lexicon.open() as lexicon:
        Normalizer(lexicon)([document])
    assert identifiers(document) == [("MESH:D007069",), ("MESH:D007069",)]
    assert [mention.evidence.sieve for mention in mentions(document)] == ["exact", "article"]
