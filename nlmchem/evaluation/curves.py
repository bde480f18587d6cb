"""Strict scores at every distinct threshold: of a run by the scores of its predictions, and of an ensemble.

The annotations of an ensemble depend on the threshold. As it falls, the counts of a document change in small steps, so
one pass is enough; the steps come from `nlmchem.evaluation.ensembles`.

The score at a threshold that was chosen on the same gold standard is too high. Therefore there is also a
cross-validated score: each document is scored at the threshold that is best on all other documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlmchem.evaluation.bootstrap import SAMPLES, SEED, Floats, Integers, Interval, draw_documents, interval, quotient
from nlmchem.evaluation.comparison import Comparison, RunResult, TrackTask
from nlmchem.evaluation.scores import Counts

BLOCK = 1 << 24
"""The most numbers in an array of draws."""


@dataclass(frozen=True, slots=True)
class CurveStep:
    """The change of the counts of a document when the threshold falls to `score`."""

    score: float
    right: int
    predicted: int


@dataclass(frozen=True, slots=True)
class Point:
    """The counts of all documents at a threshold."""

    threshold: float
    counts: Counts


@dataclass(frozen=True, slots=True)
class ScoreCurve:
    """The points of a curve; thresholds descend."""

    points: tuple[Point, ...]

    @property
    def thresholds(self) -> tuple[float, ...]:
        return tuple(point.threshold for point in self.points)

    @property
    def precision(self) -> tuple[float, ...]:
        return tuple(point.counts.precision for point in self.points)

    @property
    def recall(self) -> tuple[float, ...]:
        return tuple(point.counts.recall for point in self.points)

    @property
    def f1(self) -> tuple[float, ...]:
        return tuple(point.counts.f1 for point in self.points)

    @property
    def best(self) -> int:
        """The position of the highest F1; ties: the highest threshold."""
        return max(range(len(self.points)), key=lambda at: (self.points[at].counts.f1, -at))


@dataclass(frozen=True, slots=True)
class Best:
    """The best threshold (ties: the highest), with intervals from bootstrap samples of documents.

    `f1_interval`: F1 at this threshold in 95% of the samples. `threshold_interval`: the best threshold of the sample in
    95% of the samples. `cross_validated`: the counts with each document at the threshold that is best on the others.
    `thresholds_drawn`: each threshold that is best in a sample, with the number of these samples.
    """

    threshold: float
    counts: Counts
    f1_interval: Interval
    threshold_interval: Interval
    cross_validated: Counts
    thresholds_drawn: tuple[tuple[float, int], ...]


@dataclass(frozen=True, slots=True)
class Gain:
    """The cross-validated ensemble compared with the single run that has the highest F1.

    `gain`: difference in F1. `better`: the share of samples in which the F1 of the ensemble is higher.
    """

    run: str
    counts: Counts
    gain: float
    gain_interval: Interval
    better: float


# -- counts at every threshold ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Curve:
    """Counts by document and threshold (descending), and counts of the single runs.

    Shapes: `gold` (documents); `right` and `predicted` (documents, thresholds); `run_right` and `run_predicted`
    (documents, runs). `unscored`: the number of documents that are not in the gold standard.
    """

    task: str
    documents: tuple[str, ...]
    thresholds: tuple[float, ...]
    gold: Integers
    right: Integers
    predicted: Integers
    runs: tuple[str, ...]
    run_right: Integers
    run_predicted: Integers
    unscored: int = 0

    @property
    def best(self) -> int:
        """The position of the threshold with the highest F1; ties: the highest threshold."""
        return int(np.argmax(_f1(self.right.sum(axis=0), self.predicted.sum(axis=0), self.gold.sum())))

    @property
    def scores(self) -> ScoreCurve:
        """The counts of all documents at every distinct threshold."""
        gold = int(self.gold.sum())
        sums = zip(self.thresholds, self.right.sum(axis=0), self.predicted.sum(axis=0), strict=True)
        return ScoreCurve(
            tuple(Point(threshold, _counts(gold, int(right), int(predicted))) for threshold, right, predicted in sums)
        )

    def at(self, threshold: float) -> Counts:
        """The counts at any threshold in 0..1: those of the lowest distinct threshold that is at least as high."""
        passing = [point for point in self.scores.points if point.threshold >= threshold]
        return passing[-1].counts if passing else _counts(int(self.gold.sum()), 0, 0)

    def single_runs(self) -> dict[str, Counts]:
        """The counts of each single run."""
        columns = zip(self.runs, self.run_right.T, self.run_predicted.T, strict=True)
        return {name: _total(self.gold, right, predicted) for name, right, predicted in columns}

    def choose(self, samples: int = SAMPLES, seed: int = SEED) -> Best | None:
        """The best threshold with its intervals; None if no run has annotations in the scored documents."""
        if not self.thresholds:
            return None
        at = self.best
        drawn_best: list[Integers] = []
        drawn_f1: list[Floats] = []
        for times in _draws(len(self.documents), samples, seed):
            scores = _f1(times @ self.right, times @ self.predicted, (times @ self.gold)[:, None])
            drawn_best.append(np.argmax(scores, axis=1))
            drawn_f1.append(scores[:, at])
        chosen = np.concatenate(drawn_best) if drawn_best else np.array([at])
        table = Counter(self.thresholds[position] for position in chosen.tolist())
        where = np.array(self.thresholds)[chosen]
        return Best(
            self.thresholds[at],
            self.scores.points[at].counts,
            interval(np.concatenate(drawn_f1) if drawn_f1 else np.zeros(1)),
            interval(where, "nearest"),
            _total(self.gold, *self._cross_validated()),
            tuple(sorted(table.items(), reverse=True)),
        )

    def gain(self, samples: int = SAMPLES) -> Gain | None:
        """The cross-validated ensemble against the best single run, paired; ties: the first run by name."""
        if not self.thresholds or not self.runs:
            return None
        right, predicted = self._cross_validated()
        gold = self.gold.sum()
        singles = _f1(self.run_right.sum(axis=0), self.run_predicted.sum(axis=0), gold)
        at = int(np.argmax(singles))
        gains = []
        for times in _draws(len(self.documents), samples, SEED):
            drawn = times @ self.gold
            mine = _f1(times @ right, times @ predicted, drawn)
            theirs = _f1(times @ self.run_right[:, at], times @ self.run_predicted[:, at], drawn)
            gains.append(mine - theirs)
        gain = float(_f1(right.sum(), predicted.sum(), gold) - singles[at])
        every = np.concatenate(gains) if gains else np.array([gain])
        counts = _total(self.gold, self.run_right[:, at], self.run_predicted[:, at])
        return Gain(self.runs[at], counts, gain, interval(every), float(np.mean(every > 0)))

    def _cross_validated(self) -> tuple[Integers, Integers]:
        """`right` and `predicted` of each document at the threshold that is best on all other documents."""
        rows = np.arange(len(self.documents))
        others = _f1(
            self.right.sum(axis=0) - self.right,
            self.predicted.sum(axis=0) - self.predicted,
            (self.gold.sum() - self.gold)[:, None],
        )
        chosen = np.argmax(others, axis=1)
        return self.right[rows, chosen], self.predicted[rows, chosen]


def _counts(gold: int, right: int, predicted: int) -> Counts:
    return Counts(gold, right, predicted, right)


def _total(gold: Integers, right: Integers, predicted: Integers) -> Counts:
    return _counts(int(gold.sum()), int(right.sum()), int(predicted.sum()))


def _f1(right: Any, predicted: Any, gold: Any) -> Floats:
    return quotient(np.asarray(2 * right, dtype=np.float64), np.asarray(predicted + gold, dtype=np.float64))


def _draws(documents: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each sample contains each document, in blocks; as floats, because their products are exact and fast."""
    step = max(1, BLOCK // max(1, documents))
    for number, start in enumerate(range(0, samples, step)):
        yield draw_documents(documents, min(step, samples - start), seed + number).astype(np.float64)


# -- from steps to counts -----------------------------------------------------------------------


def by_score(steps: Iterable[CurveStep]) -> dict[float, tuple[int, int]]:
    """Score -> the change of `right` and `predicted` at this score, summed over the steps of a document."""
    table: defaultdict[float, list[int]] = defaultdict(lambda: [0, 0])
    for step in steps:
        table[step.score][0] += step.right
        table[step.score][1] += step.predicted
    return {score: (right, predicted) for score, (right, predicted) in table.items()}


def tables(changes: Sequence[dict[float, tuple[int, int]]], thresholds: Sequence[float]) -> tuple[Integers, Integers]:
    """`right` and `predicted` by document and threshold, from the changes of each document.

    `thresholds`: descending. Both arrays have the shape (documents, thresholds).
    """
    columns = {score: at for at, score in enumerate(thresholds)}
    table = np.zeros((len(changes), len(thresholds), 2), dtype=np.int64)
    for row, document in enumerate(changes):
        for score, change in document.items():
            table[row, columns[score]] = change
    np.cumsum(table, axis=1, out=table)
    return table[:, :, 0], table[:, :, 1]


# -- runs -------------------------------------------------------------------------------------


UNSCORED = 1.0
"""The score of predictions without a score, if other predictions have one: they are kept at all thresholds."""


def curve(predictions: Iterable[tuple[float | None, bool]], gold: int) -> ScoreCurve | None:
    """The curve of predictions, each given by its score and whether it is right; `gold` is the number of gold items.

    None if no prediction has a score.
    """
    given = list(predictions)
    if all(score is None for score, _ in given):
        return None
    falling = sorted(((UNSCORED if score is None else score, right) for score, right in given), reverse=True)
    points: list[Point] = []
    right_ones = 0
    for kept, (score, right) in enumerate(falling, start=1):
        right_ones += right
        # Predictions with equal scores are kept or dropped together.
        if kept == len(falling) or falling[kept][0] != score:
            points.append(Point(score, _counts(gold, right_ones, kept)))
    return ScoreCurve(tuple(points))


def run_curve(comparison: Comparison, result: RunResult) -> ScoreCurve | None:
    """The curve of a run: of mentions for spans, else of the identifiers of documents (with their highest score)."""
    gold = sum(counts.gold for counts in result.strict.documents if counts is not None)
    if comparison.task is TrackTask.SPANS:
        return curve(_mention_scores(result), gold)
    return curve(_identifier_scores(result, comparison.type), gold)


def _mention_scores(result: RunResult) -> Iterable[tuple[float | None, bool]]:
    for match in result.spans:
        for mention, right in zip(match.predicted, match.predicted_exact, strict=True):
            yield mention.evidence.score, right


def _identifier_scores(result: RunResult, type: str) -> Iterable[tuple[float | None, bool]]:
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        best: dict[str, float | None] = dict.fromkeys(sets.predicted)
        for annotation in pair.predicted.of_type(type):
            score = annotation.evidence.score
            for identifier in annotation.identifiers:
                before = best[identifier]
                if score is not None and (before is None or score > before):
                    best[identifier] = score
        for identifier, score in best.items():
            yield score, identifier in sets.gold
