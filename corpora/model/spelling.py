"""How MeSH identifiers are spelt in an output: `MESH:D014867`, as a CURIE, or as an address.

All code works with `MESH:D014867`. Readers accept every spelling (`corpora.model.mesh_ids`). A writer that is asked for
another one works inside `in_spelling`, where the views on a document (`Mention.identifiers`, `index_terms`) return it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from corpora.model.mesh_ids import PREFIX, is_mesh_id

__all__ = ["SPELLINGS", "in_spelling", "respelt", "spelt_now"]

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
def in_spelling(spelling: str) -> Iterator[None]:
    """Views on documents return identifiers in this spelling until the end of the block."""
    token = _IN_USE.set(spelling)
    try:
        yield
    finally:
        _IN_USE.reset(token)
