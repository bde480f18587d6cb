"""What the article's other mentions say about one that no sieve knows alone.

A misspelt surface takes the concept of the surface it is a misspelling of; an abbreviation that is never defined, that
of the longer name it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rapidfuzz.distance import Indel

from sieves.lexicon.keys import relaxed
from sieves.sieve import Candidate

__all__ = ["SIEVE", "abbreviated", "continue_mention"]

SIEVE = "article"
"""The name in the evidence of whatever the article's other mentions say."""
ALIKE = 0.9
"""The least similarity of a misspelling: 1 less the insertions and deletions by characters of both texts."""
SHORTEST_MISSPELT = 6
_SHORT_FORM = re.compile(r"(?=.*[A-Z].*[A-Z])[A-Z][A-Za-z0-9-]{1,7}")


def continue_mention(text: str, resolved: Mapping[str, Candidate]) -> Candidate | None:
    """The concept of the article's surface that a text misspells or abbreviates; None where there is no, or no one.

    `resolved`: the surfaces of the article that the sieves know.
    """
    return _misspelt(text, resolved) or abbreviated(text, resolved)


def _misspelt(text: str, resolved: Mapping[str, Candidate]) -> Candidate | None:
    key = relaxed(text)
    if len(key) < SHORTEST_MISSPELT:
        return None
    best: tuple[float, str] | None = None
    for surface in sorted(resolved):
        other = relaxed(surface)
        # Locants and chain lengths are no misspellings.
        if _digits(other) == _digits(key):
            alike = Indel.normalized_similarity(key, other, score_cutoff=ALIKE)
            if alike >= ALIKE and (best is None or alike > best[0]):
                best = alike, surface
    return _taken(resolved[best[1]], best[1], best[0]) if best else None


def abbreviated(text: str, resolved: Mapping[str, Candidate]) -> Candidate | None:
    """The concept of the surfaces that a short form is made of; None where there are none, or of several concepts."""
    if not _SHORT_FORM.fullmatch(text):
        return None
    found = [surface for surface in sorted(resolved) if _abbreviates(text, surface)]
    meanings = {resolved[surface].identifiers for surface in found}
    return _taken(resolved[found[0]], found[0], None) if len(meanings) == 1 else None


def _abbreviates(short: str, long: str) -> bool:
    """Whether every letter and digit of a short form begins a part of the long one, in order.

    Parts are words and what follows a hyphen, a digit or a bracket; within them letters may be used, too, if the
    first letter of each part before is.
    """
    letters = relaxed(short)
    if len(long) < 2 * len(letters) or not long[:1].isalpha():
        return False
    starts = [part[0].lower() for part in re.findall(r"[A-Za-z]+|\d+", long)]
    if len(starts) == len(letters) and starts == list(letters):
        return True
    return _within(letters, re.findall(r"[a-z]+|\d+", long.lower()))


def _within(letters: str, parts: list[str]) -> bool:
    """A short form of three letters or more, made of the first letter of every part and of letters behind it."""
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


def _taken(candidate: Candidate, surface: str, score: float | None) -> Candidate:
    return Candidate(candidate.identifiers, SIEVE, candidate.matched_name, candidate.layer, score, via=surface)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
