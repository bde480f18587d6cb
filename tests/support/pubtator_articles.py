"""Articles in PubTator for tests, and functions that read and write them."""

from __future__ import annotations

import io
from typing import Any

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from corpora.formats import pubtator
from corpora.formats.format import Header
from corpora.formats.pubtator_writer import WRITER

TITLE = {"section_type": "TITLE", "type": "title"}
ABSTRACT = {"section_type": "ABSTRACT", "type": "abstract"}

CLASSICAL = (
    "9900011|t|Glutathione in yeast\n"
    "9900011|a|Yeast cells kept glutathione (GSH) low.\n"
    "9900011\t0\t11\tGlutathione\tChemical\tMESH:D005978\n"
    "9900011\t38\t49\tglutathione\tChemical\tMESH:D005978\n"
    "9900011\t51\t54\tGSH\tChemical\t-\n"
)

PASSAGES = (
    "9900012|t|Zinc and copper\n9900012|a|\n9900012\t0\t4\tZinc\tChemical\tMESH:D015032\n\n"
    "9900012|t|Results\n9900012|a|\n\n"
    "9900012|t|We saw copper.\n9900012|a|\n9900012\t7\t13\tcopper\tChemical\tMESH:D003300,MESH:D015032\n"
)


def never(sentence: str) -> None:
    pytest.fail(f"nothing to report was expected, but: {sentence}")


def raws(text: str | bytes) -> list[bytes]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(pubtator.split(io.BytesIO(raw), Header(), never))


def read(text: str | bytes) -> list[BioCDocument]:
    return [pubtator.parse(raw, never) for raw in raws(text)]


def read_one(text: str | bytes) -> BioCDocument:
    [document] = read(text)
    return document


def write(*documents: BioCDocument) -> tuple[str, list[str]]:
    """A whole file, and the reports."""
    reports: list[str] = []
    stream = io.BytesIO()
    WRITER.write([WRITER.dumps(document, reports.append) for document in documents], Header(), stream)
    return stream.getvalue().decode(), reports


def mention(start: int, text: str, /, id: str = "0", **infons: Any) -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id, annotation.text, annotation.infons = id, text, infons
    annotation.add_location(BioCLocation(start, len(text)))
    return annotation


def passage(text: str, offset: int, *annotations: BioCAnnotation, **infons: Any) -> BioCPassage:
    made = BioCPassage()
    made.text, made.offset, made.infons, made.annotations = text, offset, infons, list(annotations)
    return made


def article(*passages: BioCPassage, id: str = "9900001") -> BioCDocument:
    document = BioCDocument()
    document.id, document.passages = id, list(passages)
    return document


def texts(document: BioCDocument) -> list[tuple[int, str]]:
    return [(part.offset, part.text) for part in document.passages]


def spans(document: BioCDocument) -> list[tuple[int, int, str, Any, Any]]:
    """Every mention: start, length, text, type and identifier, in document offsets."""
    return [
        (place.offset, place.length, annotation.text, infons.get("type"), infons.get("identifier"))
        for part in document.passages
        for annotation in part.annotations
        for place in annotation.locations
        for infons in [annotation.infons]
    ]


def infons(document: BioCDocument) -> list[dict[str, str]]:
    return [part.infons for part in document.passages]
