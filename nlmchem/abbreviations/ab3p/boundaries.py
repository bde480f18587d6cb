"""The start and end of a long form for a given alignment.

Not in Ab3P: prefixes (`anti-`, names of constructs) are left out, `type 1 ...`, `1, 3-...` and `protein phosphatase 2A
(PP2A)` begin one word earlier, and marks at the ends are removed.
"""

from __future__ import annotations

import re

from corpora.model.document import Span
from nlmchem.abbreviations.ab3p.window import FUNCTION_WORDS, MatchingCharacter, TokenWindow

_LEADING = " \n\xad{\"'`‘’“”«»/,;:.*†‡§-–—"
_TRAILING = '"`‘“”«»/,;:*†‡§–—'
# `HKIII-green fluorescent protein`, `Cla4p-...`: names of constructs have capitals and often a number.
_CONSTRUCT = re.compile(r"(?=.*[A-Z].*[A-Z0-9])[A-Za-z]+[0-9]*[a-z]?")
_PREFIXES = frozenset({"anti", "non"})
_LOCANT = re.compile(r"[0-9]+['′]?(?:-[0-9a-z'′-]+)?,")
_BARE_NUMBER = re.compile(r"[0-9]+|[ivx]+")
_NUMBERED_THINGS = frozenset({"class", "grade", "group", "phase", "stage", "subtype", "type"})
_NUMBERED = re.compile(r"[0-9]+['′]?-")


def begin_of(text: str, folded: str, window: TokenWindow, hit: MatchingCharacter, strategy: str) -> int:
    """The offset of the first character of a long form. Ab3P uses the whole token of the first hit."""
    token = hit.token
    start = window.spans[token][0]
    if not hit.first:
        start += _foreign_prefix(text, start, hit.position - window.starts[token], strategy)
    if token and start == window.spans[token][0] and _wants_more(text, folded, window, token, strategy):
        return window.spans[token - 1][0]
    return start


def _foreign_prefix(text: str, start: int, length: int, strategy: str) -> int:
    """The number of characters before a long form that begins inside a token."""
    prefix = text[start : start + length]
    head, mark = prefix[:-1], prefix[-1:]
    if prefix.endswith(("--", "—", "–", "{")):
        return length
    if mark == "/" and _CONSTRUCT.fullmatch(head):
        return length
    if mark == "-" and strategy.startswith("FirstLet") and (head in _PREFIXES or _CONSTRUCT.fullmatch(head)):
        return length
    return 0


def _wants_more(text: str, folded: str, window: TokenWindow, token: int, strategy: str) -> bool:
    """Whether the token before belongs to the long form although no character of the short form refers to it."""
    before, here = window.tokens[token - 1], window.tokens[token]
    if _NUMBERED.match(here) and _LOCANT.fullmatch(text[slice(*window.spans[token - 1])]):
        return True
    if _BARE_NUMBER.fullmatch(here) and before in _NUMBERED_THINGS:
        return True
    if strategy.startswith("FirstLet") or before in FUNCTION_WORDS or before[0] != folded[0] or not before.isalpha():
        return False
    return len(here) == 1 or folded[:2] == here[0] * 2


def without_marks(text: str, start: int, end: int) -> Span:
    """A long form without punctuation at its ends: quotes, slashes, dashes, commas."""
    while (
        start < end and text[start] in _LEADING and not (text[start] == "-" and text[start - 1 : start] in (")", "]"))
    ):
        start += 1
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    if end > start and text[end - 1] in "'’" and start and text[start - 1] in "'‘’":
        end -= 1
    return start, end
