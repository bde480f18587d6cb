"""The words around the mentions of a candidate, as hashed features.

What a chemical does in an article shows in the words beside its name: `purchased from`, `effects of`, a number with a
unit. The features are not listed by hand: windows of words are hashed, and weights for them are learnt.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from zlib import crc32

from indexing.candidates import PLACES, ArticleCandidates, Candidate

__all__ = ["SIZE", "Vector", "context_of", "vectors"]

SIZE = 1 << 15
"""Weights: a feature is a hash below this number."""
NEAR = 3
"""Words on each side whose distance counts."""
FAR = 8
"""Words on each side that count at any distance."""

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
_GROUPS = {
    "abstract": "a", "introduction": "i", "methods": "m", "results": "r", "discussion": "d", "conclusion": "d",
    "figure": "f", "table": "f", "other": "o",
}  # fmt: skip
_GROUP = tuple(_GROUPS.get(place, "") for place in PLACES)
"""The part of the article that a window is from; windows of title, keywords, references and supplements are not read:
the title is what the weights are learnt from."""
CHEMICAL = "\x01"
"""Stands for another candidate, so that weights are of words and not of chemicals."""
NUMBER = "\x02"
END = "\x03"

Vector = dict[int, float]
"""Feature -> value."""


@lru_cache(maxsize=1 << 18)
def hashed(feature: str) -> int:
    """The number of a feature, the same in every process."""
    return crc32(feature.encode()) % SIZE


def vectors(article: ArticleCandidates) -> list[Vector]:
    """For each candidate, the mean of the features of its windows; empty if it has none."""
    words = _Words(article)
    return [_vector(candidate, words) for candidate in article.candidates]


def _vector(candidate: Candidate, words: _Words) -> Vector:
    found: Counter[int] = Counter()
    number = 0
    for occurrence in candidate.occurrences:
        group = _GROUP[occurrence.place]
        if group:
            number += 1
            for feature in context_of(*words.window(occurrence.passage, occurrence.start, occurrence.end)):
                found[hashed(feature)] += 1
                found[hashed(group + feature)] += 1
    return {feature: count / number for feature, count in found.items()}


def context_of(before: Sequence[str], behind: Sequence[str]) -> Iterator[str]:
    """The features of a window. `before`: the words before a mention, the nearest first; `behind`: those behind it."""
    near = [*(word for word in before[:NEAR]), *[END] * (NEAR - len(before))]
    next_ = [*(word for word in behind[:NEAR]), *[END] * (NEAR - len(behind))]
    for distance in range(NEAR):
        yield f"<{distance}{near[distance]}"
        yield f">{distance}{next_[distance]}"
    yield f"<<{near[1]} {near[0]}"
    yield f">>{next_[0]} {next_[1]}"
    yield f"<>{near[0]} {next_[0]}"
    for word in dict.fromkeys([*before, *behind]):
        yield f"~{word}"


class _Words:
    """The words of the passages; those of candidates are replaced by `CHEMICAL`."""

    def __init__(self, article: ArticleCandidates) -> None:
        self._article = article
        self._covered: dict[int, list[tuple[int, int]]] = {}
        for candidate in article.candidates:
            for found in candidate.occurrences:
                self._covered.setdefault(found.passage, []).append((found.start, found.end))
        self._passages: dict[int, tuple[list[str], list[int]]] = {}

    def window(self, passage: int, start: int, end: int) -> tuple[list[str], list[str]]:
        if passage not in self._passages:
            self._passages[passage] = self._read(passage)
        words, starts = self._passages[passage]
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        before = words[max(0, first - FAR) : first][::-1]
        return before, words[last : last + FAR]

    def _read(self, passage: int) -> tuple[list[str], list[int]]:
        words: list[str] = []
        starts: list[int] = []
        covered = sorted(self._covered.get(passage, ()))
        at = 0
        inside = -1
        for match in _TOKEN.finditer(self._article.texts[passage]):
            begin = match.start()
            while at < len(covered) and covered[at][0] <= begin:
                if covered[at][1] > inside:
                    inside = covered[at][1]
                    words.append(CHEMICAL)
                    starts.append(begin)
                at += 1
            if begin < inside:
                continue
            word = match.group()
            words.append(NUMBER if word[0].isdigit() else word.lower())
            starts.append(begin)
        return words, starts
