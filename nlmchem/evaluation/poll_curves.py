"""The curve of an ensemble: its scores against a gold standard at every threshold, in one pass over its runs.

A document's ensemble grows, one span at a time, as the threshold sinks (`ensemble.spans.growth`). What
stands at a threshold is exactly what `nlmchem ensemble` writes there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from corpora.errors import ConfigurationError
from corpora.model.document import NO_CONCEPT
from ensemble.combine import TASKS, Rule
from ensemble.identifiers import IdentifierVote
from ensemble.indexing import tally_terms
from ensemble.runs import Ballot, Poll
from ensemble.spans import VotedSpan, growth, tally
from ensemble.votes import Vote
from nlmchem.evaluation.curves import Curve, Step, by_score, tables

__all__ = ["measure", "said", "steps"]


def measure(poll: Poll, rule: Rule) -> Curve:
    """The curve of a vote against the poll's gold standard; `rule.tasks` names one task, its threshold plays no part.

    Raises `ConfigurationError` where the poll has no gold standard, or it has nothing of the task.
    """
    task = rule.tasks[0]
    if len(rule.tasks) != 1 or task not in TASKS:
        raise ConfigurationError(f"a curve is of one task: {', '.join(TASKS)}")
    if not poll.has_gold:
        raise ConfigurationError("a curve needs a gold standard; name one by --gold")
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
        raise ConfigurationError(f"the gold standard has nothing for {task} in these documents; give another --gold")
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
    """How the counts of a document change as the threshold sinks; `wanted` is what `gold` holds (see `_gold`)."""
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
    standing: Counter[str] = Counter()
    for change in growth(tally(ballot), rule.overlaps):
        before = set(standing)
        for span in change.removed:
            standing.subtract(_named(vote, span))
        standing.update(_named(vote, change.added))
        standing = +standing
        gained, lost = standing.keys() - before, before - standing.keys()
        right = len(gained & wanted) - len(lost & wanted)
        yield Step(change.score, right, len(gained) - len(lost))


def _named(vote: IdentifierVote, span: VotedSpan) -> tuple[str, ...]:
    """What the written annotation would name: `-` counts where it stands, nothing where every run abstains."""
    found = vote.of(span)
    return () if found is None else found.identifiers or (NO_CONCEPT,)


def _place(span: VotedSpan) -> tuple[int, Any]:
    return span.passage, span.spans


def said(vote: Vote, task: str) -> set[Any]:
    """What a run, or the gold standard, says of a document in a task."""
    if task == "spans":
        return {(mention.passage, mention.spans) for mention in vote.mentions}
    if task == "indexing":
        return {identifier for identifier, _ in vote.terms}
    stated = (mention.identifiers for mention in vote.mentions if mention.identifiers is not None)
    return {identifier for identifiers in stated for identifier in identifiers or (NO_CONCEPT,)}


def _gold(vote: Vote, task: str) -> tuple[set[Any], int]:
    """What is wanted, and how much that is: gold mentions that do not fit their text are wanted in vain."""
    wanted = said(vote, task)
    return wanted, len(wanted) + (vote.broken if task == "spans" else 0)


def _single(vote: Vote | None, task: str, wanted: set[Any]) -> tuple[int, int]:
    mine = said(vote, task) if vote else set()
    return len(mine & wanted), len(mine)
