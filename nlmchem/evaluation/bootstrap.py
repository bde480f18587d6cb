"""Paired bootstrap: how far scores would vary on other documents, and whether one run is better than another.

As the NLM-Chem track did it: for identification, documents are drawn with replacement, and within each
drawn document passages with replacement, as many as it has; for indexing, and for approximate
identifiers, whole documents are drawn. All runs are scored on the same draws, which depend on the
seed, the number of samples and the numbers of passages alone, not on the runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmchem.evaluation.scores import Counts

__all__ = [
    "CONFIDENCE",
    "SAMPLES",
    "SEED",
    "Draw",
    "Interval",
    "counted_documents",
    "counted_passages",
    "draw_documents",
    "draw_passages",
    "intervals",
    "mean_scores",
    "scores_of_counts",
    "united_passages",
    "wins",
]

SAMPLES = 10_000
SEED = 7
CONFIDENCE = 0.95
_CELLS = 1 << 21
"""Numbers held at once while drawing: some 16 MB an array, whatever the size of a document."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the middle 95% of samples lie."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Draw:
    """Some of the draws of one document: `samples[i]` is the sample that draw i belongs to,
    `passages[i]` the positions of the passages drawn."""

    document: int
    samples: Integers
    passages: Integers


def draw_documents(documents: int, samples: int, seed: int) -> Integers:
    """How often each sample has each document: shape (samples, documents), every row sums to `documents`."""
    if not documents:
        return np.zeros((samples, 0), dtype=np.int64)
    generator = np.random.default_rng(seed)
    return generator.multinomial(documents, np.full(documents, 1 / documents), size=samples)


def draw_passages(passages: Sequence[int], samples: int, seed: int) -> Iterator[Draw]:
    """Every drawn document of every sample with its drawn passages, document by document, in blocks.

    `passages`: how many each document has, at least 1.
    """
    times = draw_documents(len(passages), samples, seed)
    for document, number in enumerate(passages):
        # A generator for each document: what one document draws does not depend on the others' sizes.
        generator = np.random.default_rng((seed, document))
        drawn_in = np.repeat(np.arange(samples), times[:, document])
        step = max(1, _CELLS // number)
        for start in range(0, len(drawn_in), step):
            block = drawn_in[start : start + step]
            yield Draw(document, block, generator.integers(0, number, size=(len(block), number)))


def counted_passages(tables: Sequence[Integers], samples: int, seed: int) -> Integers:
    """Counts of every sample, where counts add up over passages (spans).

    `tables`: for each document (passages, columns). Returns (samples, columns).
    """
    columns = tables[0].shape[1] if tables else 0
    totals = np.zeros((samples, columns), dtype=np.int64)
    for draw in draw_passages([len(table) for table in tables], samples, seed):
        table = tables[draw.document]
        rows, number = draw.passages.shape
        # How often each draw has each passage, then one matrix product in place of a long gather.
        cells = (np.arange(rows)[:, None] * number + draw.passages).ravel()
        times = np.bincount(cells, minlength=rows * number).reshape(rows, number)
        np.add.at(totals, draw.samples, (times.astype(np.float64) @ table).astype(np.int64))
    return totals


def united_passages(
    gold: Sequence[NDArray[np.bool_]], runs: Sequence[NDArray[np.bool_]], samples: int, seed: int
) -> Integers:
    """Counts of every sample, where a drawn document's set is the union of its drawn passages' (identifiers).

    `gold`: for each document (passages, ids), whether a passage names an id; `runs`: the same with a
    first axis of runs (runs, passages, ids). Returns (samples, runs, 4): gold, found, predicted, right.
    A document that is drawn twice counts as two documents.
    """
    number_of_runs = runs[0].shape[0] if runs else 0
    totals = np.zeros((samples, number_of_runs, 4), dtype=np.int64)
    unions = [_Unions.of(mine, theirs) for mine, theirs in zip(gold, runs, strict=True)]
    for draw in draw_passages([len(table) for table in gold], samples, seed):
        union = unions[draw.document]
        step = max(1, 2 * _CELLS // max(1, union.width))
        for start in range(0, len(draw.samples), step):
            rows = slice(start, start + step)
            np.add.at(totals, draw.samples[rows], union.counts(draw.passages[rows]))
    return totals


@dataclass(frozen=True, slots=True)
class _Unions:
    """A document's identifiers by passage, in a form in which the union over drawn passages is quick.

    An id of the gold standard or of a run is a column: the passages that name it. Runs are alike, so most
    columns are the same; each distinct one is looked at once. All sums stay far below 2**24, up to which
    float32 counts exactly.
    """

    columns: NDArray[np.float32]
    """(passages, distinct columns), 0 or 1."""
    gold: NDArray[np.float32]
    """(distinct columns, 1): how many gold ids have the column."""
    runs: NDArray[np.float32]
    """(distinct columns, runs): how many ids of a run have the column."""
    both: NDArray[np.int64]
    """(pairs, 2): distinct pairs of the gold column and a run's column of one id."""
    shared: NDArray[np.float32]
    """(pairs, runs): how many ids of gold and run have the pair."""

    @property
    def width(self) -> int:
        return self.columns.shape[1] + 2 * len(self.both)

    @classmethod
    def of(cls, gold: NDArray[np.bool_], runs: NDArray[np.bool_]) -> _Unions:
        number, passages, ids = runs.shape
        every = np.concatenate([gold[None], runs]).transpose(1, 0, 2).reshape(passages, -1)
        columns, which = np.unique(every, axis=1, return_inverse=True)
        of_side = which.reshape(number + 1, ids)
        named: NDArray[np.bool_] = np.concatenate([gold[None], runs]).max(axis=1)
        width = columns.shape[1]
        in_side = np.zeros((width, number + 1), dtype=np.float32)
        for side in range(number + 1):
            in_side[:, side] = np.bincount(of_side[side][named[side]], minlength=width)
        found = [np.flatnonzero(named[0] & named[run + 1]) for run in range(number)]
        pairs = [np.stack([of_side[0][at], of_side[run + 1][at]], axis=1) for run, at in enumerate(found)]
        both, which_pair = np.unique(np.concatenate(pairs).reshape(-1, 2), axis=0, return_inverse=True)
        shared = np.zeros((len(both), number), dtype=np.float32)
        owners = np.repeat(np.arange(number), [len(at) for at in found])
        np.add.at(shared, (which_pair.reshape(-1), owners), 1)
        return cls(columns.astype(np.float32), in_side[:, :1], in_side[:, 1:], both, shared)

    def counts(self, drawn: Integers) -> Integers:
        """Gold, found, predicted, right of drawn passages (draws, passages): shape (draws, runs, 4)."""
        presence = np.zeros((len(drawn), len(self.columns)), dtype=np.float32)
        presence[np.arange(len(drawn))[:, None], drawn] = 1
        # A column is in the union where the product, the number of its passages that were drawn, is above 0.
        there = (presence @ self.columns > 0).astype(np.float32)
        found = (there[:, self.both[:, 0]] * there[:, self.both[:, 1]]) @ self.shared
        gold = np.broadcast_to(there @ self.gold, found.shape)
        return np.stack([gold, found, there @ self.runs, found], axis=2).astype(np.int64)


def counted_documents(counts: Sequence[Sequence[Counts]], samples: int, seed: int) -> Integers:
    """Counts of every sample of whole documents. `counts[run][document]`; returns (samples, runs, 4)."""
    table = np.array([[[c.gold, c.found, c.predicted, c.right] for c in run] for run in counts], dtype=np.int64)
    runs, documents = len(counts), len(counts[0]) if counts else 0
    times = draw_documents(documents, samples, seed)
    flat = table.reshape(runs, documents, 4).transpose(1, 0, 2).reshape(documents, runs * 4)
    return (times @ flat).reshape(samples, runs, 4)


def mean_scores(counts: Sequence[Sequence[Counts | None]], samples: int, seed: int) -> Floats:
    """Mean scores of every sample of whole documents; None: the document counts in no mean.

    `counts[run][document]`; returns (samples, runs, 3): precision, recall, F1.
    """
    runs, documents = len(counts), len(counts[0]) if counts else 0
    times = draw_documents(documents, samples, seed).astype(np.float64)
    values = np.zeros((runs, documents, 3))
    there = np.zeros((runs, documents))
    for run, row in enumerate(counts):
        for document, item in enumerate(row):
            if item is not None:
                values[run, document] = item.precision, item.recall, item.f1
                there[run, document] = 1
    sums = np.einsum("sd,rdm->srm", times, values, optimize=True)
    return _quotient(sums, (times @ there.T)[:, :, None])


def scores_of_counts(counts: Integers) -> Floats:
    """Precision, recall, F1 on the last axis, of gold, found, predicted, right there."""
    gold, found, predicted, right = np.moveaxis(counts.astype(np.float64), -1, 0)
    precision, recall = _quotient(right, predicted), _quotient(found, gold)
    return np.stack([precision, recall, _quotient(2 * precision * recall, precision + recall)], axis=-1)


def _quotient(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0)


def intervals(scores: Floats) -> list[tuple[Interval, Interval, Interval]]:
    """For each run the intervals of precision, recall and F1, of scores (samples, runs, 3); by percentile."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(scores, [tail, 1 - tail], axis=0)
    return [
        (
            Interval(float(low[run, 0]), float(high[run, 0])),
            Interval(float(low[run, 1]), float(high[run, 1])),
            Interval(float(low[run, 2]), float(high[run, 2])),
        )
        for run in range(scores.shape[1])
    ]


def wins(scores: Floats, metric: int = 2) -> Floats:
    """The share of samples in which the run of the row scores strictly above the run of the column.

    `scores` (samples, runs, 3); `metric` 0 precision, 1 recall, 2 F1. Returns (runs, runs).
    """
    values = scores[:, :, metric]
    return np.mean(values[:, :, None] > values[:, None, :], axis=0)
