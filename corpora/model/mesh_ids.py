"""MeSH identifiers: `D014867` (a descriptor) and `C000002` (a supplementary concept record), with their prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpora.words.short_texts import cached

PREFIX = "MESH:"
NO_CONCEPT = "-"
"""Stands for the identifiers of a mention that was linked without a result."""

_UI = r"[CD]\d{6,9}"
"""NLM's unique identifiers: a letter and six digits; nine digits in ids of later years."""
_PREFIXES = (
    PREFIX, r"https?://id\.nlm\.nih\.gov/mesh/(?:\d{4}/)?", r"https?://identifiers\.org/mesh[:/]",
    r"https?://bioregistry\.io/mesh:",
)  # fmt: skip
"""What may stand before an identifier, in any case; addresses are those of NLM (also of a year) and of registries."""
MESH_ID = re.compile(rf"(?i:{'|'.join(_PREFIXES)})?({_UI})")
"""An identifier with or without a prefix, or as an address; group 1 is the part behind it."""
_IN_TEXT = re.compile(rf"\b{_UI}\b")
_JOINTS = re.compile(r"[|;+,]")
_NONE = frozenset({"", "-", "-1", "NA", "NONE"})
"""What corpora write for a mention without concept."""


def mesh_id(text: str) -> str | None:
    """An identifier with its prefix, in whatever way the text spells it; None for anything else.

    >>> mesh_id("D014867"), mesh_id("mesh:C000002"), mesh_id("CHEBI:15377")
    ('MESH:D014867', 'MESH:C000002', None)
    >>> mesh_id("http://id.nlm.nih.gov/mesh/D014867")
    'MESH:D014867'
    """
    match = MESH_ID.fullmatch(text)
    return f"{PREFIX}{match[1]}" if match else None


def mesh_ids(texts: Iterable[str]) -> tuple[str, ...]:
    """All identifiers inside texts, in order, however they are joined; anything else is left out.

    >>> mesh_ids(["D003042|MESH:C000002", "-1"])
    ('MESH:D003042', 'MESH:C000002')
    """
    return tuple(f"{PREFIX}{id}" for text in texts for id in _IN_TEXT.findall(text))


@cached(1 << 14)
def canonical(identifier: str) -> tuple[str, ...]:
    """The concepts of an identifier in any spelling; empty if there is none.

    `D006470|D003556`, `MESH:D006470;D003556` and `D006470,D003556` are the same two concepts. An id of another
    vocabulary (`9606`, `c|DEL||32`, `CHEBI:15377`) is not changed.
    """
    parts = [part.strip() for part in _JOINTS.split(identifier)]
    parts = [part for part in parts if part.upper() not in _NONE]
    ids = [mesh_id(part.upper()) for part in parts]
    if all(ids):
        return tuple(filter(None, ids))
    parts = [part.strip() for part in identifier.split(",")]
    return tuple(mesh_id(part) or part for part in parts if part.upper() not in _NONE)


def is_mesh_id(identifier: str) -> bool:
    """Whether it is a MeSH identifier with its prefix."""
    return identifier.startswith(PREFIX) and MESH_ID.fullmatch(identifier) is not None


def is_descriptor(identifier: str) -> bool:
    """Whether an identifier with its prefix is a descriptor, not a supplementary concept record."""
    return identifier.startswith("MESH:D")


def bare_id(identifier: str) -> str:
    """The identifier without its prefix, as NLM's own files write it."""
    return identifier.removeprefix(PREFIX)
