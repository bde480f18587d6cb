"""Sentences of a candidate read by the encoder of the embedded tagger, with attention over them.

After teams 128 and 157 of the NLM-Chem track. Of each candidate that the regression does not rule out, the sentences of
title, abstract and conclusion, and of the first and last paragraph of introduction and discussion. A sentence is the
vector of the candidate's pieces in it. A small head is trained: attention over the sentences, then a weighted sum,
which is added to the log-odds of the regression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from corpora.model.document import Span
from indexing.learning.linear import Floats
from indexing.terms.candidates import PLACES, ArticleCandidates, Candidate
from nlmchem.tagging.inference.term_vectors import TermVectors

MOST = 10
"""Sentences of a candidate."""
DIMENSIONS = 24
"""Principal components of the vectors."""
STEPS, RATE, PENALTY = 150, 0.05, 0.02
"""Steps of Adam on all candidates, its rate, and the L2 penalty of the head."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(])")
_WHOLE = {PLACES.index(place) for place in ("title", "abstract", "conclusion")}
_EDGES = [PLACES.index(place) for place in ("introduction", "discussion")]
_PARAGRAPH = 80
"""Characters of the shortest paragraph."""


@dataclass(frozen=True)
class Bags:
    """The vectors (sentences, 384) of candidates, and the number of the candidate of each row."""

    vectors: Floats
    owners: Floats

    def of(self, candidates: Floats) -> tuple[Floats, Floats]:
        """The rows of some candidates, and the place of each owner among these."""
        place = np.full(int(self.owners.max(initial=-1)) + 1, -1)
        inside = candidates[candidates < len(place)]
        place[inside] = np.flatnonzero(candidates < len(place))
        rows = np.flatnonzero(place[self.owners] >= 0)
        return rows, place[self.owners[rows]]


def sentences_of(article: ArticleCandidates, candidate: Candidate) -> Iterator[tuple[str, Span]]:
    """The sentences that are read, each with the first mention of the candidate in it."""
    read = _passages(article)
    seen: set[tuple[int, int]] = set()
    for one in sorted(candidate.occurrences, key=lambda one: (one.passage, one.start)):
        if one.passage in read and len(seen) < MOST:
            text = article.texts[one.passage]
            ends = [match.start() for match in _SENTENCE.finditer(text)]
            begin = max((match.end() for match in _SENTENCE.finditer(text) if match.end() <= one.start), default=0)
            end = min((stop for stop in ends if stop >= one.end), default=len(text))
            if (one.passage, begin) not in seen:
                seen.add((one.passage, begin))
                yield text[begin:end], (one.start - begin, one.end - begin)


def _passages(article: ArticleCandidates) -> set[int]:
    found = {number for number, place in enumerate(article.places) if place in _WHOLE}
    for place in _EDGES:
        own = [n for n, p in enumerate(article.places) if p == place and len(article.texts[n]) > _PARAGRAPH]
        found.update(own[:1] + own[-1:])
    return found


def bags(articles: Sequence[ArticleCandidates], wanted: Sequence[Sequence[int]], encoder: TermVectors) -> Bags:
    """The vectors of the wanted candidates; they are numbered through all candidates of all articles."""
    vectors, owners, begin = [], [], 0
    for article, rows in zip(articles, wanted, strict=True):
        for row in rows:
            found = list(sentences_of(article, article.candidates[row]))
            if found:
                vectors.append(encoder.of([text for text, _ in found], [span for _, span in found]))
                owners += [begin + row] * len(found)
        begin += len(article.candidates)
    return Bags(np.concatenate(vectors), np.array(owners))


def scores(known: Bags, offsets: Floats, labels: Floats, train: Floats, test: Floats) -> Floats:
    """What the head adds to the log-odds of the candidates `test`, after training on `train`; 0 without sentences.

    `offsets`: the log-odds of the regression of every candidate, which are held out for those in `train`.
    """
    import torch

    torch.manual_seed(0)
    rows, owners = known.of(train)
    mean = known.vectors[rows].mean(axis=0)
    _, lengths, directions = np.linalg.svd(known.vectors[rows] - mean, full_matrices=False)
    components = directions[:DIMENSIONS].T / (lengths[:DIMENSIONS] / len(rows) ** 0.5)
    head = torch.zeros(2 * DIMENSIONS + 1, dtype=torch.float64, requires_grad=True)

    def pooled(rows: Floats, owners: Floats, number: int) -> torch.Tensor:
        inputs = torch.from_numpy((known.vectors[rows] - mean) @ components).double()
        owner = torch.from_numpy(owners)
        weights = torch.exp((inputs @ head[:DIMENSIONS]).clamp(-8, 8))
        total = torch.zeros(number, dtype=torch.float64).index_add(0, owner, weights)
        parts = weights / total[owner] * (inputs @ head[DIMENSIONS:-1] + head[-1])
        return torch.zeros(number, dtype=torch.float64).index_add(0, owner, parts)

    has = torch.from_numpy(np.isin(np.arange(len(train)), owners))
    given, truth = torch.from_numpy(offsets[train]), torch.from_numpy(labels[train].astype(float))
    adam = torch.optim.Adam([head], lr=RATE)
    for _ in range(STEPS):
        adam.zero_grad()
        odds = (given + pooled(rows, owners, len(train)))[has]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(odds, truth[has])
        (loss + PENALTY * (head[:-1] ** 2).sum()).backward()
        adam.step()
    with torch.no_grad():
        return np.asarray(pooled(*known.of(test), len(test)).numpy())
