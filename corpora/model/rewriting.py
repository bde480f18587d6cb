"""Rewrites the MeSH identifiers that a document or a table has, and leaves everything else as it is spelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from bioc import BioCDocument, BioCRelation

from corpora.model.document import every_annotation, identifier_text, set_identifier_text
from corpora.model.mesh_ids import MESH_ID, PREFIX, bare_id, mesh_id

Change = Callable[[str, str], str]
"""A MeSH identifier with its prefix, and the text of its mention -> the identifier in its place."""

_JOINT = re.compile(r"([|;+,])")
_AROUND = ' "\r'
"""What may stand around an identifier in the cell of a table."""


def rewrite_identifiers(document: BioCDocument, change: Change) -> None:
    """Replace the MeSH identifiers of annotations of any type, index terms and relations."""
    for annotation, _ in every_annotation(document):
        stated = identifier_text(annotation)
        if stated is not None:
            set_identifier_text(annotation, rewritten(stated, str(annotation.text or ""), change))
    for relation in _relations(document):
        for key, value in relation.infons.items():
            relation.infons[key] = rewritten(str(value), "", change)


def rewritten(identifiers: str, text: str, change: Change) -> str:
    """A text of one or several identifiers, in any spelling, with other MeSH identifiers.

    >>> rewritten("D000001|mesh:C000002", "", lambda identifier, text: "MESH:D000003")
    'D000003|mesh:D000003'
    """
    return "".join(_part(part, text, change) for part in _JOINT.split(identifiers))


def has_only_mesh_ids(text: str) -> bool:
    """Whether a text is one MeSH identifier, or several that are joined."""
    parts = [part.strip() for part in _JOINT.split(text)[::2]]
    return bool(text) and all(map(MESH_ID.fullmatch, parts))


def _part(part: str, text: str, change: Change) -> str:
    identifier = mesh_id(part.strip(_AROUND))
    if identifier is None:
        return part
    new = change(identifier, text)
    # The spelling of the part is kept.
    return part if new == identifier else part.replace(identifier.removeprefix(PREFIX), bare_id(new))


def _relations(document: BioCDocument) -> Iterator[BioCRelation]:
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            yield from holder.relations
    yield from document.relations
