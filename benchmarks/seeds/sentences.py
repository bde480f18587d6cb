"""Sentences of a candidate read by the encoder of the embedded tagger, with attention over them, for index terms.

    python -m benchmarks.seeds.sentences ANNOTATED --data ../shared/data

After teams 128 and 157 of the NLM-Chem track. Of each candidate that the regression does not rule out, the sentences of
title, abstract and conclusion, and of the first and last paragraph of introduction and discussion. A sentence is the
vector of the candidate's pieces in it. A small head is trained: attention over the sentences, then a weighted sum,
which is one more feature of the regression (cross-fitted). Scored in the five folds of `benchmarks.scores.indexing`,
beside the regression alone. Time: about 10 minutes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.scores.indexing import (
    Fold,
    Regression,
    Scores,
    columns_of,
    outcome,
    prepare,
    read_articles,
    sampled,
    strict,
    tables_of,
)
from corpora.model.document import Span
from indexing.learning.crossfit import Examples, folds
from indexing.learning.linear import Floats
from indexing.terms.candidates import PLACES, ArticleCandidates, Candidate
from indexing.terms.logistic import DEFAULT, read_model
from indexing.terms.training import (
    FEATURES,
    IndexedArticle,
    IndexerTraining,
    choose,
    fitted,
    held_out,
)
from nlmchem.evaluation.bootstrap import intervals
from nlmchem.evaluation.scores import total
from nlmchem.tagging.models.term_vectors import TermVectors
from sieves.lexicon.lexicon import Lexicon

OPTIONS = IndexerTraining()
FIRST = 0.03
"""C of the first stage, whose scores the head starts from."""
RULED_OUT = 0.02
"""Candidates whose first score is below have no sentences."""

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


Columns = Callable[[Fold], tuple[Floats, Mapping[int, Floats]]]
"""A further column of the table of a fold, and of its held-out articles by their `id`."""


def read_sentences(articles: Sequence[IndexedArticle], prepared: Sequence[Fold]) -> Columns:
    """Reads the sentences of all candidates that the regression of their fold does not rule out."""
    first = Regression(FEATURES)
    first_scores: dict[int, Floats] = {}
    for fold in prepared:
        fit, _ = first.fit(fold)
        first_scores.update({id(a): fit.probabilities(columns_of(own, FEATURES).values) for a, own in fold.held})
    wanted = [np.flatnonzero(first_scores[id(article)] >= RULED_OUT).tolist() for article in articles]
    print(f"{sum(map(len, wanted))} candidates are read", file=sys.stderr, flush=True)
    known = bags([article.found for article in articles], wanted, TermVectors())
    print(f"{len(known.vectors)} sentences were read", file=sys.stderr, flush=True)
    begins = np.cumsum([0, *(len(article.found.candidates) for article in articles)])
    place = {id(a): np.arange(begins[n], begins[n + 1]) for n, a in enumerate(articles)}
    labels = np.concatenate([article.labels for article in articles]).astype(bool)

    def columns(fold: Fold) -> tuple[Floats, dict[int, Floats]]:
        held_scores, of_held = first_stage(fold)
        offsets = np.zeros(len(labels))
        train = np.concatenate([place[id(article)] for article in fold.rest])
        offsets[train] = odds(held_scores)
        own = np.zeros(len(train))
        groups = np.repeat(np.arange(len(fold.rest)), [len(article.found.candidates) for article in fold.rest])
        for mask in folds(groups.tolist(), OPTIONS.folds, 7):
            own[mask] = scores(known, offsets, labels, train[~mask], train[mask])
        test = np.concatenate([place[key] for key in of_held])
        found = scores(known, offsets, labels, train, test)
        ends = np.cumsum([len(place[key]) for key in of_held])[:-1]
        return own[:, None], dict(zip(of_held, (part[:, None] for part in np.split(found, ends)), strict=True))

    return columns


def first_stage(fold: Fold) -> tuple[Floats, dict[int, Floats]]:
    """Scores of the first stage: held out for the table; for held-out articles by their `id`."""
    table = columns_of(fold.table, FEATURES)
    fit = fitted(table, FEATURES, FIRST)
    of_held = {id(a): fit.probabilities(columns_of(own, FEATURES).values) for a, own in fold.held}
    return held_out(table, FIRST, replace(OPTIONS, seed=3)), of_held


def odds(scores: Floats) -> Floats:
    clipped = np.clip(scores, 1e-6, 1 - 1e-6)
    found: Floats = np.log(clipped / (1 - clipped))
    return found


@dataclass
class Further:
    """The regression with a further column."""

    columns: Columns

    def __call__(self, fold: Fold) -> tuple[Callable[[IndexedArticle, Examples], Scores], float]:
        own, of_held = self.columns(fold)
        table = columns_of(fold.table, FEATURES)
        table = replace(table, values=np.hstack([table.values, own]))
        features = (*FEATURES, "sentences")
        strength, held_scores = choose(table, replace(OPTIONS, features=features))
        fit = fitted(table, features, strength)

        def score(article: IndexedArticle, of_article: Examples) -> Scores:
            values = np.hstack([columns_of(of_article, FEATURES).values, of_held[id(article)]])
            return fold.scored(article, fit.probabilities(values), True)

        return score, fold.threshold(held_scores, True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    concepts = Lexicon.open(None)
    articles = read_articles(given.annotated, given.data / "indexing" / "gold.jsonl", concepts)
    background = read_model(DEFAULT).background
    prepared = prepare(articles, tables_of(articles, concepts, background), concepts, background)
    gold = {article.key: article.gold for article in articles}
    learners = {"alone": Regression(FEATURES), "with sentences": Further(read_sentences(articles, prepared))}
    counts = [strict(gold, outcome(prepared, learner)) for learner in learners.values()]
    samples = sampled(counts)
    for number, name in enumerate(learners):
        score, of_f = total(counts[number]), intervals(samples[:, number : number + 1])[0][2]
        below = float(np.mean(samples[:, number, 2] < samples[:, 0, 2]))
        print(
            f"{name:16} P {score.precision:.4f} R {score.recall:.4f} F {score.f1:.4f} {of_f.low:.4f}-{of_f.high:.4f} "
            f"below the first row {below:.3f}"
        )


if __name__ == "__main__":
    main()
