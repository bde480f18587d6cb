"""Scores of answers to word-in-context pairs: accuracy by group, intervals, and a paired test of runs.

Source of the measure: Rouhizadeh et al. 2024, Scientific Data 11:455 (accuracy). Pairs that share a sentence or a term
are not independent, so the bootstrap draws groups of such pairs (`clusters`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ConfigurationError, InputError
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from nlmchem.companions.pairs.pair import GROUPS, ContextPair, clusters, read_rows
from nlmchem.evaluation import bootstrap

ALL = "all"
"""The name of the row of all pairs."""

Answers = Mapping[str, bool]
"""The answers of a run by the ids of pairs. A pair without an answer counts as wrong."""
Bools = NDArray[np.bool_]


def read_answers(source: str) -> dict[str, bool]:
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
    return answers


def score(
    gold: Sequence[ContextPair],
    runs: Mapping[str, Answers],
    samples: int = bootstrap.SAMPLES,
    seed: int = bootstrap.SEED,
    report: Report = log,
) -> list[dict[str, Any]]:
    """The scores as JSON objects: one for each run, by group and for all pairs, then a paired test of each two runs.

    `samples` 0: no bootstrap. Raises `ConfigurationError` if a gold pair has no answer or there are no gold pairs, and
    if no pair of a run is in the gold standard.
    """
    if not gold:
        raise ConfigurationError("the gold standard has no pairs; give a file of pairs")
    unanswered = next((pair for pair in gold if pair.same is None), None)
    if unanswered is not None:
        raise ConfigurationError(f"pair {unanswered.id} of the gold standard has no label; give pairs with answers")
    cluster = clusters(gold)
    right: dict[str, Bools] = {}
    objects: list[dict[str, Any]] = []
    for name, answers in runs.items():
        _report_unmatched(gold, name, answers, report)
        right[name] = np.array([answers.get(pair.id) == pair.same for pair in gold], dtype=bool)
        objects.append({"run": name, "groups": _by_group(gold, answers, right[name], cluster, samples, seed)})
    for first, second in combinations(runs, 2):
        better, worse = int((right[first] & ~right[second]).sum()), int((right[second] & ~right[first]).sum())
        row = {
            "first": first,
            "second": second,
            "better": better,
            "worse": worse,
            "p": round(mcnemar(better, worse), 6),
        }
        if samples:
            drawn = _accuracies(np.stack([right[first], right[second]]), cluster, samples, seed)
            row["wins"] = round(float((drawn[:, 0] > drawn[:, 1]).mean()), 4)
        objects.append(row)
    return objects


def mcnemar(better: int, worse: int) -> float:
    """The two-sided p of McNemar's exact test: that of so uneven a division of the pairs on which the runs differ."""
    number, low = better + worse, min(better, worse)
    if not number:
        return 1.0
    tail = sum(math.comb(number, k) for k in range(low + 1))
    both_tails: float = 2 * tail / 2**number
    return min(1.0, both_tails)


def as_text(objects: Iterable[Mapping[str, Any]]) -> list[str]:
    """A table of all runs and groups, and a line for each paired test."""
    lines = ["run\tgroup\tpairs\taccuracy\t95% interval\tno answer"]
    for row in objects:
        for group, figures in row.get("groups", {}).items():
            limits = "-".join(f"{limit:.4f}" for limit in figures.get("interval", ()))
            lines.append(
                f"{row['run']}\t{group}\t{figures['pairs']}\t{figures['accuracy']:.4f}\t{limits}\t{figures['missing']}"
            )
        if "p" in row:
            wins = f"; {row['first']} is higher in {row['wins']:.1%} of the samples" if "wins" in row else ""
            lines.append(
                f"{row['first']} against {row['second']}: only the first is right in "
                f"{quantity(row['better'], 'pair')}, only the second in {row['worse']}; "
                f"McNemar's exact p = {row['p']:.4f}{wins}"
            )
    return lines


def _report_unmatched(gold: Sequence[ContextPair], name: str, answers: Answers, report: Report) -> None:
    ids = {pair.id for pair in gold}
    unknown = [id for id in answers if id not in ids]
    if unknown and len(unknown) == len(answers):
        raise ConfigurationError(
            f"the gold standard and the run {name} have no pair id in common; give answers to these pairs"
        )
    if unknown:
        to_pairs = quantity(len(unknown), "answer is to a pair", "answers are to pairs")
        report(f"{name}: {to_pairs} that the gold standard lacks, such as {unknown[0]}")
    missing = [pair.id for pair in gold if pair.id not in answers]
    if missing:
        report(f"{name}: {quantity(len(missing), 'pair')} without an answer, counted as wrong, such as {missing[0]}")


def _by_group(
    gold: Sequence[ContextPair], answers: Answers, right: Bools, cluster: NDArray[np.int64], samples: int, seed: int
) -> dict[str, dict[str, Any]]:
    """The figures of each group. `missing`: pairs without an answer."""
    given = np.array([pair.id in answers for pair in gold])
    group = np.array([pair.group for pair in gold])
    rows: dict[str, dict[str, Any]] = {}
    for name in (ALL, *GROUPS, *sorted(set(group.tolist()) - set(GROUPS))):
        chosen = np.ones(len(gold), dtype=bool) if name == ALL else group == name
        if not chosen.any():
            continue
        accuracy = int(right[chosen].sum()) / int(chosen.sum())
        missing = int((~given[chosen]).sum())
        rows[name] = {"pairs": int(chosen.sum()), "accuracy": round(accuracy, 4), "missing": missing}
        if samples:
            limits = bootstrap.interval(_accuracies(right[None, chosen], cluster[chosen], samples, seed)[:, 0])
            rows[name]["interval"] = [round(limits.low, 4), round(limits.high, 4)]
    return rows


def _accuracies(right: Bools, cluster: NDArray[np.int64], samples: int, seed: int) -> NDArray[np.float64]:
    """The accuracy of each run (rows of `right`) in each sample of groups of pairs: (samples x runs)."""
    _, renumbered = np.unique(cluster, return_inverse=True)
    number = int(renumbered.max(initial=-1)) + 1
    sizes = np.bincount(renumbered, minlength=number)
    counts = np.stack([np.bincount(renumbered, weights=row, minlength=number) for row in right], axis=1)
    times = bootstrap.draw_documents(number, samples, seed)
    accuracies: NDArray[np.float64] = (times @ counts) / np.maximum(times @ sizes, 1)[:, None]
    return accuracies
