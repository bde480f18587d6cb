"""MeSH identifiers: `D014867` (a descriptor) and `C000002` (a supplementary concept record), with their prefix.

All code works with `MESH:D014867`. Readers accept every spelling. A writer that is asked for another one works inside
`in_spelling`, where the views on a document (`Mention.identifiers`, `index_terms`) return it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
_JOINT_OR_PART = re.compile(r"([|;+,])")
_AROUND = ' "\r'
"""What may stand around an identifier in the cell of a table."""
_NONE = frozenset({"", "-", "-1", "NA", "NONE"})
"""What corpora write for a mention without concept."""

SPELT_PREFIXES = {"mesh": PREFIX, "curie": "mesh:", "uri": "http://id.nlm.nih.gov/mesh/"}
"""What stands before `D014867` in each spelling. The CURIE is that of Bioregistry, the address that of NLM."""
SPELLINGS = tuple(SPELT_PREFIXES)
Change = Callable[[str, str], str]
"""A MeSH identifier with its prefix, and the text of its mention -> the identifier in its place."""
_IN_USE: ContextVar[str | None] = ContextVar("spelling of MeSH identifiers", default=None)


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


def rewritten(identifiers: str, text: str, change: Change) -> str:
    """A text of one or several identifiers, in any spelling, with other MeSH identifiers; the rest stays as it is.

    `text`: that of the mention.

    >>> rewritten("D000001|mesh:C000002", "", lambda identifier, text: "MESH:D000003")
    'D000003|mesh:D000003'
    """
    parts = _JOINT_OR_PART.split(identifiers)
    for number, part in enumerate(parts):
        identifier = mesh_id(part.strip(_AROUND))
        if identifier is not None and (new := change(identifier, text)) != identifier:
            # The spelling of the part is kept.
            parts[number] = part.replace(bare_id(identifier), bare_id(new))
    return "".join(parts)


def has_only_mesh_ids(text: str) -> bool:
    """Whether a text is one MeSH identifier, or several that are joined."""
    return bool(text) and all(MESH_ID.fullmatch(part.strip()) for part in _JOINTS.split(text))


def respelt(identifier: str, spelling: str) -> str:
    """An identifier (`MESH:D014867`) in another spelling; one of another vocabulary is not changed.

    >>> respelt("MESH:D014867", "curie"), respelt("MESH:D014867", "uri"), respelt("CHEBI:15377", "uri")
    ('mesh:D014867', 'http://id.nlm.nih.gov/mesh/D014867', 'CHEBI:15377')
    """
    return SPELT_PREFIXES[spelling] + identifier.removeprefix(PREFIX) if is_mesh_id(identifier) else identifier


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
