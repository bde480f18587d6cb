"""Weights of runs by how often their spans are right: measured with a gold standard, or estimated from agreement.

Without a gold standard, the model of Dawid and Skene (1979, Applied Statistics 28:20-28) for two classes is fitted to
the votes on all distinct spans: each span is right or wrong, and each run has a rate of votes for right spans and one
for wrong spans. It needs three runs. The weight of a run is the logarithm of the odds that one of its spans is right,
as in a vote of independent runs; docs/reference/ensemble.md compares it with equal weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from corpora.errors import Argument, ConfigurationError
from corpora.words.quantities import quantity
from ensemble.runs import Poll

AUTO = "auto"
FEWEST_RUNS = 3
ROUNDS = 500
"""At most; the estimates of real runs stop to change after 20 to 60."""
CHANGE = 1e-6
"""A smaller change of all estimates ends the rounds."""
FEWEST, MOST = 0.5, 0.99
"""Bounds of the estimated share of right spans: a run below has the least weight, and none decides alone."""
LEAST_ODDS = 0.1
DECIMALS = 100
"""Weights are whole numbers of hundredths, so that sums do not depend on their order."""

Pattern = tuple[bool | None, ...]
"""Which runs have a span; None for a run that does not have the document."""


def estimated(poll: Poll) -> list[tuple[float, int]]:
    """The share of right spans of each run of a poll, in their order, and the weight that follows.

    It is measured with the gold standard if the poll has one, else estimated from the agreement of the runs.
    Raises `ConfigurationError` for fewer than three runs without a gold standard, and if no run has a span.
    """
    if poll.has_gold:
        precisions = _measured(poll)
    elif len(poll.runs) < FEWEST_RUNS:
        raise ConfigurationError(
            f"the weights of {quantity(len(poll.runs), 'run')} cannot be estimated; give {FEWEST_RUNS} runs or more, "
            "or a gold standard with ", Argument("gold"),
        )  # fmt: skip
    else:
        precisions = dawid_skene(patterns(poll))
    bounds = (min(max(precision, FEWEST), MOST) for precision in precisions)
    weights = (max(1, round(DECIMALS * max(LEAST_ODDS, math.log(share / (1 - share))))) for share in bounds)
    return list(zip(precisions, weights, strict=True))


def reweighted(poll: Poll) -> tuple[Poll, list[str]]:
    """The poll with estimated weights, and a sentence for each run. Raises as `estimated`."""
    qualities = estimated(poll)
    how = "measured with the gold standard" if poll.has_gold else "estimated from agreement"
    sentences = [
        f"{run.name}: share of right spans {precision:.3f} ({how}), weight {weight / DECIMALS:.2f}"
        for run, (precision, weight) in zip(poll.runs, qualities, strict=True)
    ]
    return poll.with_weights([weight for _, weight in qualities]), sentences


def patterns(poll: Poll) -> Counter[Pattern]:
    """How many distinct spans of all documents have each pattern of votes."""
    counts: Counter[Pattern] = Counter()
    for ballot in poll.ballots():
        places = [None if vote is None else vote.places() for vote in ballot.votes]
        every = {place for of_vote in places if of_vote is not None for place in of_vote}
        counts.update(tuple(None if of_vote is None else place in of_vote for of_vote in places) for place in every)
    return counts


def dawid_skene(counts: Counter[Pattern]) -> list[float]:
    """The share of right spans of each run, from the numbers of votes (`patterns`).

    Spans that no run has are not seen. Their number in each class follows from the rates, as in the models of
    capture and recapture. The first guess is the share of the runs that have a span, so the result does not depend on
    chance. Raises `ConfigurationError` if there is no span.
    """
    rows = sorted(counts.items(), key=lambda row: [(-1 if vote is None else int(vote)) for vote in row[0]])
    if not rows:
        raise ConfigurationError("no run has a mention, so weights cannot be estimated")
    right = []
    for pattern, _ in rows:
        cast = [vote for vote in pattern if vote is not None]
        # A single vote of several may be a mistake, and two are hardly ever.
        right.append(0.9 if sum(cast) > 1 or len(cast) == 1 else 0.3)
    wrong = [1 - value for value in right]
    hits, misses = [0.5] * len(rows[0][0]), [0.1] * len(rows[0][0])
    spans = sum(count for _, count in rows)
    for _ in range(ROUNDS):
        before = [*hits, *misses]
        hits, misses = _rates(rows, right, hits), _rates(rows, wrong, misses)
        prior = sum(value * count for value, (_, count) in zip(right, rows, strict=True)) / spans
        right = [_posterior(pattern, prior, hits, misses) for pattern, _ in rows]
        wrong = [1 - value for value in right]
        if max(abs(old - new) for old, new in zip(before, [*hits, *misses], strict=True)) < CHANGE:
            break
    precisions = []
    for run in range(len(hits)):
        votes = sum(count for pattern, count in rows if pattern[run])
        sure = sum(value * count for value, (pattern, count) in zip(right, rows, strict=True) if pattern[run])
        precisions.append(sure / votes if votes else 0.0)
    return precisions


def _rates(rows: Sequence[tuple[Pattern, int]], weights: Sequence[float], rates: Sequence[float]) -> list[float]:
    """How often each run votes for the spans of one class, those that no run has included.

    `weights`: how probable each pattern is of the class. `rates`: those of the round before.
    """
    votes, everything = [1.0] * len(rates), [2.0] * len(rates)
    for (pattern, count), weight in zip(rows, weights, strict=True):
        present = [run for run, vote in enumerate(pattern) if vote is not None]
        unseen = _unseen(present, rates)
        for run in present:
            votes[run] += weight * count * bool(pattern[run])
            everything[run] += weight * count / (1 - unseen)
    return [_bounded(vote / total) for vote, total in zip(votes, everything, strict=True)]


def _unseen(present: Sequence[int], rates: Sequence[float]) -> float:
    """The probability that none of the runs that have a document has a span of a class."""
    return _bounded(math.prod(1 - rates[run] for run in present))


def _bounded(value: float) -> float:
    return min(max(value, 1e-4), 1 - 1e-4)


def _posterior(pattern: Pattern, prior: float, hits: Sequence[float], misses: Sequence[float]) -> float:
    """How probable a span with these votes is right, among the spans that are seen."""
    present = [run for run, vote in enumerate(pattern) if vote is not None]
    odds = math.log(_bounded(prior) / (1 - _bounded(prior)))
    odds -= math.log((1 - _unseen(present, hits)) / (1 - _unseen(present, misses)))
    for run in present:
        hit, miss = (hits[run], misses[run]) if pattern[run] else (1 - hits[run], 1 - misses[run])
        odds += math.log(hit / miss)
    return 1 / (1 + math.exp(-min(max(odds, -500.0), 500.0)))


def _measured(poll: Poll) -> list[float]:
    votes, hits = [0] * len(poll.runs), [0] * len(poll.runs)
    for ballot in poll.ballots():
        if ballot.gold is None:
            continue
        gold = ballot.gold.places()
        for run, vote in enumerate(ballot.votes):
            places = vote.places() if vote is not None else set()
            votes[run] += len(places)
            hits[run] += len(places & gold)
    return [(hit + 1) / (number + 2) for hit, number in zip(hits, votes, strict=True)]
