"""Candidates for keyphrases: phrases of up to five words, counted with numpy.

No tagger of parts of speech is needed: a phrase neither begins nor ends with a word of `words.STOP`, and does not reach
across punctuation. Features of its edges replace the parts of speech.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmchem.companions.keyphrases.words import BREAK, PLACES, Words

LONGEST = 5
"""Words of a candidate."""
_REFERENCE = PLACES.index("reference")
_ONCE = np.array([PLACES.index(place) for place in ("title", "abstract", "heading", "conclusion", "introduction")])
"""Where one occurrence is enough. Elsewhere a candidate needs two, without those in the references."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of an article, in the order of their length, then of their first occurrence.

    `lengths`, `hashes`: words and hash of each candidate. `of`, `starts`: candidate and first token of each occurrence;
    the occurrences of a candidate are in the order of the article. `counts`: occurrences by place (candidates, PLACES).
    `first`: the first occurrence outside the references, as a token.
    """

    words: Words
    lengths: Ints
    hashes: NDArray[np.uint64]
    of: Ints
    starts: Ints
    counts: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.lengths)

    def stem(self, number: int) -> str:
        """The stemmed phrase, with blanks between words."""
        start = int(self.first[number])
        stems = self.words.stems[start : start + int(self.lengths[number])]
        return " ".join(self.words.vocabulary[stem] for stem in stems)

    def places(self, number: int) -> Ints:
        """The first tokens of its occurrences."""
        places: Ints = self.starts[self.of == number]
        return places

    def surface(self, number: int) -> str:
        """The phrase as it is most often written; of several, the one with fewer capitals, then the first."""
        length = int(self.lengths[number])
        texts = Counter(" ".join(self.words.tokens[start : start + length]) for start in self.places(number).tolist())
        return min(texts, key=lambda text: (-texts[text], sum(map(str.isupper, text))))


def candidates_of(words: Words, longest: int = LONGEST) -> Candidates:
    """The candidates of an article."""
    parts = []
    total = 0
    for length, starts, numbers, hashes in _phrases(words, longest):
        kept = _kept(words, starts, numbers, len(hashes))
        renumbered = np.cumsum(kept) - 1 + total
        inside = kept[numbers]
        parts.append((np.full(int(kept.sum()), length), hashes[kept], renumbered[numbers[inside]], starts[inside]))
        total += int(kept.sum())
    lengths, hashes, of, starts = (np.concatenate(column) for column in zip(*parts, strict=True))
    counts = np.bincount(of * len(PLACES) + words.places[starts], minlength=total * len(PLACES))
    outside = words.places[starts] != _REFERENCE
    first = np.full(total, len(words.tokens), dtype=np.int64)
    np.minimum.at(first, of[outside], starts[outside])
    return Candidates(words, lengths, hashes, of, starts, counts.reshape(total, len(PLACES)), first)


def hashed(words: Words, longest: int) -> list[tuple[int, Ints, NDArray[np.uint64]]]:
    """Length, first tokens and hashes of all phrases that may be candidates, for each length."""
    return [(length, starts, hashes[numbers]) for length, starts, numbers, hashes in _phrases(words, longest)]


def _phrases(words: Words, longest: int) -> list[tuple[int, Ints, Ints, NDArray[np.uint64]]]:
    """For each length: the first tokens of the phrases, the number of each phrase, and the hash of each number."""
    stems, edges = words.stems, words.edges
    base = np.int64(len(words.vocabulary))
    starts = np.flatnonzero(edges & (stems != BREAK))
    running, rolling = stems[starts], words.hashes[stems[starts]]
    phrases = []
    for length in range(1, longest + 1):
        if length > 1:
            # Only phrases that may become longer: their next word is no break.
            longer = starts + length <= len(stems)
            longer[longer] = stems[starts[longer] + length - 1] != BREAK
            starts, running, rolling = starts[longer], running[longer], rolling[longer]
            behind = stems[starts + length - 1]
            _, running = np.unique(running * base + behind, return_inverse=True)
            rolling = (rolling * _FACTOR) ^ (words.hashes[behind] + np.uint64(length))
        whole = edges[starts + length - 1]
        numbers, first = _by_first(running[whole])
        phrases.append((length, starts[whole], numbers, rolling[whole][first]))
    return phrases


def _by_first(values: Ints) -> tuple[Ints, Ints]:
    """The values renumbered by their first occurrence, and the position of the first occurrence of each number."""
    # Backwards, so that the first position is written last. The order does not depend on numbers of stems.
    first = np.full(int(values.max(initial=-1)) + 1, len(values))
    first[values[::-1]] = np.arange(len(values))[::-1]
    used = np.flatnonzero(first < len(values))
    order = used[np.argsort(first[used])]
    numbers = np.empty(len(first), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    return numbers[values], first[order]


def _kept(words: Words, starts: Ints, numbers: Ints, size: int) -> NDArray[np.bool_]:
    places = words.places[starts]
    body = np.bincount(numbers, weights=places != _REFERENCE, minlength=size)
    front = np.bincount(numbers, weights=np.isin(places, _ONCE), minlength=size)
    return (body >= 2) | (front >= 1)
