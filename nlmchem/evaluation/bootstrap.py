"""Paired bootstrap: intervals of scores, and how often one run scores higher than another.

The method of the NLM-Chem track. Identification: documents are drawn with replacement, and in each drawn document its
passages are drawn with replacement, as many as it has. Indexing and approximate identifiers: whole documents are drawn.
All runs are scored on the same draws. The draws depend only on the seed, the number of samples and the numbers of
passages, not on the runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlmchem.evaluation.scores import Counts

SAMPLES = 10_000
SEED = 7
CONFIDENCE = 0.95
_TAIL = (1 - CONFIDENCE) / 2
_CELLS = 1 << 21
"""The most numbers in an array of draws: about 16 MB, for documents of any size."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Interval:
    """The limits of the middle 95% of the samples."""

    low: float
    high: float


def draw_documents(documents: int, samples: int, seed: int) -> Integers:
    """How often each sample contains each document: shape (samples, documents); every row sums to `documents`."""
    if not documents:
        return np.zeros((samples, 0), dtype=np.int64)
    generator = np.random.default_rng(seed)
    return generator.multinomial(documents, np.full(documents, 1 / documents), size=samples)


def draw_passages(passages: Sequence[int], samples: int, seed: int) -> Iterator[tuple[int, Integers, Integers]]:
    """The drawn passages of every drawn document of every sample, document by document, in blocks.

    `passages`: the number of passages of each document, at least 1. Yields the document, the sample of each draw, and
    its drawn passages, shape (draws, passages).
    """
    times = draw_documents(len(passages), samples, seed)
    for document, number in enumerate(passages):
        # One generator for each document: the draws of a document do not depend on the sizes of the others.
        generator = np.random.default_rng((seed, document))
        drawn_in = np.repeat(np.arange(samples), times[:, document])
        step = max(1, _CELLS // number)
        for start in range(0, len(drawn_in), step):
            block = drawn_in[start : start + step]
            yield document, block, generator.integers(0, number, size=(len(block), number))


def counted_passages(tables: Sequence[Integers], samples: int, seed: int) -> Integers:
    """Counts of every sample for spans, where counts of passages are added.

    `tables`: one table for each document, shape (passages, columns). Returns shape (samples, columns).
    """
    columns = tables[0].shape[1] if tables else 0
    totals = np.zeros((samples, columns), dtype=np.int64)
    for document, drawn_in, passages in draw_passages([len(table) for table in tables], samples, seed):
        rows, number = passages.shape
        # Count each passage of each draw, then multiply matrices; this is faster than indexing the table by all draws.
        cells = (np.arange(rows)[:, None] * number + passages).ravel()
        times = np.bincount(cells, minlength=rows * number).reshape(rows, number)
        np.add.at(totals, drawn_in, (times.astype(np.float64) @ tables[document]).astype(np.int64))
    return totals


def united_passages(
    gold: Sequence[NDArray[np.bool_]], runs: Sequence[NDArray[np.bool_]], samples: int, seed: int
) -> Integers:
    """Counts of every sample for identifiers, where the set of a document is the union over its drawn passages.

    `gold`: for each document shape (passages, ids), whether a passage has an id. `runs`: the same for each run, shape
    (runs, passages, ids). Returns shape (samples, runs, 4): gold, found, predicted, right. A document that is drawn
    twice counts as two documents.
    """
    number_of_runs = runs[0].shape[0] if runs else 0
    totals = np.zeros((samples, number_of_runs, 4), dtype=np.int64)
    unions = [_Unions.of(mine, theirs) for mine, theirs in zip(gold, runs, strict=True)]
    for document, drawn_in, passages in draw_passages([len(table) for table in gold], samples, seed):
        union = unions[document]
        width = union.columns.shape[1] + 2 * len(union.both)
        step = max(1, 2 * _CELLS // max(1, width))
        for start in range(0, len(drawn_in), step):
            rows = slice(start, start + step)
            np.add.at(totals, drawn_in[rows], union.counts(passages[rows]))
    return totals


@dataclass(frozen=True, slots=True)
class _Unions:
    """The identifiers of a document by passage, in a form for fast unions over drawn passages.

    An id of the gold standard or of a run is a column: the passages with this id. Runs are similar, so most columns are
    equal, and each distinct column is computed once. All sums are far below 2**24, the limit of exact counting in
    float32.
    """

    columns: NDArray[np.float32]
    """(passages, distinct columns), 0 or 1."""
    gold: NDArray[np.float32]
    """(distinct columns, 1): the number of gold ids with this column."""
    runs: NDArray[np.float32]
    """(distinct columns, runs): the number of ids of a run with this column."""
    both: NDArray[np.int64]
    """(pairs, 2): distinct pairs of the gold column and the column of a run for the same id."""
    shared: NDArray[np.float32]
    """(pairs, runs): the number of ids of gold and run with this pair."""

    @classmethod
    def of(cls, gold: NDArray[np.bool_], runs: NDArray[np.bool_]) -> _Unions:
        """From tables of shape (passages, ids) and (runs, passages, ids)."""
        number, passages, ids = runs.shape
        every = np.concatenate([gold[None], runs]).transpose(1, 0, 2).reshape(passages, -1)
        columns, which = np.unique(every, axis=1, return_inverse=True)
        of_side = which.reshape(number + 1, ids)
        named: NDArray[np.bool_] = np.concatenate([gold[None], runs]).max(axis=1)
        width = columns.shape[1]
        in_side = np.zeros((width, number + 1), dtype=np.float32)
        for side in range(number + 1):
            in_side[:, side] = np.bincount(of_side[side][named[side]], minlength=width)
        in_both = [np.flatnonzero(named[0] & named[run + 1]) for run in range(number)]
        pairs = [np.stack([of_side[0][at], of_side[run + 1][at]], axis=1) for run, at in enumerate(in_both)]
        both, which_pair = np.unique(np.concatenate(pairs).reshape(-1, 2), axis=0, return_inverse=True)
        shared = np.zeros((len(both), number), dtype=np.float32)
        owners = np.repeat(np.arange(number), [len(at) for at in in_both])
        np.add.at(shared, (which_pair.reshape(-1), owners), 1)
        return cls(columns.astype(np.float32), in_side[:, :1], in_side[:, 1:], both, shared)

    def counts(self, drawn: Integers) -> Integers:
        """The counts of draws (shape (draws, passages)); shape (draws, runs, 4): gold, found, predicted, right."""
        presence = np.zeros((len(drawn), len(self.columns)), dtype=np.float32)
        presence[np.arange(len(drawn))[:, None], drawn] = 1
        # The product is the number of drawn passages of a column; the column is in the union if it is above 0.
        present = (presence @ self.columns > 0).astype(np.float32)
        shared = (present[:, self.both[:, 0]] * present[:, self.both[:, 1]]) @ self.shared
        gold = np.broadcast_to(present @ self.gold, shared.shape)
        return np.stack([gold, shared, present @ self.runs, shared], axis=2).astype(np.int64)


def counted_documents(counts: Sequence[Sequence[Counts]], samples: int, seed: int) -> Integers:
    """Counts of every sample of whole documents. `counts[run][document]`; returns shape (samples, runs, 4)."""
    table = np.array([[[c.gold, c.found, c.predicted, c.right] for c in run] for run in counts], dtype=np.int64)
    runs, documents = len(counts), len(counts[0]) if counts else 0
    times = draw_documents(documents, samples, seed)
    flat = table.reshape(runs, documents, 4).transpose(1, 0, 2).reshape(documents, runs * 4)
    return (times @ flat).reshape(samples, runs, 4)


def mean_scores(counts: Sequence[Sequence[Counts | None]], samples: int, seed: int) -> Floats:
    """Mean scores of every sample of whole documents; documents with None are excluded.

    `counts[run][document]`; returns shape (samples, runs, 3): precision, recall, F1.
    """
    runs, documents = len(counts), len(counts[0]) if counts else 0
    times = draw_documents(documents, samples, seed).astype(np.float64)
    values = np.zeros((runs, documents, 3))
    present = np.zeros((runs, documents))
    for run, row in enumerate(counts):
        for document, item in enumerate(row):
            if item is not None:
                values[run, document] = item.precision, item.recall, item.f1
                present[run, document] = 1
    sums = np.einsum("sd,rdm->srm", times, values, optimize=True)
    return quotient(sums, (times @ present.T)[:, :, None])


def scores_of_counts(counts: Integers) -> Floats:
    """Precision, recall and F1 on the last axis, from gold, found, predicted and right on the last axis."""
    gold, gold_found, predicted, right = np.moveaxis(counts.astype(np.float64), -1, 0)
    precision, recall = quotient(right, predicted), quotient(gold_found, gold)
    return np.stack([precision, recall, quotient(2 * precision * recall, precision + recall)], axis=-1)


def quotient(part: Floats, whole: Floats) -> Floats:
    """part / whole, or 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0)


def interval(values: Floats | Sequence[float], method: Literal["linear", "nearest"] = "linear") -> Interval:
    """The percentile interval of the values of all samples."""
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL], method=method)
    return Interval(float(low), float(high))


def intervals(scores: Floats) -> list[tuple[Interval, Interval, Interval]]:
    """For each run the percentile intervals of precision, recall and F1; `scores` has shape (samples, runs, 3)."""
    return [
        (interval(scores[:, run, 0]), interval(scores[:, run, 1]), interval(scores[:, run, 2]))
        for run in range(scores.shape[1])
    ]


def wins(scores: Floats) -> Floats:
    """The share of samples in which the run of the row has a higher F1 than the run of the column.

    `scores`: shape (samples, runs, 3), with precision, recall and F1. Returns shape (runs, runs).
    """
    values = scores[:, :, 2]
    shares: Floats = np.mean(values[:, :, None] > values[:, None, :], axis=0)
    return shares
