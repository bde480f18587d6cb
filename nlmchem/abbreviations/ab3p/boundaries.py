"""Where a long form begins and ends, once an alignment is found."""

from __future__ import annotations

import re
from collections.abc import Collection

from corpora.model.document import Span
from nlmchem.abbreviations.ab3p.additions import Addition
from nlmchem.abbreviations.ab3p.window import FUNCTION_WORDS, Hit, Window

__all__ = ["begin_of", "without_marks"]

_LEADING = "{\"'`‘’“”«»/,;:.*†‡§-–—"
_TRAILING = '"`‘“”«»/,;:*†‡§–—'
# `HKIII-green fluorescent protein`, `Cla4p-...`: the name of a construct has capitals and, mostly, a number.
_CONSTRUCT = re.compile(r"(?=.*[A-Z].*[A-Z0-9])[A-Za-z]+[0-9]*[a-z]?")
_PREFIXES = frozenset({"anti", "non"})
_LOCANT = re.compile(r"[0-9]+['′]?(?:-[0-9a-z'′-]+)?,")
_BARE_NUMBER = re.compile(r"[0-9]+|[ivx]+")
_NUMBERED_THINGS = frozenset({"class", "grade", "group", "phase", "stage", "subtype", "type"})
_NUMBERED = re.compile(r"[0-9]+['′]?-")


def begin_of(text: str, folded: str, window: Window, hit: Hit, strategy: str, additions: Collection[Addition]) -> int:
    """The offset of a long form's first character; Ab3P takes the first hit's whole token."""
    token = hit.token
    start = window.spans[token][0]
    if Addition.PREFIX in additions and not hit.first:
        start += _foreign_prefix(text, start, hit.position - window.starts[token], strategy)
    if (
        Addition.ONE_MORE in additions
        and token
        and start == window.spans[token][0]
        and _wants_more(text, folded, window, token, strategy)
    ):
        return window.spans[token - 1][0]
    return start


def _foreign_prefix(text: str, start: int, length: int, strategy: str) -> int:
    """How many characters of a token stand before the long form that begins inside it."""
    prefix = text[start : start + length]
    head, mark = prefix[:-1], prefix[-1:]
    if prefix.endswith(("--", "—", "–", "{")):
        return length
    if mark == "/" and _CONSTRUCT.fullmatch(head):
        return length
    if mark == "-" and strategy.startswith("FirstLet") and (head in _PREFIXES or _CONSTRUCT.fullmatch(head)):
        return length
    return 0


def _wants_more(text: str, folded: str, window: Window, token: int, strategy: str) -> bool:
    """Whether the token before belongs to the long form too, though no character stands for it."""
    before, here = window.tokens[token - 1], window.tokens[token]
    if _NUMBERED.match(here) and _LOCANT.fullmatch(text[slice(*window.spans[token - 1])]):
        return True
    if _BARE_NUMBER.fullmatch(here) and before in _NUMBERED_THINGS:
        return True
    if strategy.startswith("FirstLet") or before in FUNCTION_WORDS or before[0] != folded[0] or not before.isalpha():
        return False
    return len(here) == 1 or folded[:2] == here[0] * 2


def without_marks(text: str, start: int, end: int) -> Span:
    """A long form without the marks at its ends: quotes, slashes, dashes, commas."""
    while (
        start < end and text[start] in _LEADING and not (text[start] == "-" and text[start - 1 : start] in (")", "]"))
    ):
        start += 1
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    if end > start and text[end - 1] in "'’" and start and text[start - 1] in "'‘’":
        end -= 1
    return start, end
