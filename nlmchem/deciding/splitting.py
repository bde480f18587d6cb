"""Two names that a tagger marked as one, across a hyphen or a slash: `gemcitabine/cisplatin`, `GSH-iron`.

A span is divided if the lexicon does not have the whole, and has each part as a chemical. NLM-Chem marks few such
names as one: about 60 of the 26,567 mentions of its training and development parts (docs/measurements/deciding.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.model.document import Span
from nlmchem.deciding.meanings import Meanings
from sieves.chemistry.amino_acids import CODES

__all__ = ["divided"]

MOST_PARTS = 4
_SEPARATOR = re.compile(r"(?<=[\w+)\]])(?:/|[-‐‑–])(?=[\w(\[])")
_HYPHEN = re.compile(r"[-‐‑–]")
_PREFIX = re.compile(
    r".*(?:[yi]l|oxy|oxo|o)|[a-z]?[\d,']+|poly|mono|di|tri|tetra|penta|hexa|hepta|octa|oligo|anti|iso|[A-Z]|Ac|Me|Et|Bz|Boc"
    r"|[a-z]{1,2}",
    re.IGNORECASE,
)
"""Parts that belong to the name after a hyphen: radicals, locants, multiples."""
_SUFFIX = re.compile(r"HCl|amine|amides?|[\d,']+|[IVX]+|[A-Za-z]|ol", re.IGNORECASE)
"""Parts that belong to the name before a hyphen."""
_CLASS = re.compile(r"(?:acid|anion|base|cation|ester|ion|lipid|metal|oxide|peptide|polymer|salt)s?", re.IGNORECASE)
"""Words for classes that have a part of their name before them: `bile salts/acids`, `lithium-ion`."""
_ISOTOPE = re.compile(r"\d{1,3}[A-Z][a-z]?|[A-Z][a-z]?\d{1,3}")
"""A labelled atom: `3H-thymidine` is one name."""


def divided(text: str, span: Span, meanings: Meanings) -> list[Span]:
    """The parts of a span that are names of their own, or the span itself."""
    start, end = span
    if _SEPARATOR.search(text, start, end) is None or meanings.of(text[start:end]).is_trusted:
        return [span]
    for parts in _divisions(text, start, end):
        if all(meanings.is_known_chemical(text[first:last]) for first, last in parts):
            return parts
    return [span]


def _divisions(text: str, start: int, end: int) -> Iterator[list[Span]]:
    """The ways to divide a span: at all slashes, at all separators, at each single one."""
    places = [match.span() for match in _SEPARATOR.finditer(text, start, end)]
    slashes = [place for place in places if text[place[0]] == "/"]
    ways = [slashes, places, *([place] for place in places)]
    seen: set[tuple[Span, ...]] = set()
    for way in ways:
        if not way or len(way) >= MOST_PARTS or tuple(way) in seen:
            continue
        seen.add(tuple(way))
        parts = list(zip([start, *(last for _, last in way)], [*(first for first, _ in way), end], strict=True))
        if _can_stand_alone(text, parts):
            yield parts


def _can_stand_alone(text: str, parts: list[Span]) -> bool:
    """Whether no part is a prefix or a suffix of its neighbour, and the parts are no peptide."""
    words = [text[first:last] for first, last in parts]
    if all(word in CODES for word in words) and any(_is_hyphen(text[last]) for _, last in parts[:-1]):
        return False
    for at, (first, last) in enumerate(parts):
        word = text[first:last]
        if _CLASS.fullmatch(word):
            return False
        if at + 1 < len(parts) and _is_hyphen(text[last]) and (_PREFIX.fullmatch(word) or _ISOTOPE.fullmatch(word)):
            return False
        if at and _is_hyphen(text[first - 1]) and _SUFFIX.fullmatch(word):
            return False
    return all(len(word) > 1 for word in words) or max(map(len, words)) <= 2


def _is_hyphen(letter: str) -> bool:
    return _HYPHEN.fullmatch(letter) is not None
