"""How MeSH identifiers are spelt in an output: `MESH:D014867`, as a CURIE, or as an address.

All code works with `MESH:D014867`. Readers accept every spelling (`corpora.model.mesh_ids`). A writer that is asked for
another one works inside `spelt_as`, where the views on a document (`Mention.identifiers`, `index_terms`) return it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bioc import BioCAnnotation, BioCDocument

from corpora.model.mesh_ids import PREFIX, canonical, is_mesh_id

__all__ = ["SPELLINGS", "respelt", "spelt_as", "spelt_now"]

PREFIXES = {"mesh": PREFIX, "curie": "mesh:", "uri": "http://id.nlm.nih.gov/mesh/"}
"""What stands before `D014867` in each spelling. The CURIE is that of Bioregistry, the address that of NLM."""
SPELLINGS = tuple(PREFIXES)

_IN_USE: ContextVar[str | None] = ContextVar("spelling of MeSH identifiers", default=None)


def respelt(identifier: str, spelling: str) -> str:
    """An identifier (`MESH:D014867`) in another spelling; one of another vocabulary is not changed.

    >>> respelt("MESH:D014867", "curie"), respelt("MESH:D014867", "uri"), respelt("CHEBI:15377", "uri")
    ('mesh:D014867', 'http://id.nlm.nih.gov/mesh/D014867', 'CHEBI:15377')
    """
    return PREFIXES[spelling] + identifier.removeprefix(PREFIX) if is_mesh_id(identifier) else identifier


def spelt_now(identifiers: tuple[str, ...]) -> tuple[str, ...]:
    """Identifiers as the writer that works now spells them; unchanged where none works."""
    spelling = _IN_USE.get()
    return identifiers if spelling is None else tuple(respelt(identifier, spelling) for identifier in identifiers)


@contextmanager
def spelt_as(spelling: str, document: BioCDocument) -> Iterator[None]:
    """Spell the MeSH identifiers of a document in this way until the end of the block; its infons are as before then.

    Several identifiers of an annotation are joined by `,`.
    """
    changed: list[tuple[BioCAnnotation, str]] = []
    token = _IN_USE.set(spelling)
    try:
        for annotation in _annotations(document):
            value = annotation.infons.get("identifier")
            identifiers = canonical(str(value or ""))
            if any(map(is_mesh_id, identifiers)):
                changed.append((annotation, value))
                annotation.infons["identifier"] = ",".join(respelt(identifier, spelling) for identifier in identifiers)
        yield
    finally:
        _IN_USE.reset(token)
        for annotation, value in changed:
            annotation.infons["identifier"] = value


def _annotations(document: BioCDocument) -> Iterator[BioCAnnotation]:
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            yield from holder.annotations
    yield from document.annotations
