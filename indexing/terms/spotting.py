"""Finds names of concepts in a text outside the mentions.

A precise tagger leaves out names that an indexer can still choose. Therefore the words of title and abstract are looked
up (docs/measurements/indexing.md has the figures). Only whole words between blanks are names here, and at most four of
them; the embedded model was trained so. On these short texts the lookups take 2 ms for an article, a search by the
hashes of keys (`nlmchem.tagging.gazetteer`) takes 8 ms.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from corpora.model.document import Span
from corpora.model.protein_names import names_protein
from indexing.terms.indexer import Concepts

LONGEST = 4
"""Words of a name."""
SHORTEST = 4
"""Characters of a name. Shorter names have too many meanings."""

_WORD = re.compile(r"\S+")
_BEFORE = "\"'([{“‘*"
_BEHIND = "\"')]},.;:!?”’*"


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_EDGE = _words_of(
    """
    a an and are as at be been between both but by can during for from had has have in into is it its may more most no
    not of on or our such than that the their these they this those through to under was we were which while with
    """
)


def spotted(text: str, concepts: Concepts, taken: Sequence[Span]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Start, end and identifiers of the longest names, from left to right, that do not overlap `taken`."""
    words, breaks = _words(text)
    taken = _joined(taken)
    position = 0
    while position < len(words):
        name = _longest(text, words, breaks, position, concepts, taken)
        if name is None:
            position += 1
            continue
        number, identifiers = name
        yield words[position][0], words[position + number - 1][1], identifiers
        position += number


def _words(text: str) -> tuple[list[Span], list[bool]]:
    """Words without punctuation at their edges; for each word, whether a name ends there at the latest."""
    words: list[Span] = []
    breaks: list[bool] = []
    for match in _WORD.finditer(text):
        shown = match.group()
        start = match.start() + len(shown) - len(shown.lstrip(_BEFORE))
        end = match.end() - (len(shown) - len(shown.rstrip(_BEHIND)))
        if start > match.start() and breaks:
            breaks[-1] = True
        if start < end:
            words.append((start, end))
            breaks.append(end < match.end())
    return words, breaks


def _longest(
    text: str,
    words: Sequence[Span],
    breaks: Sequence[bool],
    first: int,
    concepts: Concepts,
    taken: Sequence[Span],
) -> tuple[int, tuple[str, ...]] | None:
    """The number of words and the identifiers of the longest name that begins with this word; None if there is none."""
    if not _may_be_edge(text, words[first]):
        return None
    last = first
    while last + 1 < len(words) and last + 1 - first < LONGEST and not breaks[last]:
        last += 1
    for end in range(last, first - 1, -1):
        span = (words[first][0], words[end][1])
        if span[1] - span[0] < SHORTEST or not _may_be_edge(text, words[end]) or _touches(span, taken):
            continue
        # As written, without folding case: the embedded model was trained with `ATPase` not being excluded.
        if not breaks[end] and end + 1 < len(words) and names_protein(text[slice(*words[end + 1])]):
            continue
        identifiers = _named(text[slice(*span)], concepts)
        if identifiers:
            return end - first + 1, identifiers
    return None


def _may_be_edge(text: str, word: Span) -> bool:
    return text[slice(*word)].lower() not in _NO_EDGE


def _joined(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, with those that overlap or meet joined to one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _touches(span: Span, taken: Sequence[Span]) -> bool:
    """Whether a span overlaps one of `taken`, which are in order and disjoint."""
    after = bisect_right(taken, span[0], key=lambda other: other[1])
    return after < len(taken) and taken[after][0] < span[1]


def _named(name: str, concepts: Concepts) -> tuple[str, ...]:
    for form in (name, name.removesuffix("s")):
        matches = concepts.lookup(form)
        if matches:
            return matches[0].identifiers
        if form == name and not name.endswith("s"):
            break
    return ()
