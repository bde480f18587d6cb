"""XML from strangers: one way to make parsers, no entities but the five of XML itself, no network."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from corpora.errors import InputError

__all__ = [
    "PARSER_OPTIONS",
    "illegal_characters",
    "parse_fragment",
    "refuse_entities",
    "root_name",
    "without_illegal_characters",
]

PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    # Lifts libxml2's limit of 10 MB for one text node. It also lifts its guard against entity
    # bombs, which is why `refuse_entities` must see a file's head before a parser does.
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# What may stand in a DOCTYPE, a word at a time. Whoever ends it too early (at a `]>` inside a comment, say)
# does not see the entities that are declared behind that place.
_QUOTED = rb"\"[^\"]*+\"|'[^']*+'"
_INNER = rb"[^\]\"'<]++|" + _QUOTED + rb"|<!--.*?-->|<\?.*?\?>|<!(?!--)"
_PROLOG_PART = re.compile(
    rb"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[\]<>\"']|" + _QUOTED + rb")*+(?:\[(?:" + _INNER + rb")*+\]\s*+)?>",
    re.DOTALL,
)
_ROOT = re.compile(rb"<([^\s/>!?]+)(?=[\s/>])")


def refuse_entities(head: bytes) -> None:
    """Raise `InputError` where the prolog in `head` (the file's first bytes) declares entities.

    Declared entities are how a small file becomes gigabytes of text, or pulls in other files.
    """
    plain = head.replace(b"\x00", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head
    root = _root_start(plain)
    prolog = plain if root is None else plain[:root]
    if b"<!ENTITY" in prolog:
        raise InputError(
            "its DOCTYPE declares entities, which are never expanded here; "
            "write the characters themselves and remove the <!ENTITY ...> declarations"
        )


def root_name(head: bytes) -> str | None:
    """The local name of the root element that begins in `head`; None where there is none."""
    plain = head.replace(b"\x00", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head
    start = _root_start(plain)
    if start is None:
        return None
    found = _ROOT.match(plain, start)
    return found.group(1).decode("utf-8", "replace").rpartition(":")[2] if found else None


def parse_fragment(raw: bytes) -> etree._Element:
    """Parse one serialised element (UTF-8). Raises `etree.XMLSyntaxError`."""
    return etree.fromstring(raw, etree.XMLParser(**PARSER_OPTIONS))


def illegal_characters(text: str) -> list[str]:
    """The characters in a text that XML 1.0 cannot hold, as `U+000B`; sorted, each once."""
    return sorted({f"U+{ord(character):04X}" for character in _ILLEGAL.findall(text)})


def without_illegal_characters(text: str) -> str:
    """The text with U+FFFD in place of each character that XML 1.0 cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)


def _root_start(plain: bytes) -> int | None:
    position = 3 if plain.startswith(b"\xef\xbb\xbf") else 0
    if plain[:2] in (b"\xff\xfe", b"\xfe\xff"):
        position = 2
    while part := _PROLOG_PART.match(plain, position):
        position = part.end()
    found = _ROOT.match(plain, position)
    return position if found else None
