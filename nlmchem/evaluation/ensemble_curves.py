"""The curve of an ensemble: its scores at every threshold, computed in one pass over its runs.

As the threshold falls, spans are added to the ensemble one at a time (`ensemble.spans.growth`). At each threshold the
annotations are exactly those that `nlmchem ensemble` writes with this threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from corpora.errors import Argument, ConfigurationError
from corpora.model.document import NO_CONCEPT
from ensemble.combine import TASKS, Rule
from ensemble.identifiers import IdentifierVote, tally_terms
from ensemble.runs import Ballot, Poll
from ensemble.spans import VotedSpan, growth, tally
from ensemble.votes import Vote
from nlmchem.evaluation.curves import Curve, Step, by_score, tables

__all__ = ["items", "measure", "steps"]


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
    changes: list[dict[float, tuple[int, int]]] = []
    unscored = 0
    for ballot in poll.ballots():
        if ballot.gold is None:
            unscored += 1
            continue
        wanted, number = _gold(ballot.gold, task)
        names.append(str(ballot.document.id))
        gold.append(number)
        changes.append(by_score(steps(ballot, rule, wanted)))
        runs.append([_single(vote, task, wanted) for vote in ballot.votes])
    if not sum(gold):
        raise ConfigurationError(
            f"the gold standard has no annotations for {task} in these documents; use another ", Argument("gold")
        )
    thresholds = sorted({score for table in changes for score in table}, reverse=True)
    right, predicted = tables(changes, thresholds)
    by_run = np.array(runs, dtype=np.int64).reshape(len(names), len(poll.runs), 2)
    return Curve(
        task,
        tuple(names),
        tuple(thresholds),
        np.array(gold, dtype=np.int64),
        right,
        predicted,
        poll.names,
        by_run[:, :, 0],
        by_run[:, :, 1],
        unscored,
    )


def steps(ballot: Ballot, rule: Rule, wanted: set[Any]) -> Iterator[Step]:
    """The changes of the counts of a document as the threshold falls. `wanted`: the items of the gold standard."""
    match rule.tasks[0]:
        case "spans":
            yield from _span_steps(ballot, rule, wanted)
        case "identifiers":
            yield from _identifier_steps(ballot, rule, wanted)
        case _:
            yield from (Step(term.score, int(term.identifier in wanted), 1) for term in tally_terms(ballot))


def _span_steps(ballot: Ballot, rule: Rule, wanted: set[Any]) -> Iterator[Step]:
    for change in growth(tally(ballot), rule.overlaps):
        lost = sum(_place(span) in wanted for span in change.removed)
        right = (_place(change.added) in wanted) - lost
        yield Step(change.score, right, 1 - len(change.removed))


def _identifier_steps(ballot: Ballot, rule: Rule, wanted: set[Any]) -> Iterator[Step]:
    vote = IdentifierVote(ballot, rule.per_mention)
    current: Counter[str] = Counter()
    for change in growth(tally(ballot), rule.overlaps):
        before = set(current)
        for span in change.removed:
            current.subtract(_identifiers(vote, span))
        current.update(_identifiers(vote, change.added))
        current = +current
        gained, lost = current.keys() - before, before - current.keys()
        right = len(gained & wanted) - len(lost & wanted)
        yield Step(change.score, right, len(gained) - len(lost))


def _identifiers(vote: IdentifierVote, span: VotedSpan) -> tuple[str, ...]:
    """The identifiers of the written annotation; `-` counts, and there are none if no run has a vote."""
    found = vote.of(span)
    return () if found is None else found.identifiers or (NO_CONCEPT,)


def _place(span: VotedSpan) -> tuple[int, Any]:
    return span.passage, span.spans


def items(vote: Vote, task: str) -> set[Any]:
    """The items of a run or the gold standard in a document: places of mentions, identifiers, or index terms."""
    if task == "spans":
        return {(mention.passage, mention.spans) for mention in vote.mentions}
    if task == "indexing":
        return {identifier for identifier, _ in vote.terms}
    stated = (mention.identifiers for mention in vote.mentions if mention.identifiers is not None)
    return {identifier for identifiers in stated for identifier in identifiers or (NO_CONCEPT,)}


def _gold(vote: Vote, task: str) -> tuple[set[Any], int]:
    """The gold items and their number. Broken gold mentions count, but cannot be found."""
    wanted = items(vote, task)
    return wanted, len(wanted) + (vote.broken if task == "spans" else 0)


def _single(vote: Vote | None, task: str, wanted: set[Any]) -> tuple[int, int]:
    mine = items(vote, task) if vote else set()
    return len(mine & wanted), len(mine)
