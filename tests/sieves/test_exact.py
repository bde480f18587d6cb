"""The first sieve: a mention's text is a name of the lexicon, or it has no concept."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from sieves.exact import ExactNormalizer
from sieves.lexicon import Lexicon

NAMES = """\
MESH:D014867\twater\tH2O
MESH:D008055\tlipids-and-more\tlipid
MESH:D010710,MESH:D012965\tphosphate-buffered saline\tPBS
MESH:C000001\tfirst thing\tambiguous
MESH:D000009\tother thing\tambiguous
"""


@pytest.fixture
def normalize(tmp_path: Path) -> ExactNormalizer:
    (tmp_path / "names.tsv").write_text(NAMES, "utf-8")
    return ExactNormalizer(Lexicon.open(tmp_path / "names.tsv"))


def annotated(text: str, type: str = "Chemical", **infons: str) -> tuple[BioCDocument, dict[str, str]]:
    """A document of one mention, and that mention's infons."""
    annotation = BioCAnnotation()
    annotation.id, annotation.text, annotation.infons = "1", text, {"type": type, **infons}
    annotation.add_location(BioCLocation(7, len(text)))
    passage = BioCPassage()
    passage.offset, passage.text = 7, text
    passage.add_annotation(annotation)
    document = BioCDocument()
    document.id = "d"
    document.add_passage(passage)
    return document, annotation.infons


def test_a_known_name_gives_its_concept_and_the_reason(normalize: ExactNormalizer) -> None:
    document, infons = annotated("Water")
    normalize([document])
    assert infons == {"type": "Chemical", "identifier": "MESH:D014867", "sieve": "exact", "matched_name": "water"}


def test_an_unknown_name_gives_none_and_no_reason(normalize: ExactNormalizer) -> None:
    document, infons = annotated("wine")
    normalize([document])
    assert infons == {"type": "Chemical", "identifier": "-"}


def test_a_plural_is_the_singular(normalize: ExactNormalizer) -> None:
    document, infons = annotated("Lipids")
    normalize([document])
    assert (infons["identifier"], infons["matched_name"]) == ("MESH:D008055", "lipid")


def test_a_mixture_gives_several_concepts(normalize: ExactNormalizer) -> None:
    document, infons = annotated("PBS")
    normalize([document])
    assert infons["identifier"] == "MESH:D010710,MESH:D012965"


def test_of_two_concepts_the_best_is_taken(normalize: ExactNormalizer) -> None:
    document, infons = annotated("ambiguous")
    normalize([document])
    assert infons["identifier"] == "MESH:D000009"


@pytest.mark.parametrize("identifier", ["MESH:D000001", "-", ""])
def test_a_mention_that_has_an_identifier_is_left(normalize: ExactNormalizer, identifier: str) -> None:
    document, infons = annotated("water", identifier=identifier)
    normalize([document])
    assert infons == {"type": "Chemical", "identifier": identifier}


def test_infons_that_were_there_stay(normalize: ExactNormalizer) -> None:
    theirs = {"score": "high", "sieve": "mine", "matched_name": "?", "annotator": "them", "x": "y"}
    document, infons = annotated("water", **theirs)
    normalize([document])
    assert infons == {"type": "Chemical", "identifier": "MESH:D014867", **theirs}


def test_the_score_of_a_mention_is_its_taggers(normalize: ExactNormalizer) -> None:
    document, infons = annotated("water", score="0.4200")
    normalize([document])
    assert infons["score"] == "0.4200"


def test_mentions_of_other_types_are_left(normalize: ExactNormalizer) -> None:
    document, infons = annotated("water", type="Disease")
    normalize([document])
    assert infons == {"type": "Disease"}


def test_text_and_place_of_a_mention_stay(normalize: ExactNormalizer) -> None:
    document, _ = annotated("Lipids")
    normalize([document])
    (annotation,) = document.passages[0].annotations
    assert (annotation.text, annotation.locations) == ("Lipids", [BioCLocation(7, 6)])
