"""The words around the mentions of a candidate, with weights that are learnt from titles of unlabelled articles.

Windows of words are hashed, once for the whole article and once for each kind of section. A regression learns from
them, besides the counts, whether the candidate stands in the title; the title itself is not read. Other candidates in a
window are one word, so that weights are of words and not of chemicals.
"""

from __future__ import annotations

import json
import lzma
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log, log1p
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from background import document

import nlmchem
from indexing.learning.linear import Floats, sigmoid
from indexing.terms.candidates import PLACES, ArticleCandidates, candidates_of
from sieves.lexicon.lexicon import Lexicon

SIZE = 1 << 15
"""A feature is a hash below this number."""
NEAR, FAR = 3, 8
"""Words on each side whose distance counts, and words that count at any distance."""
EVERY, FIRST = 6, 3
"""One unlabelled article in so many is read, from this one on."""
STRENGTH = 10.0
"""L2 penalty of the words; of 1, 3, 10 and 30 the best log-loss for titles of held-out unlabelled articles."""
LEAST = 5
"""Candidates that have a feature; rarer features are not used."""

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
_GROUPS = {
    "abstract": "a", "introduction": "i", "methods": "m", "results": "r", "discussion": "d", "conclusion": "d",
    "figure": "f", "table": "f", "other": "o",
}  # fmt: skip
_GROUP = tuple(_GROUPS.get(place, "") for place in PLACES)
_COUNTED = tuple(n for n, place in enumerate(PLACES) if place not in ("title", "keywords", "supplement"))
_TITLE, _REFERENCE = PLACES.index("title"), PLACES.index("reference")
CHEMICAL, NUMBER, END = "\x01", "\x02", "\x03"


@dataclass(frozen=True)
class Titles:
    """Weights for "stands in the title"."""

    means: Floats
    scales: Floats
    counts: Floats
    words: Floats

    def columns(self, article: ArticleCandidates) -> Floats:
        """For each candidate: what the words and what the counts add to the log-odds."""
        if not article.candidates:
            return np.zeros((0, 2))
        own = (counts_of(article) - self.means) / self.scales
        return np.stack([vectors(article) @ self.words, own @ self.counts], axis=1)


def learnt(articles: Iterable[ArticleCandidates]) -> Titles:
    """Learn from articles. Raises `ValueError` for none."""
    import scipy.sparse as sparse
    from scipy.optimize import minimize

    read = [article for article in articles if article.candidates]
    body = np.concatenate([[any(c.counts[n] for n in _COUNTED) for c in article.candidates] for article in read])
    labels = np.concatenate([[float(c.counts[_TITLE] > 0) for c in article.candidates] for article in read])[body]
    words = sparse.vstack([vectors(article) for article in read]).tocsr()[body]
    counts = np.concatenate([counts_of(article) for article in read])[body]
    means, scales = counts.mean(axis=0), np.maximum(counts.std(axis=0), 1e-6)
    kept = np.flatnonzero(np.asarray((words > 0).sum(axis=0)).ravel() >= LEAST)
    standard = np.hstack([(counts - means) / scales, np.ones((len(counts), 1))])
    values = sparse.hstack([sparse.csr_matrix(standard), words[:, kept]]).tocsr()
    flipped = values.T.tocsr()
    penalty = np.concatenate([np.ones(counts.shape[1]), [0.0], np.full(len(kept), STRENGTH)])

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = values @ weights
        total = np.logaddexp(0, odds).sum() - labels @ odds + 0.5 * (penalty * weights) @ weights
        return total, flipped @ (sigmoid(odds) - labels) + penalty * weights

    found = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 40}).x
    of_words = np.zeros(SIZE)
    of_words[kept] = found[counts.shape[1] + 1 :]
    return Titles(means, scales, found[: counts.shape[1]], of_words)


def unlabelled(texts: Sequence[Path], without: frozenset[str], number: int) -> Iterator[ArticleCandidates]:
    """The candidates of some unlabelled articles, by the lexicon tagger. `without`: PMCIDs that are left out."""
    annotate, concepts = nlmchem.load(tagger="lexicon"), Lexicon.open(None)

    def documents() -> Iterator[Any]:
        for path in texts:
            with lzma.open(path, "rt", encoding="utf-8") as lines:
                for line in islice(lines, FIRST, None, EVERY):
                    article = json.loads(line)
                    if str(article["id"]).removeprefix("PMC") not in without:
                        yield document(str(article["id"]), str(article["text"]))

    for annotated in annotate(islice(documents(), number)):
        yield candidates_of(annotated, concepts)


def counts_of(article: ArticleCandidates) -> Floats:
    """Counts of each candidate outside title, keywords and supplements."""
    totals = [sum(c.counts[n] for n in _COUNTED if n != _REFERENCE) for c in article.candidates]
    ordered = sorted(totals, reverse=True)
    rows = [
        [
            *(log1p(c.counts[n]) for n in _COUNTED), log1p(total), total / max(1, ordered[0]),
            log(1 + ordered.index(total)), total / max(1, sum(totals)), log1p(c.passages), log(len(c.surfaces)),
            log(len(totals)), log1p(sum(totals)), float(c.defined),
        ]
        for c, total in zip(article.candidates, totals, strict=True)
    ]  # fmt: skip
    return np.array(rows).reshape(len(rows), len(_COUNTED) + 9)


def vectors(article: ArticleCandidates) -> Any:
    """The mean of the features of the windows of each candidate: a sparse matrix (candidates, `SIZE`)."""
    import scipy.sparse as sparse

    words = _Words(article)
    rows, columns, values = [], [], []
    for row, candidate in enumerate(article.candidates):
        found: Counter[int] = Counter()
        windows = [one for one in candidate.occurrences if _GROUP[one.place]]
        for one in windows:
            for feature in features_of(*words.window(one.passage, one.start, one.end)):
                found[crc32(feature.encode()) % SIZE] += 1
                found[crc32(f"{_GROUP[one.place]}{feature}".encode()) % SIZE] += 1
        for column, count in found.items():
            rows.append(row)
            columns.append(column)
            values.append(count / len(windows))
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(article.candidates), SIZE))


def features_of(before: Sequence[str], behind: Sequence[str]) -> Iterator[str]:
    """The features of a window. `before`: the words before a mention, the nearest first; `behind`: those behind it."""
    near = [*before[:NEAR], *[END] * (NEAR - len(before))]
    following = [*behind[:NEAR], *[END] * (NEAR - len(behind))]
    for distance in range(NEAR):
        yield f"<{distance}{near[distance]}"
        yield f">{distance}{following[distance]}"
    yield f"<<{near[1]} {near[0]}"
    yield f">>{following[0]} {following[1]}"
    yield f"<>{near[0]} {following[0]}"
    for word in dict.fromkeys([*before, *behind]):
        yield f"~{word}"


class _Words:
    """The words of the passages, with `CHEMICAL` in place of candidates."""

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
        return words[max(0, first - FAR) : first][::-1], words[last : last + FAR]

    def _read(self, passage: int) -> tuple[list[str], list[int]]:
        words: list[str] = []
        starts: list[int] = []
        covered = sorted(self._covered.get(passage, ()))
        at, inside = 0, -1
        for match in _TOKEN.finditer(self._article.texts[passage]):
            begin = match.start()
            while at < len(covered) and covered[at][0] <= begin:
                if covered[at][1] > inside:
                    inside = covered[at][1]
                    words.append(CHEMICAL)
                    starts.append(begin)
                at += 1
            if begin >= inside:
                word = match.group()
                words.append(NUMBER if word[0].isdigit() else word.lower())
                starts.append(begin)
        return words, starts
