"""Resolves mentions without an answer by the other mentions of the article.

A misspelt surface takes the concept of the correct surface. An abbreviation without a definition takes the concept of
the longer name that it abbreviates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rapidfuzz.distance import Indel

from sieves.lexicon.keys import relaxed
from sieves.sieve import SieveCandidate

SIEVE = "article"
"""The name in the evidence of candidates from other mentions of the article."""
ALIKE = 0.9
"""The least similarity of a misspelling: 1 less the insertions and deletions by characters of both texts."""
SHORTEST_MISSPELT = 6
_SHORT_FORM = re.compile(r"(?=.*[A-Z].*[A-Z])[A-Z][A-Za-z0-9-]{1,7}")
_START = re.compile(r"[A-Z][A-Za-z]{2,5}")
"""A short form that can be the beginning of a name: `Dex`, `TAC`."""


def continue_mention(text: str, resolved: Mapping[str, SieveCandidate]) -> SieveCandidate | None:
    """The concept of the surface that a text misspells or abbreviates; None if there is none, or more than one.

    `resolved`: the surfaces of the article with an answer of a sieve.
    """
    return _misspelt(text, resolved) or abbreviated(text, resolved)


def _misspelt(text: str, resolved: Mapping[str, SieveCandidate]) -> SieveCandidate | None:
    key = relaxed(text)
    if len(key) < SHORTEST_MISSPELT:
        return None
    best: tuple[float, str] | None = None
    for surface in sorted(resolved):
        other = relaxed(surface)
        # Different locants and chain lengths are different chemicals.
        if _digits(other) == _digits(key):
            alike = Indel.normalized_similarity(key, other, score_cutoff=ALIKE)
            if alike >= ALIKE and (best is None or alike > best[0]):
                best = alike, surface
    return _taken(resolved[best[1]], best[1], best[0]) if best else None


def abbreviated(text: str, resolved: Mapping[str, SieveCandidate]) -> SieveCandidate | None:
    """The concept of the surfaces that a short form abbreviates; None without any, or if they have several concepts."""
    surfaces: list[str] = []
    if _START.fullmatch(text):
        surfaces = [surface for surface in sorted(resolved) if _begins(text, surface)]
    if not surfaces and _SHORT_FORM.fullmatch(text):
        surfaces = [surface for surface in sorted(resolved) if _abbreviates(text, surface)]
    meanings = {resolved[surface].identifiers for surface in surfaces}
    return _taken(resolved[surfaces[0]], surfaces[0], None) if len(meanings) == 1 else None


def _begins(short: str, long: str) -> bool:
    """Whether a short form is the beginning of the first word of a name: `Dex`, dexamethasone."""
    word = long.partition(" ")[0]
    return word.isalpha() and len(word) >= 2 * len(short) and word.casefold().startswith(short.casefold())


def _abbreviates(short: str, long: str) -> bool:
    """Whether every letter and digit of a short form begins a part of the long one, in order.

    Parts are words, numbers, and the texts after hyphens and brackets. Letters inside a part count as well if the short
    form has the first letter of each earlier part.
    """
    letters = relaxed(short)
    if len(long) < 2 * len(letters) or not long[:1].isalpha():
        return False
    starts = [part[0].lower() for part in re.findall(r"[A-Za-z]+|\d+", long)]
    if len(starts) == len(letters) and starts == list(letters):
        return True
    return _within(letters, re.findall(r"[a-z]+|\d+", long.lower()))


def _within(letters: str, parts: list[str]) -> bool:
    """Whether a short form of at least three letters has the first letter of every part, and letters after these."""
    if len(letters) < 3 or len(parts) < 2 or len(parts) > len(letters):
        return False
    at = 0
    for part in parts:
        if at >= len(letters) or part[0] != letters[at]:
            return False
        at += 1
        reached = 1
        while at < len(letters):
            place = part.find(letters[at], reached)
            if place < 0:
                break
            at, reached = at + 1, place + 1
    return at == len(letters)


def _taken(candidate: SieveCandidate, surface: str, score: float | None) -> SieveCandidate:
    return SieveCandidate(candidate.identifiers, SIEVE, candidate.matched_name, candidate.layer, score, via=surface)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
