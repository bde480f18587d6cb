"""What the two sentences have in common around the terms."""

from __future__ import annotations

import math
import re
from collections.abc import Set
from dataclasses import dataclass

from corpora.model.document import Span
from corpora.words.english import stop_words, word_counts
from corpora.words.inflection import singular
from corpora.words.short_texts import cached

_WORD = re.compile(r"[^\W_]+")
_UNKNOWN = 5
"""The count of a word that is not in the list of words, which has words from three letters on."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The words of a sentence without the term: all of them as a set, and the ones next to the term ("" if none)."""

    words: frozenset[str]
    before: str
    after: str


def words_of(text: str) -> list[str]:
    """The words of a text in lower case and singular; numbers are words."""
    return [singular(word.casefold()) for word in _WORD.findall(text)]


def surroundings(sentence: str, span: Span) -> Surroundings:
    """The words around a term. Stop words are left out of the set."""
    before, after = words_of(sentence[: span[0]]), words_of(sentence[span[1] :])
    words = frozenset(word for word in (*before, *after) if word not in stop_words())
    return Surroundings(words, before[-1] if before else "", after[0] if after else "")


@cached(65536)
def rarity(word: str) -> float:
    """How rare a word is in biomedical text: about 0 for the most common words, 1 for words that the list lacks."""
    counts = word_counts()
    most = math.log(max(counts.values()) / _UNKNOWN)
    return min(1.0, max(0.0, 1 - math.log(max(counts.get(word, 0), _UNKNOWN) / _UNKNOWN) / most))


def overlap(words1: Set[str], words2: Set[str]) -> float:
    """The share of common words, weighted by rarity: 0..1 (cosine of two sets)."""
    # `fsum` does not depend on the order of the set, which differs between processes.
    left, right, both = (math.fsum(rarity(word) ** 2 for word in words) for words in (words1, words2, words1 & words2))
    return both / math.sqrt(left * right) if left and right else 0.0
