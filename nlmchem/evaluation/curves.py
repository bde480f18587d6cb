"""Strict scores at every distinct threshold: of a run by the scores of its predictions, and of an ensemble.

The annotations of an ensemble depend on the threshold. As it falls, the counts of a document change in small steps, so
one pass is enough; the steps come from `nlmchem.evaluation.ensembles`.

The score at a threshold that was chosen on the same gold standard is too high. Therefore there is also a
cross-validated score: each document is scored at the threshold that is best on all other documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlmchem.evaluation.bootstrap import SAMPLES, SEED, Floats, Integers, Interval, draw_documents, interval, quotient
from nlmchem.evaluation.comparison import Comparison, RunResult, TrackTask
from nlmchem.evaluation.scores import Counts

BLOCK = 1 << 24
"""The most numbers in an array of draws."""
UNSCORED = 1.0
"""The score of predictions without a score, if other predictions have one: they are kept at all thresholds."""


@dataclass(frozen=True, slots=True)
class ScoreCurve:
    """The counts of all documents at each threshold; thresholds descend."""

    thresholds: tuple[float, ...]
    counts: tuple[Counts, ...]

    @property
    def precision(self) -> tuple[float, ...]:
        return tuple(counts.precision for counts in self.counts)

    @property
    def recall(self) -> tuple[float, ...]:
        return tuple(counts.recall for counts in self.counts)

    @property
    def f1(self) -> tuple[float, ...]:
        return tuple(counts.f1 for counts in self.counts)

    @property
    def best(self) -> int:
        """The position of the highest F1; ties: the highest threshold."""
        return max(range(len(self.counts)), key=lambda at: (self.counts[at].f1, -at))


# -- runs -------------------------------------------------------------------------------------


def run_curve(comparison: Comparison, result: RunResult) -> ScoreCurve | None:
    """The curve of a run: of mentions for spans, else of the identifiers of documents (with their highest score)."""
    gold = sum(counts.gold for counts in result.strict.documents if counts is not None)
    predictions: list[tuple[float | None, bool]] = []
    if comparison.task is TrackTask.SPANS:
        for match in result.spans:
            scores = (mention.evidence.score for mention in match.predicted)
            predictions += zip(scores, match.predicted_exact, strict=True)
        return curve(predictions, gold)
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        best: dict[str, float | None] = dict.fromkeys(sets.predicted)
        for annotation in pair.predicted.of_type(comparison.type):
            score = annotation.evidence.score
            for identifier in annotation.identifiers:
                before = best[identifier]
                if score is not None and (before is None or score > before):
                    best[identifier] = score
        predictions += ((score, identifier in sets.gold) for identifier, score in best.items())
    return curve(predictions, gold)


def curve(predictions: Iterable[tuple[float | None, bool]], gold: int) -> ScoreCurve | None:
    """The curve of predictions, each given by its score and whether it is right; `gold` is the number of gold items.

    None if no prediction has a score.
    """
    given = list(predictions)
    if all(score is None for score, _ in given):
        return None
    falling = sorted(((UNSCORED if score is None else score, right) for score, right in given), reverse=True)
    points: dict[float, Counts] = {}
    right_ones = 0
    for kept, (score, right) in enumerate(falling, start=1):
        right_ones += right
        # Predictions with equal scores are kept or dropped together: the last one counts.
        points[score] = Counts(gold, right_ones, kept, right_ones)
    return ScoreCurve(tuple(points), tuple(points.values()))


# -- ensembles --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Best:
    """The best threshold of an ensemble (ties: the highest), with intervals from bootstrap samples of documents."""

    threshold: float
    counts: Counts
    f1_interval: Interval
    """F1 at this threshold in 95% of the samples."""
    threshold_interval: Interval
    """The best threshold of the sample in 95% of the samples."""
    cross_validated: Counts
    """The counts with each document at the threshold that is best on all other documents."""
    run: str
    """The single run that has the highest F1; ties: the first by name."""
    run_counts: Counts
    gain: float
    """F1 of the cross-validated ensemble less F1 of this run."""
    gain_interval: Interval
    better: float
    """The share of samples in which the F1 of the ensemble is higher."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Counts of an ensemble by document and threshold (descending), and counts of the single runs.

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
    def scores(self) -> ScoreCurve:
        """The counts of all documents at every distinct threshold."""
        columns = zip(self.right.T, self.predicted.T, strict=True)
        return ScoreCurve(self.thresholds, tuple(self._total(right, predicted) for right, predicted in columns))

    def at(self, threshold: float) -> Counts:
        """The counts at any threshold in 0..1: those of the lowest distinct threshold that is at least as high."""
        passing = sum(each >= threshold for each in self.thresholds)
        return self.scores.counts[passing - 1] if passing else Counts(int(self.gold.sum()))

    def single_runs(self) -> dict[str, Counts]:
        columns = zip(self.runs, self.run_right.T, self.run_predicted.T, strict=True)
        return {name: self._total(right, predicted) for name, right, predicted in columns}

    def choose(self, samples: int = SAMPLES, seed: int = SEED) -> Best | None:
        """The best threshold and the gain over the best single run; None if no run has annotations in the documents."""
        if not self.thresholds:
            return None
        gold = self.gold.sum()
        at = int(np.argmax(_f1(self.right.sum(axis=0), self.predicted.sum(axis=0), gold)))
        others = _f1(
            self.right.sum(axis=0) - self.right,
            self.predicted.sum(axis=0) - self.predicted,
            (gold - self.gold)[:, None],
        )
        cells = np.arange(len(self.documents)), np.argmax(others, axis=1)
        right, predicted = self.right[cells], self.predicted[cells]
        singles = _f1(self.run_right.sum(axis=0), self.run_predicted.sum(axis=0), gold)
        run = int(np.argmax(singles))
        run_right, run_predicted = self.run_right[:, run], self.run_predicted[:, run]
        chosen, f1, gains = [], [], []
        for times in _draws(len(self.documents), samples, seed):
            drawn = times @ self.gold
            scores = _f1(times @ self.right, times @ self.predicted, drawn[:, None])
            chosen.append(np.argmax(scores, axis=1))
            f1.append(scores[:, at])
            mine = _f1(times @ right, times @ predicted, drawn)
            gains.append(mine - _f1(times @ run_right, times @ run_predicted, drawn))
        gain = np.concatenate(gains)
        return Best(
            self.thresholds[at],
            self.scores.counts[at],
            interval(np.concatenate(f1)),
            interval(np.array(self.thresholds)[np.concatenate(chosen)], "nearest"),
            self._total(right, predicted),
            self.runs[run],
            self._total(run_right, run_predicted),
            float(_f1(right.sum(), predicted.sum(), gold) - singles[run]),
            interval(gain),
            float(np.mean(gain > 0)),
        )

    def _total(self, right: Integers, predicted: Integers) -> Counts:
        right_ones = int(right.sum())
        return Counts(int(self.gold.sum()), right_ones, int(predicted.sum()), right_ones)


def _f1(right: Any, predicted: Any, gold: Any) -> Floats:
    return quotient(np.asarray(2 * right, dtype=np.float64), np.asarray(predicted + gold, dtype=np.float64))


def _draws(documents: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each sample contains each document, in blocks; as floats, because their products are exact and fast."""
    step = max(1, BLOCK // max(1, documents))
    for number, start in enumerate(range(0, samples, step)):
        yield draw_documents(documents, min(step, samples - start), seed + number).astype(np.float64)
