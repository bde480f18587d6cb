"""The agreement of runs, and the articles with the greatest disagreement, which a curator should check first.

The agreement of two runs is the F1 of one run with the other as gold standard (strict, micro-averaged); it is
symmetric. The division of an article is the sum over its distinct items (spans, identifiers or index terms) of
4 p (1 - p), where p is the share of the runs that have the item. An item counts 0 if all runs agree, and 1 if half of
the runs have it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from ensemble.combine import TASKS
from ensemble.runs import Ballot, Poll
from nlmchem.evaluation.ensemble_curves import items
from nlmchem.evaluation.scores import ratio

__all__ = ["Agreement", "Contested", "Division", "measure_agreement"]

EXAMPLES = 5
"""Contested items that are listed for each article."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contested:
    """An item that not all runs have: the text of a mention, or an identifier. `share`: of the runs, 0..1."""

    what: str
    share: float


@dataclass(frozen=True, slots=True)
class Division:
    """The disagreement of the runs on an article.

    `agreement`: mean F1 over all pairs of runs that have the article; 1 for two runs without items. `distinct`: the
    number of distinct items. `contested`: the number of items that not all runs have. `division`: see above.
    `examples`: the contested items with shares nearest to one half.
    """

    document: str
    agreement: float
    distinct: int
    contested: int
    division: float
    examples: tuple[Contested, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """F1 between runs, a symmetric matrix with diagonal 1, and all articles, the greatest division first."""

    task: str
    runs: tuple[str, ...]
    f1: Floats
    divisions: tuple[Division, ...]

    def mean(self) -> float:
        """Mean F1 over all pairs of different runs."""
        number = len(self.runs)
        return ratio(float(self.f1.sum()) - number, number * (number - 1))

    def outsiders(self) -> list[tuple[str, float]]:
        """The mean F1 of each run with the others, the lowest first; ties: by name."""
        others = max(1, len(self.runs) - 1)
        rows = (float(self.f1[at].sum() - 1) / others for at in range(len(self.runs)))
        return sorted(zip(self.runs, rows, strict=True), key=lambda item: (item[1], item[0]))


def measure_agreement(poll: Poll, task: str) -> Agreement:
    """Compare the runs of a poll in one pass. Raises `ConfigurationError` for a single run or an unknown task."""
    if task not in TASKS:
        raise ConfigurationError(f"unknown task {task!r}; use one of {', '.join(TASKS)}")
    if len(poll.runs) < 2:
        raise ConfigurationError("agreement needs two or more runs")
    number = len(poll.runs)
    both = np.zeros((number, number))
    sizes = np.zeros((number, number))
    divisions = []
    for ballot in poll.ballots():
        matrix, every = _matrix(ballot, task)
        present = np.array([vote is not None for vote in ballot.votes])
        common, pair_sizes = _pairs(matrix, present)
        both += common
        sizes += pair_sizes
        divisions.append(_division(ballot, task, matrix, every, present, common, pair_sizes))
    divisions.sort(key=lambda item: (-item.division, item.agreement, item.document))
    return Agreement(task, poll.names, _f1(both, sizes), tuple(divisions))


def _matrix(ballot: Ballot, task: str) -> tuple[Floats, list[Any]]:
    """Rows are items, columns are runs: 1 if the run has the item. Also returns the items."""
    voters: defaultdict[Any, list[int]] = defaultdict(list)
    for position, vote in enumerate(ballot.votes):
        for item in items(vote, task) if vote else ():
            voters[item].append(position)
    every = sorted(voters)
    matrix = np.zeros((len(every), len(ballot.votes)))
    for row, item in enumerate(every):
        matrix[row, voters[item]] = 1
    return matrix, every


def _pairs(matrix: Floats, has_article: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """For each pair of runs the number of common items and the mean number of items; 0 if one has no article."""
    common = matrix.T @ matrix
    numbers = np.diag(common)
    both = np.outer(has_article, has_article)
    return common * both, (numbers[:, None] + numbers[None, :]) / 2 * both


def _f1(both: Floats, sizes: Floats) -> Floats:
    return np.divide(both, sizes, out=np.ones_like(both), where=sizes != 0)


def _division(
    ballot: Ballot,
    task: str,
    matrix: Floats,
    every: list[Any],
    present: NDArray[np.bool_],
    common: Floats,
    sizes: Floats,
) -> Division:
    runs = int(present.sum())
    shares = matrix.sum(axis=1) / runs
    evenness = 4 * shares * (1 - shares)
    contested = [row for row in range(len(every)) if shares[row] < 1]
    contested.sort(key=lambda row: (-evenness[row], row))
    pairs = np.outer(present, present) & ~np.eye(len(present), dtype=bool)
    agreement = float(_f1(common, sizes)[pairs].mean()) if runs > 1 else 1.0
    examples = (Contested(_shown(ballot, task, every[row]), float(shares[row])) for row in contested[:EXAMPLES])
    name = str(ballot.document.id)
    return Division(name, agreement, len(every), len(contested), float(evenness.sum()), tuple(examples))


def _shown(ballot: Ballot, task: str, item: Any) -> str:
    if task != "spans":
        return str(item)
    passage, spans = item
    return f"{ballot.text(passage, spans)} ({spans[0][0]})"
