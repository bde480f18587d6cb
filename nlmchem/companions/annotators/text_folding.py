"""Spellings of one text: what tools and language models change when they repeat it, undone step by step.

`folded` makes a text comparable, and keeps for each of its characters the place in the text that it comes from.
`difference` names the steps that two texts need to be equal.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from corpora.words.folding import FINAL_SIGMA, GREEK_NAME_OF, MICRO

HTML, LINE_ENDS, UNICODE, DASHES, GREEK, BLANKS, CASE, PLURAL = STEPS = (
    "HTML", "hyphenation", "Unicode forms", "dashes", "Greek letters", "blanks", "case", "plural",
)  # fmt: skip

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});|</?(?:sub|sup|i|b|em|strong)>")
"""An entity, or a tag of markup inside words."""
_LINE_END = re.compile(r"(?<=[^\W\d_])(?:\u00ad\s*|-\s+)(?=[^\W\d_])")
"""A word that is divided at the end of a line. A blank is left of the line end in many texts."""
_DASHES = dict.fromkeys("‐‑‒–—―−﹣－⁃˗", "-")
_QUOTES = {"’": "'", "‘": "'", "′": "'", "ʹ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "″": '"', "·": ".", "•": "."}
_TIGHT = frozenset("-/()[]{},;:'+.")
"""Marks whose blanks tools add or remove."""
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")

Piece = tuple[str, int, int]
"""A character of a folded text, and the start and the end (exclusive) of its source."""


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text. `starts` and `ends` are the places of its characters in the source, in code points."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def folded(text: str, steps: Iterable[str] = STEPS) -> FoldedText:
    """A text with all spellings of `STEPS` undone but the plural, or with some of them undone."""
    wanted = frozenset(steps)
    pieces: Iterable[Piece] = _characters(text, wanted)
    if BLANKS in wanted:
        pieces = _without_blanks(pieces)
    kept = list(pieces)
    return FoldedText(
        "".join(piece for piece, _, _ in kept),
        tuple(start for piece, start, _ in kept for _ in piece),
        tuple(end for piece, _, end in kept for _ in piece),
    )


def difference(given: str, found: str) -> tuple[str, ...]:
    """The steps without which two texts of equal folded form differ; empty for equal texts."""
    if given == found:
        return ()
    needed = list(STEPS)
    for step in reversed(STEPS):
        fewer = [other for other in needed if other != step]
        if _equal(given, found, fewer):
            needed = fewer
    return tuple(needed)


def _equal(left: str, right: str, steps: Iterable[str]) -> bool:
    wanted = frozenset(steps)
    first, second = (folded(text, wanted).text for text in (left, right))
    return first == second or (PLURAL in wanted and bool(set(numbers(first)) & set(numbers(second))))


def numbers(text: str) -> tuple[str, ...]:
    """The text, and its singular or plural forms with an s, where it is long enough for a word.

    >>> numbers("amine"), numbers("alcohols"), numbers("NO")
    (('amine', 'amines'), ('alcohols', 'alcohol'), ('NO',))
    """
    if len(text) < 4 or not text[-1:].isalpha():
        return (text,)
    if text[-1:] == "s" and text[-2:] not in ("ss", "us", "is"):
        return (text, text[:-1])
    return (text, f"{text}s")


def _characters(text: str, steps: frozenset[str]) -> Iterator[Piece]:
    reached = 0
    for start, end, value in _replacements(text, steps):
        yield from (piece for at in range(reached, start) for piece in _character(text[at], at, at + 1, steps))
        yield from (piece for character in value for piece in _character(character, start, end, steps))
        reached = end
    yield from (piece for at in range(reached, len(text)) for piece in _character(text[at], at, at + 1, steps))


def _replacements(text: str, steps: frozenset[str]) -> list[tuple[int, int, str]]:
    replaced: list[tuple[int, int, str]] = []
    if HTML in steps and ("&" in text or "<" in text):
        replaced += [
            (m.start(), m.end(), html.unescape(m[0]) if m[0][0] == "&" else "") for m in _ENTITY.finditer(text)
        ]
    if LINE_ENDS in steps and ("-" in text or "\u00ad" in text):
        replaced += [(m.start(), m.end(), "") for m in _LINE_END.finditer(text)]
    return sorted(replaced)


def _character(character: str, start: int, end: int, steps: frozenset[str]) -> Iterator[Piece]:
    if character.isascii():
        yield (character.lower() if CASE in steps else character), start, end
        return
    if UNICODE in steps:
        if character in _INVISIBLE:
            return
        character = _QUOTES.get(character, character)
        if character not in _DASHES:
            decomposed = unicodedata.normalize("NFKD", character)
            character = "".join(part for part in decomposed if not unicodedata.combining(part))
    if DASHES in steps:
        character = _DASHES.get(character, character)
    if GREEK in steps:
        lower = character.lower().replace(MICRO, "μ").replace(FINAL_SIGMA, "σ")
        character = GREEK_NAME_OF.get(lower, character)
    if CASE in steps:
        character = character.lower()
    # Characters of one source stay together: a match begins and ends at whole ones.
    yield from ((part, start, end) for part in character)


def _without_blanks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """One blank for several, and none beside marks."""
    before, blank = "", None
    for piece in pieces:
        if piece[0].isspace():
            blank = blank or (" ", piece[1], piece[2])
            continue
        if blank is not None and before and before not in _TIGHT and piece[0] not in _TIGHT:
            yield blank
        yield piece
        before, blank = piece[0], None
