"""Concept ids in one spelling: `MESH:D014867`, several ids joined by `,`."""

from __future__ import annotations

import re

from bioc import BioCDocument

from corpora.model.document import mentions, set_identifiers
from corpora.model.mesh_ids import mesh_id

__all__ = ["canonical", "unify"]

_JOINTS = re.compile(r"[|;+,]")
_NONE = frozenset({"", "-", "-1", "NA", "NONE"})


def canonical(identifier: str) -> tuple[str, ...]:
    """The concepts in the spelling of any corpus; empty if there is none.

    `D006470|D003556`, `MESH:D006470;D003556` and `D006470,D003556` are the same two concepts. An id of another
    vocabulary (`9606`, `c|DEL||32`, `CHEBI:15377`) is not changed.
    """
    if identifier.strip().upper() in _NONE:
        return ()
    parts = [part.strip() for part in _JOINTS.split(identifier)]
    parts = [part for part in parts if part.upper() not in _NONE]
    found = [mesh_id(part.upper()) for part in parts]
    if all(found):
        return tuple(filter(None, found))
    return tuple(part.strip() for part in identifier.split(",") if part.strip().upper() not in _NONE)


def unify(document: BioCDocument) -> None:
    """Rewrite the ids of all mentions in one spelling. A mention without ids is not changed."""
    for mention in mentions(document, None):
        if mention.identifiers:
            set_identifiers(mention, [id for part in mention.identifiers for id in canonical(part)])
