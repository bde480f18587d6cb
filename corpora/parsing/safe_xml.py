"""Parsers for XML from unknown sources: no entities except the five of XML itself, no network."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from corpora.errors import InputError
from corpora.parsing.limits import XML_MARKS, require_bounded

PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    # Removes libxml2's limit of 10 MB for one text node, but also its protection against entity bombs. Therefore
    # `refuse_entities` must check the head of a file before a parser reads it.
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# The parts of a DOCTYPE. A pattern that ends too early (at a `]>` inside a comment) would miss entities that are
# declared after that place.
_QUOTED = rb"\"[^\"]*+\"|'[^']*+'"
_INNER = rb"[^\]\"'<]++|" + _QUOTED + rb"|<!--.*?-->|<\?.*?\?>|<!(?!--)"
_PROLOG_PART = re.compile(
    rb"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[\]<>\"']|" + _QUOTED + rb")*+(?:\[(?:" + _INNER + rb")*+\]\s*+)?>",
    re.DOTALL,
)
_ROOT = re.compile(rb"<([^\s/>!?]+)(?=[\s/>])")


def refuse_entities(head: bytes) -> None:
    """Raise `InputError` if the prolog in `head` (the first bytes of a file) declares entities.

    With entities, a small file can expand to gigabytes of text or include other files.
    """
    plain = head.replace(b"\x00", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head
    root = _root_start(plain)
    prolog = plain if root is None else plain[:root]
    if b"<!ENTITY" in prolog:
        raise InputError(
            "its DOCTYPE declares entities, which are not expanded for safety; "
            "write the characters themselves and remove the <!ENTITY ...> declarations"
        )


def root_name(head: bytes) -> str | None:
    """The local name of the root element that begins in `head`; None if there is none."""
    plain = head.replace(b"\x00", b"") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head
    start = _root_start(plain)
    if start is None:
        return None
    match = _ROOT.match(plain, start)
    return match.group(1).decode("utf-8", "replace").rpartition(":")[2] if match else None


def parse_fragment(raw: bytes) -> etree._Element:
    """Parse one serialised element in UTF-8. Raises `etree.XMLSyntaxError`, and `ArticleError` if it is too large."""
    require_bounded(raw, XML_MARKS)
    return etree.fromstring(raw, etree.XMLParser(**PARSER_OPTIONS))


def illegal_characters(text: str) -> list[str]:
    """The different characters of a text that XML 1.0 does not allow, such as `U+000B`, sorted."""
    return sorted({f"U+{ord(character):04X}" for character in _ILLEGAL.findall(text)})


def without_illegal_characters(text: str) -> str:
    """The text with U+FFFD instead of each character that XML 1.0 does not allow."""
    return _ILLEGAL.sub("\ufffd", text)


def _root_start(plain: bytes) -> int | None:
    position = 3 if plain.startswith(b"\xef\xbb\xbf") else 0
    if plain[:2] in (b"\xff\xfe", b"\xfe\xff"):
        position = 2
    while part := _PROLOG_PART.match(plain, position):
        position = part.end()
    match = _ROOT.match(plain, position)
    return position if match else None
