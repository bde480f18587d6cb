"""What speaks for a sense: its frequency, the articles that define it, and the words of its long form.

The features of all short forms of an article are computed together, as arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from nlmchem.abbreviations.senses.background import Background, Query
from nlmchem.abbreviations.senses.inventory import InventorySense
from nlmchem.abbreviations.senses.words import long_form_words

__all__ = [
    "CUT_OFF",
    "FEATURES",
    "OTHER_FEATURES",
    "AmbiguousForm",
    "Evidence",
    "Evidences",
    "ambiguous_form",
    "evidences_of",
]

CUT_OFF = 23
"""The number of senses that are considered (Chen et al. 2023, GLADIS: 90% recall)."""
MOST_ARTICLES = 60
"""The number of articles of a sense that are compared."""

FEATURES = (
    "log articles", "share", "single", "nearest", "nearest three", "mean", "kernel", "vector nearest",
    "vector nearest three", "vector mean", "vector kernel", "words present", "word frequency", "long form vector",
    "words",
)  # fmt: skip
OTHER_FEATURES = (
    "bias", "log articles", "singletons", "log singletons", "log senses", "nearest", "vector nearest", "vector mean",
    "words present", "long form vector",
)  # fmt: skip
WIDTH, VECTOR_WIDTH = 0.03, 0.07
"""The widths of the kernels."""
LEAST = 1e-12
"""What is added to a sum of kernels before its logarithm."""
MOST_TIMES = 10

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AmbiguousForm:
    """A short form without a definition: its senses, most frequent first, and the numbers of the articles of each."""

    candidates: Sequence[InventorySense]
    articles: Sequence[Indices]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of the senses of a short form in an article.

    `senses`: (S, len(FEATURES)). `other`: (len(OTHER_FEATURES),) about all senses together.
    """

    candidates: tuple[InventorySense, ...]
    senses: Floats
    other: Floats


@dataclass(frozen=True, slots=True)
class Evidences:
    """The features of F short forms of an article, with S senses together.

    `candidates`: the senses of each short form, at most `CUT_OFF`. `senses`: (S, len(FEATURES)), `other`:
    (F, len(OTHER_FEATURES)). The senses of form f are the rows from `starts[f]` to `starts[f + 1]` (exclusive).
    """

    candidates: tuple[tuple[InventorySense, ...], ...]
    senses: Floats
    other: Floats
    starts: Indices

    def __iter__(self) -> Iterator[Evidence]:
        for number, own in enumerate(self.candidates):
            yield Evidence(own, self.senses[self.starts[number] : self.starts[number + 1]], self.other[number])


def ambiguous_form(candidates: Sequence[InventorySense], background: Background) -> AmbiguousForm:
    """The senses of a short form of the dictionary of the background, with their articles."""
    return AmbiguousForm(candidates, [background.of_sense(one.row) for one in candidates[:CUT_OFF]])


def evidences_of(
    forms: Sequence[AmbiguousForm], query: Query, counts: Mapping[str, int], background: Background
) -> Evidences:
    """The features of the most frequent senses of short forms. `counts`: the words of the article, as in the query.

    Each short form has at least one sense.
    """
    candidates = tuple(tuple(form.candidates[:CUT_OFF]) for form in forms)
    starts = np.cumsum([0, *map(len, candidates)])
    senses = [one for own in candidates for one in own]
    if not senses:
        return Evidences((), np.zeros((0, len(FEATURES))), np.zeros((0, len(OTHER_FEATURES))), starts)
    lists = [[one[:MOST_ARTICLES] for one in form.articles[:CUT_OFF]] for form in forms]
    groups = [sum(map(len, own)) for own in lists]
    flat = [one for own in lists for one in own]
    sizes = np.array([len(one) for one in flat])
    by_words, by_vectors = background.similarities(query, np.concatenate(flat), groups)
    articles = np.array([one.articles for one in senses], dtype=np.float64)
    totals = np.array([sum(one.articles for one in form.candidates) for form in forms], dtype=np.float64)
    values = np.column_stack(
        [
            np.log(articles),
            articles / np.repeat(totals, np.diff(starts)),
            articles == 1,
            *_summary(by_words, sizes, WIDTH, articles),
            *_summary(by_vectors, sizes, VECTOR_WIDTH, articles),
            *_words([one.long_form for one in senses], query, counts, background),
        ]
    )
    return Evidences(candidates, values, _other(forms, totals, np.maximum.reduceat(values, starts[:-1])), starts)


def _summary(
    cosines: NDArray[np.float32], sizes: Indices, width: float, articles: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """For each sense: nearest, mean of the nearest three, mean of all, and the logarithm of the sum of kernels.

    `cosines`: those of the articles of all senses, one sense after the other. `sizes`: how many of them each has.
    """
    nearest, three, mean = np.zeros((3, len(sizes)))
    # A sense without articles (of a dictionary of one's own) is as far as one whose articles have no word in common.
    kernels = np.log(articles * np.exp(-1 / width) + LEAST)
    some = sizes > 0
    if not some.any():
        return nearest, three, mean, kernels
    own = sizes[some]
    starts = np.cumsum(own) - own
    exact = cosines.astype(np.float64)
    ordered = exact[np.lexsort((-exact, np.repeat(np.arange(len(own)), own)))]
    nearest[some] = ordered[starts]
    sums = ordered[starts]
    for place in (1, 2):
        sums += np.where(own > place, ordered[np.minimum(starts + place, len(ordered) - 1)], 0.0)
    three[some] = sums / np.minimum(own, 3)
    mean[some] = np.add.reduceat(ordered, starts) / own
    summed = np.add.reduceat(np.exp((ordered - 1) / width), starts) * articles[some] / own
    kernels[some] = np.log(summed + LEAST)
    return nearest, three, mean, kernels


def _words(
    long_forms: Sequence[str], query: Query, counts: Mapping[str, int], background: Background
) -> tuple[Floats, Floats, Floats, Floats]:
    """How much of each long form the article contains, how often, how near its vector is, and its number of words."""
    forms = [_long(one, background) for one in long_forms]
    lengths = np.array([len(one.words) for one in forms])
    idf = np.concatenate([one.idf for one in forms])
    words = chain.from_iterable(one.words for one in forms)
    times = np.maximum(np.fromiter(map(counts.get, words, repeat(0)), dtype=np.float64, count=len(idf)), 0)
    owner = np.repeat(np.arange(len(forms)), lengths)
    whole = np.bincount(owner, idf, len(forms))
    whole[whole == 0] = 1.0
    present = np.bincount(owner, idf * (times > 0), len(forms)) / whole
    frequency = np.bincount(owner, idf * np.sqrt(np.minimum(times, MOST_TIMES)), len(forms)) / whole
    # One product for each sense: a product of the whole matrix rounds by the position of a row.
    near = np.array([one.vector.dot(query.vector) for one in forms], dtype=np.float64)
    return present, frequency, near, lengths.astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Long:
    """A long form: its words, their IDF, and its vector."""

    words: tuple[str, ...]
    idf: Floats
    vector: NDArray[np.float32]


@lru_cache(maxsize=1 << 14)
def _long(long_form: str, background: Background) -> _Long:
    """Kept, because the senses of an article occur in the next ones."""
    words = tuple(long_form_words(long_form))
    numbers = background.numbers_of(words)
    idf = np.where(numbers >= 0, background.idf[numbers].astype(np.float64), background.unknown)
    [vector] = background.text_vectors(numbers, np.array([len(words)]))
    return _Long(words, idf, vector)


def _other(forms: Sequence[AmbiguousForm], totals: Floats, best: Floats) -> Floats:
    """`best`: (F, len(FEATURES)), the highest value of each feature among the senses of each form."""
    singles = np.array([sum(one.articles == 1 for one in form.candidates) for form in forms], dtype=np.float64)
    senses = np.array([len(form.candidates) for form in forms], dtype=np.float64)
    return np.column_stack(
        [
            np.ones(len(forms)),
            np.log(totals),
            singles / totals,
            np.log1p(singles),
            np.log(senses),
            best[:, [FEATURES.index(name) for name in OTHER_FEATURES[-5:]]],
        ]
    )
