"""Runs of a poll: the curve of their ensemble, and their agreement. Each needs one pass over the runs.

As the threshold falls, spans are added to the ensemble one at a time (`ensemble.tally.growth`). At each threshold the
annotations are exactly those that `nlmchem ensemble` writes with this threshold.

The agreement of two runs is the F1 of one run with the other as gold standard (strict, micro-averaged); it is
symmetric. The division of an article is the sum over its distinct items (spans, identifiers or index terms) of
4 p (1 - p), where p is the share of the runs that have the item. An item counts 0 if all runs agree, and 1 if half of
the runs have it. Articles of great division should be checked first by a curator.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpora.errors import Argument, ConfigurationError
from corpora.model.mesh_ids import NO_CONCEPT
from ensemble import TASKS
from ensemble.combine import Rule
from ensemble.runs import Ballot, Poll
from ensemble.tally import IdentifierVote, VotedSpan, growth, tally, tally_terms
from nlmchem.evaluation.bootstrap import Floats
from nlmchem.evaluation.curves import Curve
from nlmchem.evaluation.scores import ratio


def measure(poll: Poll, rule: Rule) -> Curve:
    """The curve of a vote against the gold standard of the poll. `rule` has one task; its threshold is not used.

    Raises `ConfigurationError` if there is no gold standard, or if it has no annotations for the task.
    """
    task = rule.tasks[0]
    if len(rule.tasks) != 1 or task not in TASKS:
        raise ConfigurationError(f"a curve needs one task of {', '.join(TASKS)}")
    if not poll.has_gold:
        raise ConfigurationError("a curve needs a gold standard; give it with ", Argument("gold"))
    names: list[str] = []
    gold: list[int] = []
    runs: list[list[tuple[int, int]]] = []
    changes: list[dict[float, list[int]]] = []
    unscored = 0
    for ballot in poll.ballots():
        if ballot.gold is None:
            unscored += 1
            continue
        wanted = ballot.gold.items(task)
        names.append(str(ballot.document.id))
        # Broken gold mentions count, but cannot be found.
        gold.append(len(wanted) + (ballot.gold.broken if task == "spans" else 0))
        table: defaultdict[float, list[int]] = defaultdict(lambda: [0, 0])
        for score, more_right, more_predicted in _steps(ballot, rule, wanted):
            table[score][0] += more_right
            table[score][1] += more_predicted
        changes.append(table)
        singles = [vote.items(task) if vote else set() for vote in ballot.votes]
        runs.append([(len(items & wanted), len(items)) for items in singles])
    if not sum(gold):
        raise ConfigurationError(
            f"the gold standard has no annotations for {task} in these documents; use another ", Argument("gold")
        )
    columns = {
        score: at for at, score in enumerate(sorted({each for of_one in changes for each in of_one}, reverse=True))
    }
    counts = np.zeros((len(names), len(columns), 2), dtype=np.int64)
    for row, of_document in enumerate(changes):
        for score, change in of_document.items():
            counts[row, columns[score]] = change
    np.cumsum(counts, axis=1, out=counts)
    by_run = np.array(runs, dtype=np.int64).reshape(len(names), len(poll.runs), 2)
    return Curve(
        task,
        tuple(names),
        tuple(columns),
        np.array(gold, dtype=np.int64),
        counts[:, :, 0],
        counts[:, :, 1],
        poll.names,
        by_run[:, :, 0],
        by_run[:, :, 1],
        unscored,
    )


def _steps(ballot: Ballot, rule: Rule, wanted: set[Any]) -> Iterator[tuple[float, int, int]]:
    """As the threshold falls to a score: this score, and how many right and how many predicted items are added.

    `wanted`: the items of the gold standard.
    """
    if rule.tasks[0] == "indexing":
        yield from ((term.score, int(term.identifier in wanted), 1) for term in tally_terms(ballot))
        return
    vote = IdentifierVote(ballot, rule.per_mention) if rule.tasks[0] == "identifiers" else None

    def items(span: VotedSpan) -> tuple[Any, ...]:
        if vote is None:
            return (span.place,)
        # The identifiers of the written annotation; `-` counts, and there are none if no run has a vote.
        winner = vote.of(span)
        return () if winner is None else winner.identifiers or (NO_CONCEPT,)

    current: Counter[Any] = Counter()
    for score, removed, added in growth(tally(ballot), rule.overlaps):
        before = {item for span in removed for item in items(span)}
        after = items(added)
        changed = before.union(after)
        had = {item for item in changed if current[item] > 0}
        for span in removed:
            current.subtract(items(span))
        current.update(after)
        has = {item for item in changed if current[item] > 0}
        gained, lost = has - had, had - has
        yield score, len(gained & wanted) - len(lost & wanted), len(gained) - len(lost)


# -- agreement --------------------------------------------------------------------------------


EXAMPLES = 5
"""Contested items that are listed for each article."""


@dataclass(frozen=True, slots=True)
class Division:
    """The disagreement of the runs on an article."""

    document: str
    agreement: float
    """Mean F1 over all pairs of runs that have the article; 1 for two runs without items."""
    distinct: int
    """The number of distinct items."""
    contested: int
    """The number of items that not all runs have."""
    division: float
    """The sum over its items, as above."""
    examples: tuple[tuple[str, float], ...]
    """The contested items with shares nearest to one half: text of a mention or identifier, and share of the runs."""


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
    return agreement_of(poll.names, poll.ballots(), task)


def agreement_of(names: tuple[str, ...], ballots: Iterable[Ballot], task: str) -> Agreement:
    """Compare the votes of ballots; `names` are those of the voters, two or more."""
    number = len(names)
    both = np.zeros((number, number))
    sizes = np.zeros((number, number))
    divisions = []
    for ballot in ballots:
        voters: defaultdict[Any, list[int]] = defaultdict(list)
        for position, vote in enumerate(ballot.votes):
            for item in vote.items(task) if vote else ():
                voters[item].append(position)
        every = sorted(voters)
        # Rows are items, columns are runs: 1 if the run has the item.
        matrix = np.zeros((len(every), number))
        for row, item in enumerate(every):
            matrix[row, voters[item]] = 1
        present = np.array([vote is not None for vote in ballot.votes])
        # For each pair of runs the number of common items and the mean number of items; 0 if one has no article.
        have_both = np.outer(present, present)
        common = matrix.T @ matrix
        numbers = np.diag(common)
        common, means = common * have_both, (numbers[:, None] + numbers[None, :]) / 2 * have_both
        both += common
        sizes += means
        present_runs = int(present.sum())
        pairs = have_both & ~np.eye(number, dtype=bool)
        agreement = float(_f1(common, means)[pairs].mean()) if present_runs > 1 else 1.0
        shares = matrix.sum(axis=1) / present_runs
        evenness = 4 * shares * (1 - shares)
        contested = sorted(np.flatnonzero(shares < 1).tolist(), key=lambda row: (-evenness[row], row))
        examples = []
        for row in contested[:EXAMPLES]:
            what = str(every[row])
            if task == "spans":
                passage, spans = every[row]
                what = f"{ballot.text(passage, spans)} ({spans[0][0]})"
            examples.append((what, float(shares[row])))
        divisions.append(
            Division(
                str(ballot.document.id), agreement, len(every), len(contested), float(evenness.sum()), tuple(examples)
            )
        )
    divisions.sort(key=lambda item: (-item.division, item.agreement, item.document))
    return Agreement(task, names, _f1(both, sizes), tuple(divisions))


def _f1(both: Floats, sizes: Floats) -> Floats:
    return np.divide(both, sizes, out=np.ones_like(both), where=sizes != 0)
