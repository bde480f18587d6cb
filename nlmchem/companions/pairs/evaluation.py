"""Scores of answers to word-in-context pairs: accuracy by group, intervals, and a paired test of runs.

Source of the measure: Rouhizadeh et al. 2024, Scientific Data 11:455 (accuracy). Pairs that share a sentence or a term
are not independent, so the bootstrap draws groups of such pairs (`clusters`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ConfigurationError, InputError
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from nlmchem.companions.pairs.pair import GROUPS, ContextPair, clusters, read_rows
from nlmchem.evaluation import bootstrap
from nlmchem.evaluation.bootstrap import Interval

ALL = "all"
"""The name of the row of all pairs."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PairRun:
    """The answers of a run by the ids of pairs. None: the run has no answer for the pair, which counts as wrong."""

    name: str
    answers: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class GroupAccuracy:
    """The accuracy in one group of pairs."""

    pairs: int
    right: int
    missing: int
    """Pairs without an answer. They count as wrong."""
    interval: Interval | None

    @property
    def accuracy(self) -> float:
        return self.right / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two runs on the same pairs."""

    first: str
    second: str
    better: int
    """Pairs that only the first run has right."""
    worse: int
    """Pairs that only the second run has right."""
    p: float
    """Of McNemar's exact test (two-sided)."""
    wins: float | None
    """The share of bootstrap samples in which the first run has the higher accuracy; None without bootstrap."""


def read_answers(source: str, name: str) -> PairRun:
    """The answers of a file: JSON lines or a JSON list with `id` and `label` (0 or 1), such as those of the solver.

    A row without id gets its number, from 1. Raises `InputError` for a row without label, and for two answers to one
    pair.
    """
    answers: dict[str, bool] = {}
    for number, (row, place) in enumerate(read_rows(source), 1):
        if not isinstance(row, dict) or row.get("label") not in (0, 1, "0", "1"):
            raise InputError(f"{place}: an object with a label of 0 or 1 is expected; correct the row")
        id = str(row.get("id", number))
        if id in answers:
            raise InputError(f"{place}: a second answer to pair {id}; leave one of the answers out")
        answers[id] = row["label"] in (1, "1")
    return PairRun(name, answers)


def score(
    gold: Sequence[ContextPair],
    run: PairRun,
    samples: int = bootstrap.SAMPLES,
    seed: int = bootstrap.SEED,
    report: Report = log,
) -> dict[str, GroupAccuracy]:
    """The scores of a run, by group and for all pairs. `samples` 0: no intervals.

    Raises `ConfigurationError` if a gold pair has no answer or there are no gold pairs, and if no pair of the run is in
    the gold standard.
    """
    _check(gold, run, report)
    right = _right(gold, run)
    given = np.array([pair.id in run.answers for pair in gold])
    group = np.array([pair.group for pair in gold])
    cluster = clusters(gold)
    accuracies = {}
    for name in (ALL, *GROUPS, *sorted(set(group.tolist()) - set(GROUPS))):
        chosen = np.ones(len(gold), dtype=bool) if name == ALL else group == name
        if chosen.any():
            drawn = _accuracies(right[None, chosen], cluster[chosen], samples, seed)
            counts = int(chosen.sum()), int(right[chosen].sum()), int((~given[chosen]).sum())
            accuracies[name] = GroupAccuracy(*counts, bootstrap.interval(drawn[:, 0]) if samples else None)
    return accuracies


def compare(
    gold: Sequence[ContextPair],
    first: PairRun,
    second: PairRun,
    samples: int = bootstrap.SAMPLES,
    seed: int = bootstrap.SEED,
) -> PairedTest:
    """The paired test of two runs on all pairs."""
    first_right, second_right = _right(gold, first), _right(gold, second)
    better, worse = int((first_right & ~second_right).sum()), int((second_right & ~first_right).sum())
    wins = None
    if samples:
        drawn = _accuracies(np.stack([first_right, second_right]), clusters(gold), samples, seed)
        wins = float((drawn[:, 0] > drawn[:, 1]).mean())
    return PairedTest(first.name, second.name, better, worse, mcnemar(better, worse), wins)


def mcnemar(better: int, worse: int) -> float:
    """The two-sided p of McNemar's exact test: that of so uneven a division of the pairs on which the runs differ."""
    number, low = better + worse, min(better, worse)
    if not number:
        return 1.0
    tail = sum(math.comb(number, k) for k in range(low + 1))
    both_tails: float = 2 * tail / 2**number
    return min(1.0, both_tails)


def as_text(scores: Mapping[str, Mapping[str, GroupAccuracy]], comparisons: Sequence[PairedTest]) -> list[str]:
    """A table of all runs and groups, and a line for each comparison."""
    lines = ["run\tgroup\tpairs\taccuracy\t95% interval\tno answer"]
    for run, groups in scores.items():
        for group, figures in groups.items():
            limits = "" if figures.interval is None else f"{figures.interval.low:.4f}-{figures.interval.high:.4f}"
            lines.append(f"{run}\t{group}\t{figures.pairs}\t{figures.accuracy:.4f}\t{limits}\t{figures.missing}")
    for test in comparisons:
        wins = "" if test.wins is None else f"; {test.first} is higher in {test.wins:.1%} of the samples"
        lines.append(
            f"{test.first} against {test.second}: only the first is right in "
            f"{quantity(test.better, 'pair')}, only the second in "
            f"{test.worse}; McNemar's exact p = {test.p:.4f}{wins}"
        )
    return lines


def as_objects(
    scores: Mapping[str, Mapping[str, GroupAccuracy]], comparisons: Sequence[PairedTest]
) -> list[dict[str, Any]]:
    """For JSON: one object for each run, then one for each comparison."""
    objects: list[dict[str, Any]] = []
    for run, groups in scores.items():
        rows: dict[str, Any] = {}
        for group, figures in groups.items():
            rows[group] = {"pairs": figures.pairs, "accuracy": round(figures.accuracy, 4), "missing": figures.missing}
            if figures.interval is not None:
                rows[group]["interval"] = [round(figures.interval.low, 4), round(figures.interval.high, 4)]
        objects.append({"run": run, "groups": rows})
    for test in comparisons:
        row = asdict(test) | {"p": round(test.p, 6)}
        wins = row.pop("wins")
        objects.append(row if wins is None else row | {"wins": round(wins, 4)})
    return objects


def _check(gold: Sequence[ContextPair], run: PairRun, report: Report) -> None:
    if not gold:
        raise ConfigurationError("the gold standard has no pairs; give a file of pairs")
    unanswered = next((pair for pair in gold if pair.same is None), None)
    if unanswered is not None:
        raise ConfigurationError(f"pair {unanswered.id} of the gold standard has no label; give pairs with answers")
    ids = {pair.id for pair in gold}
    unknown = [id for id in run.answers if id not in ids]
    if unknown and len(unknown) == len(run.answers):
        raise ConfigurationError(
            f"the gold standard and the run {run.name} have no pair id in common; give answers to these pairs"
        )
    if unknown:
        answers = quantity(len(unknown), "answer is to a pair", "answers are to pairs")
        report(f"{run.name}: {answers} that the gold standard lacks, such as {unknown[0]}")
    missing = [pair.id for pair in gold if pair.id not in run.answers]
    if missing:
        report(
            f"{run.name}: {quantity(len(missing), 'pair')} without an answer, counted as wrong, such as {missing[0]}"
        )


def _right(gold: Sequence[ContextPair], run: PairRun) -> Bools:
    return np.array([run.answers.get(pair.id) == pair.same for pair in gold], dtype=bool)


def _accuracies(right: Bools, cluster: NDArray[np.int64], samples: int, seed: int) -> NDArray[np.float64]:
    """The accuracy of each run (rows of `right`) in each sample of groups of pairs: (samples x runs)."""
    _, renumbered = np.unique(cluster, return_inverse=True)
    number = int(renumbered.max(initial=-1)) + 1
    sizes = np.bincount(renumbered, minlength=number)
    counts = np.stack([np.bincount(renumbered, weights=row, minlength=number) for row in right], axis=1)
    times = bootstrap.draw_documents(number, samples, seed)
    accuracies: NDArray[np.float64] = (times @ counts) / np.maximum(times @ sizes, 1)[:, None]
    return accuracies
