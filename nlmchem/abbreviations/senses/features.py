"""What speaks for a sense: its frequency, the articles that define it, and the words of its long form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nlmchem.abbreviations.senses.background import Background, Query
from nlmchem.abbreviations.senses.inventory import InventorySense
from nlmchem.abbreviations.senses.words import long_form_words

__all__ = ["CUT_OFF", "FEATURES", "OTHER_FEATURES", "Evidence", "evidence", "evidence_of"]

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
MOST_TIMES = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of the senses of a short form in an article.

    `senses`: (S, len(FEATURES)). `other`: (len(OTHER_FEATURES),) about all senses together.
    """

    candidates: tuple[InventorySense, ...]
    senses: Floats
    other: Floats


def evidence(
    candidates: Sequence[InventorySense], query: Query, counts: Mapping[str, int], background: Background
) -> Evidence:
    """The features of the most frequent senses. `counts`: the words of the article, as in the query."""
    return evidence_of(
        candidates, [background.of_sense(one.row) for one in candidates[:CUT_OFF]], query, counts, background
    )


def evidence_of(
    candidates: Sequence[InventorySense],
    articles: Sequence[NDArray[np.int64]],
    query: Query,
    counts: Mapping[str, int],
    background: Background,
) -> Evidence:
    """The same with the numbers of the articles that define each sense given."""
    chosen = tuple(candidates[:CUT_OFF])
    total = sum(one.articles for one in candidates)
    lists = [own[:MOST_ARTICLES] for own in articles[: len(chosen)]]
    numbers = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
    by_words, by_vectors = background.similarities(query, numbers)
    rows = []
    begin = 0
    for one, own in zip(chosen, lists, strict=True):
        part = slice(begin, begin + len(own))
        begin += len(own)
        rows.append(
            [
                float(np.log(one.articles)),
                one.articles / total,
                float(one.articles == 1),
                *_summary(by_words[part], WIDTH, one.articles),
                *_summary(by_vectors[part], VECTOR_WIDTH, one.articles),
                *_words(one.long_form, query, counts, background),
            ]
        )
    values = np.array(rows, dtype=np.float64)
    return Evidence(chosen, values, _other(candidates, total, values))


def _summary(cosines: NDArray[np.float32], width: float, articles: int) -> tuple[float, float, float, float]:
    """Nearest, mean of the nearest three, mean of all, and the logarithm of the sum of kernels."""
    if not len(cosines):
        return 0.0, 0.0, 0.0, float(np.log(articles))
    ordered = np.sort(cosines.astype(np.float64))[::-1]
    kernels = np.exp((ordered - 1) / width).sum() * articles / len(ordered)
    return float(ordered[0]), float(ordered[:3].mean()), float(ordered.mean()), float(np.log(kernels + 1e-12))


def _words(
    long_form: str, query: Query, counts: Mapping[str, int], background: Background
) -> tuple[float, float, float, float]:
    """How much of the long form the article contains, how often, and how near its vector is."""
    parts = _long(long_form)
    weights = [background.word_idf(word) for word in parts]
    whole = sum(weights) or 1.0
    present = [
        (weight, counts.get(word, 0)) for word, weight in zip(parts, weights, strict=True) if word in query.present
    ]
    return (
        sum(weight for weight, _ in present) / whole,
        sum(weight * min(number, MOST_TIMES) ** 0.5 for weight, number in present) / whole,
        float(background.text_vector(parts) @ query.vector),
        float(len(parts)),
    )


@lru_cache(maxsize=1 << 16)
def _long(long_form: str) -> tuple[str, ...]:
    return tuple(long_form_words(long_form))


def _other(candidates: Sequence[InventorySense], total: int, values: Floats) -> Floats:
    singles = sum(one.articles == 1 for one in candidates)
    best = dict(zip(FEATURES, values.max(axis=0), strict=True))
    return np.array(
        [
            1.0,
            np.log(total),
            singles / total,
            np.log1p(singles),
            np.log(len(candidates)),
            *(best[name] for name in ("nearest", "vector nearest", "vector mean", "words present", "long form vector")),
        ]
    )
