"""How much runs agree, and which articles divide them most: what a curator should look at first.

Two runs agree as far as one is right by the other: F1 of what they say (strict, micro-averaged), which is
the same whichever of the two plays the gold standard. Division of an article: each distinct thing that a run says in it
(a span, an identifier, an index term) counts 4 p (1 - p), where p is the share of the runs that say it: 0
where all agree, 1 where they are split in halves. The sum is how many even splits it amounts to.
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
from nlmchem.evaluation.poll_curves import said
from nlmchem.evaluation.scores import ratio

__all__ = ["Agreement", "Contested", "Division", "measure_agreement"]

EXAMPLES = 5
"""Contested things that are named for each article."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contested:
    """Something that not all runs say: the words of a mention, or an identifier; `share` of the runs, 0..1."""

    what: str
    share: float


@dataclass(frozen=True, slots=True)
class Division:
    """How an article divides the runs.

    `agreement`: mean F1 over all pairs of runs that have the article (pairs that both say nothing agree);
    `said`: distinct things; `contested`: those that not all runs say; `division`: see above; `examples`: those
    split most evenly.
    """

    document: str
    agreement: float
    distinct: int
    contested: int
    division: float
    examples: tuple[Contested, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """F1 between runs, a symmetric matrix with 1 on its diagonal, and all articles, the most divided first."""

    task: str
    runs: tuple[str, ...]
    f1: Floats
    divisions: tuple[Division, ...]

    def mean(self) -> float:
        """Mean F1 over all pairs of different runs."""
        number = len(self.runs)
        return ratio(float(self.f1.sum()) - number, number * (number - 1))

    def outsiders(self) -> list[tuple[str, float]]:
        """Each run's mean F1 with the others, the lowest first; of equals by name."""
        others = max(1, len(self.runs) - 1)
        rows = (float(self.f1[at].sum() - 1) / others for at in range(len(self.runs)))
        return sorted(zip(self.runs, rows, strict=True), key=lambda item: (item[1], item[0]))


def measure_agreement(poll: Poll, task: str) -> Agreement:
    """Compare the runs of a poll in one pass. Raises `ConfigurationError` for one run only or an unknown task."""
    if task not in TASKS:
        raise ConfigurationError(f"no agreement on {task!r}; choose of {', '.join(TASKS)}")
    if len(poll.runs) < 2:
        raise ConfigurationError("agreement is between runs; name two or more")
    number = len(poll.runs)
    both = np.zeros((number, number))
    sizes = np.zeros((number, number))
    divisions = []
    for ballot in poll.ballots():
        matrix, things = _matrix(ballot, task)
        there = np.array([vote is not None for vote in ballot.votes])
        common, pair_sizes = _pairs(matrix, there)
        both += common
        sizes += pair_sizes
        divisions.append(_division(ballot, task, matrix, things, there, common, pair_sizes))
    divisions.sort(key=lambda item: (-item.division, item.agreement, item.document))
    return Agreement(task, poll.names, _f1(both, sizes), tuple(divisions))


def _matrix(ballot: Ballot, task: str) -> tuple[Floats, list[Any]]:
    """Who says what: 1 where the run of the column says the thing of the row."""
    voters: defaultdict[Any, list[int]] = defaultdict(list)
    for position, vote in enumerate(ballot.votes):
        for thing in said(vote, task) if vote else ():
            voters[thing].append(position)
    things = sorted(voters)
    matrix = np.zeros((len(things), len(ballot.votes)))
    for row, thing in enumerate(things):
        matrix[row, voters[thing]] = 1
    return matrix, things


def _pairs(matrix: Floats, there: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """For each pair of runs: what both say, and half of what they say together; nothing where one lacks the article."""
    common = matrix.T @ matrix
    said_by = np.diag(common)
    present = np.outer(there, there)
    return common * present, (said_by[:, None] + said_by[None, :]) / 2 * present


def _f1(both: Floats, sizes: Floats) -> Floats:
    return np.divide(both, sizes, out=np.ones_like(both), where=sizes != 0)


def _division(
    ballot: Ballot,
    task: str,
    matrix: Floats,
    things: list[Any],
    there: NDArray[np.bool_],
    common: Floats,
    sizes: Floats,
) -> Division:
    runs = int(there.sum())
    shares = matrix.sum(axis=1) / runs
    evenness = 4 * shares * (1 - shares)
    contested = [row for row in range(len(things)) if shares[row] < 1]
    contested.sort(key=lambda row: (-evenness[row], row))
    pairs = np.outer(there, there) & ~np.eye(len(there), dtype=bool)
    agreement = float(_f1(common, sizes)[pairs].mean()) if runs > 1 else 1.0
    examples = (Contested(_shown(ballot, task, things[row]), float(shares[row])) for row in contested[:EXAMPLES])
    name = str(ballot.document.id)
    return Division(name, agreement, len(things), len(contested), float(evenness.sum()), tuple(examples))


def _shown(ballot: Ballot, task: str, thing: Any) -> str:
    if task != "spans":
        return str(thing)
    passage, spans = thing
    return f"{ballot.text(passage, spans)} ({spans[0][0]})"
