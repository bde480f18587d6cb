"""What speaks for a sense: its frequency, the articles that define it, and the words of its long form.

The features of all short forms of an article are computed together, as arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from indexing.learning.linear import Columns, Floats
from nlmchem.abbreviations.senses.context_index import ContextIndex, Query
from nlmchem.abbreviations.senses.inventory import InventorySense
from nlmchem.abbreviations.senses.words import long_form_words

CUT_OFF = 23
"""The number of senses that are considered (Chen et al. 2023, GLADIS: 90% recall)."""
MOST_ARTICLES = 60
"""The number of articles of a sense that are compared."""

FEATURES = (
    "log articles", "share", "single", "nearest", "nearest three", "mean", "kernel", "vector nearest",
    "vector nearest three", "vector mean", "vector kernel", "words present", "word frequency", "long form vector",
    "words",
)  # fmt: skip
BEST = ("nearest", "vector nearest", "vector mean", "words present", "long form vector")
"""Features of the alternative that are the highest value among the senses."""
OTHER_FEATURES = ("bias", "log articles", "singletons", "log singletons", "log senses", *BEST)
WIDTH, VECTOR_WIDTH = 0.03, 0.07
"""The widths of the kernels."""
LEAST = 1e-12
"""What is added to a sum of kernels before its logarithm."""
MOST_TIMES = 10

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AmbiguousForm:
    """A short form without a definition: its senses, most frequent first, and the numbers of the articles of each."""

    candidates: Sequence[InventorySense]
    articles: Sequence[Indices]


@dataclass(frozen=True, slots=True)
class SenseFeatures:
    """The features of F short forms of an article, with S senses together.

    `candidates`: the senses of each short form, at most `CUT_OFF`. `senses`: S values of each of `FEATURES`; the senses
    of form f are the rows from `starts[f]` to `starts[f + 1]` (exclusive). `other`: F values of each of
    `OTHER_FEATURES`, about all senses of a form together.
    """

    candidates: tuple[tuple[InventorySense, ...], ...]
    senses: Columns
    other: Columns
    starts: Indices


def ambiguous_form(candidates: Sequence[InventorySense], context: ContextIndex) -> AmbiguousForm:
    """The senses of a short form of the dictionary of the context, with their articles."""
    return AmbiguousForm(candidates, [context.of_sense(one.row) for one in candidates[:CUT_OFF]])


def features_of(
    forms: Sequence[AmbiguousForm], query: Query, counts: Mapping[str, int], context: ContextIndex
) -> SenseFeatures:
    """The features of the most frequent senses of short forms. `counts`: the words of the article, as in the query.

    Each short form has at least one sense.
    """
    candidates = tuple(tuple(form.candidates[:CUT_OFF]) for form in forms)
    starts = np.cumsum([0, *map(len, candidates)])
    senses = [one for own in candidates for one in own]
    if not senses:
        none = np.zeros(0)
        return SenseFeatures((), dict.fromkeys(FEATURES, none), dict.fromkeys(OTHER_FEATURES, none), starts)
    lists = [[one[:MOST_ARTICLES] for one in form.articles[:CUT_OFF]] for form in forms]
    groups = [sum(map(len, own)) for own in lists]
    flat = [one for own in lists for one in own]
    sizes = np.array([len(one) for one in flat])
    by_words, by_vectors = context.similarities(query, np.concatenate(flat), groups)
    articles = np.array([one.articles for one in senses], dtype=np.float64)
    totals = np.array([sum(one.articles for one in form.candidates) for form in forms], dtype=np.float64)
    columns = {
        "log articles": np.log(articles),
        "share": articles / np.repeat(totals, np.diff(starts)),
        "single": (articles == 1).astype(np.float64),
        **_summary("", by_words, sizes, WIDTH, articles),
        **_summary("vector ", by_vectors, sizes, VECTOR_WIDTH, articles),
        **_words([one.long_form for one in senses], query, counts, context),
    }
    best = {name: np.maximum.reduceat(columns[name], starts[:-1]) for name in BEST}
    return SenseFeatures(candidates, columns, {**_other(forms, totals), **best}, starts)


def _summary(
    prefix: str, cosines: NDArray[np.float32], sizes: Indices, width: float, articles: Floats
) -> dict[str, Floats]:
    """For each sense: nearest, mean of the nearest three, mean of all, and the logarithm of the sum of kernels.

    `prefix`: of the names. `cosines`: those of the articles of all senses, one sense after the other. `sizes`: how many
    of them each has.
    """
    nearest, three, mean = np.zeros((3, len(sizes)))
    # A sense without articles (of a dictionary of one's own) is as far as one whose articles have no word in common.
    kernels = np.log(articles * np.exp(-1 / width) + LEAST)
    some = sizes > 0
    found = {"nearest": nearest, "nearest three": three, "mean": mean, "kernel": kernels}
    named = {f"{prefix}{name}": column for name, column in found.items()}
    if not some.any():
        return named
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
    return named


def _words(
    long_forms: Sequence[str], query: Query, counts: Mapping[str, int], context: ContextIndex
) -> dict[str, Floats]:
    """How much of each long form the article contains, how often, how near its vector is, and its number of words."""
    forms = [_long(one, context) for one in long_forms]
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
    return {
        "words present": present,
        "word frequency": frequency,
        "long form vector": near,
        "words": lengths.astype(np.float64),
    }


@dataclass(frozen=True, slots=True)
class _Long:
    """A long form: its words, their IDF, and its vector."""

    words: tuple[str, ...]
    idf: Floats
    vector: NDArray[np.float32]


@lru_cache(maxsize=1 << 14)
def _long(long_form: str, context: ContextIndex) -> _Long:
    """Kept, because the senses of an article occur in the next ones."""
    words = tuple(long_form_words(long_form))
    numbers = context.numbers_of(words)
    idf = np.where(numbers >= 0, context.idf[numbers].astype(np.float64), context.unknown)
    [vector] = context.text_vectors(numbers, np.array([len(words)]))
    return _Long(words, idf, vector)


def _other(forms: Sequence[AmbiguousForm], totals: Floats) -> dict[str, Floats]:
    singles = np.array([sum(one.articles == 1 for one in form.candidates) for form in forms], dtype=np.float64)
    senses = np.array([len(form.candidates) for form in forms], dtype=np.float64)
    return {
        "bias": np.ones(len(forms)),
        "log articles": np.log(totals),
        "singletons": singles / totals,
        "log singletons": np.log1p(singles),
        "log senses": np.log(senses),
    }
