"""The reasons why a curator should look at a mention, each with points from 0 to 1.

| reason | points |
|---|---|
| `threshold` | 1 for a score at the threshold of the decision, falling to 0 at the scores 0 and 1 |
| `no-concept` | 1 for a mention that was linked without a result |
| `sieve` | 1 less the probability that the concepts are right (`nlmchem.deciding.linking`); for sieves without one, the measured share of their wrong answers |
| `disagreement` | 4 p (1 - p), where p is the share of the runs that have the mention |
| `frequent` | the mean of the other points of this text, times log(1 + n) / log(1 + N), where n is its number of mentions and N that of the most frequent text |
"""  # noqa: E501

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log

from corpora.model.document import Mention
from sieves.registry import facts

UNMEASURED = 0.5
"""The share of wrong answers of a sieve that was not measured."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A reason to look at a mention. `surface`: its text. `points`: 0 to 1."""

    surface: str
    reason: str
    points: float


@dataclass(slots=True)
class PassageCandidate:
    """A passage that may be chosen. `mentions`: the texts of its mentions, each as often as it occurs.

    `probability`: the lowest of its mentions; None if none states one.
    """

    document: str
    offset: int
    mentions: tuple[str, ...]
    signals: list[Signal] = field(default_factory=list)
    probability: float | None = None


def signals_of(mention: Mention, threshold: float, right: float | None) -> Iterator[Signal]:
    """The reasons that the mention itself gives. `threshold`: that of the decision, between 0 and 1.

    `right`: the probability that its concepts are right; None if it is unknown.
    """
    evidence = mention.evidence
    if evidence.score is not None:
        yield from _signal(mention.text, "threshold", nearness(evidence.score, threshold))
    if mention.sought and not mention.identifiers:
        yield Signal(mention.text, "no-concept", 1.0)
    if evidence.sieve is not None and mention.identifiers:
        right = facts(evidence.sieve).precision if right is None else right
        yield from _signal(mention.text, "sieve", UNMEASURED if right is None else 1 - right)


def nearness(score: float, threshold: float) -> float:
    """1 for a score at the threshold, falling to 0 at the scores 0 and 1."""
    return 1 - abs(score - threshold) / (threshold if score < threshold else 1 - threshold)


def disagreement(surface: str, share: float) -> Iterator[Signal]:
    """The reason that several runs give; none where all have the mention."""
    yield from _signal(surface, "disagreement", 4 * share * (1 - share))


def _signal(surface: str, reason: str, points: float) -> Iterator[Signal]:
    if points > 0:
        yield Signal(surface, reason, round(points, 4))


def add_frequent(passages: Sequence[PassageCandidate]) -> None:
    """Add the reason `frequent` to the passages: once for each text that is uncertain somewhere and occurs twice."""
    numbers: defaultdict[str, int] = defaultdict(int)
    points: defaultdict[str, float] = defaultdict(float)
    for passage in passages:
        for text in passage.mentions:
            numbers[text.casefold()] += 1
        for signal in passage.signals:
            points[signal.surface.casefold()] += signal.points
    most = max(numbers.values(), default=0)
    for passage in passages:
        for surface in _distinct(signal.surface for signal in passage.signals):
            number = numbers[surface.casefold()]
            if number > 1:
                mean = min(1.0, points[surface.casefold()] / number)
                passage.signals += _signal(surface, "frequent", mean * log(1 + number) / log(1 + most))


def _distinct(surfaces: Iterable[str]) -> list[str]:
    return list({surface.casefold(): surface for surface in surfaces}.values())
