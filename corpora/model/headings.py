"""MeSH headings that NLM's indexers gave to an article.

They are annotations of the first passage without location, with a type of their own: they are neither mentions nor
index terms of ours, so no step changes them and no measure counts them by accident.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument

from corpora.model.document import every_annotation, fresh_ids

HEADING = "MeSH_Heading"
"""The infon `type` of a heading."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A descriptor or a supplementary concept, such as `MESH:D014867`. `major`: a main topic of the article.

    `qualifiers`: names of subheadings, such as `metabolism`.
    """

    identifier: str
    name: str
    major: bool = False
    qualifiers: tuple[str, ...] = ()


def add_headings(document: BioCDocument, headings: Sequence[Heading]) -> int:
    """Add headings to the first passage. Returns the number that was added: 0 for a document without passages."""
    if not document.passages:
        return 0
    ids = fresh_ids(document, "MH")
    for heading in headings:
        annotation = BioCAnnotation()
        annotation.id = next(ids)
        annotation.text = heading.name
        annotation.infons = {"type": HEADING, "identifier": heading.identifier, "entry_term": heading.name}
        if heading.major:
            annotation.infons["major"] = "yes"
        if heading.qualifiers:
            annotation.infons["qualifiers"] = "; ".join(heading.qualifiers)
        document.passages[0].add_annotation(annotation)
    return len(headings)


def headings(document: BioCDocument) -> Iterator[Heading]:
    """The headings of a document, in the order of the file."""
    for annotation, _ in every_annotation(document):
        infons = annotation.infons
        if infons.get("type") == HEADING:
            qualifiers = tuple(part for part in str(infons.get("qualifiers") or "").split("; ") if part)
            name = str(infons.get("entry_term") or "")
            yield Heading(str(infons.get("identifier")), name, infons.get("major") == "yes", qualifiers)
