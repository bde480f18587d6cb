"""The votes on a document: spans, identifiers and index terms with their scores, the shares of the runs.

Source: the ensembles of all submitted runs of the NLM-Chem track (Leaman et al. 2023, Database, baad005,
post-challenge experiments). Spans below a threshold are dropped. Spans that still overlap become one span, from the
lowest start to the highest end. A mention of several spans occupies the text from its first start to its last end.

Each mention text of a document gets the identifier set that most of its mentions in all runs have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from corpora.errors import ConfigurationError, OptionError
from corpora.model.document import Span
from corpora.model.mesh_ids import is_descriptor, mesh_id
from ensemble import OVERLAPS
from ensemble.runs import Ballot, rounded_share
from ensemble.votes import SpanPlace, VotedMention


class Scored(Protocol):
    """What was voted on."""

    @property
    def score(self) -> float:
        """The share of the runs that have it, by weight, with 4 decimals."""
        ...


S = TypeVar("S", bound=Scored)


def threshold_value(value: float) -> float:
    """A threshold with 4 decimals, as scores have. Raises `ConfigurationError` outside 0..1."""
    if not 0 <= value <= 1:
        raise ConfigurationError(f"the threshold is {value}; use a share of the runs, from 0 to 1")
    return int(20_000 * value + 1) // 2 / 10_000


def passing(items: Iterable[S], threshold: float) -> list[S]:
    """The items with a score of at least the threshold; 0 keeps all."""
    return [item for item in items if item.score >= threshold]


# -- spans --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VotedSpan:
    passage: int
    spans: tuple[Span, ...]
    voters: tuple[int, ...]
    """Positions of runs, ascending."""
    score: float
    parts: tuple[VotedSpan, ...] = ()
    """The spans that were merged into this one. If no run has the merged span, its voters are those of all parts, and
    its score is the score of the best part: a threshold that no part passes also excludes the merged span."""

    @property
    def place(self) -> SpanPlace:
        return self.passage, self.spans

    @property
    def start(self) -> int:
        return self.spans[0][0]

    @property
    def end(self) -> int:
        return max(end for _, end in self.spans)

    @property
    def in_a_run(self) -> bool:
        """Whether at least one run has exactly this span."""
        return not self.parts or any(part.spans == self.spans for part in self.parts)


def tally(ballot: Ballot) -> list[VotedSpan]:
    """Every distinct span of a document with its score, in text order."""
    voters: dict[SpanPlace, list[int]] = {}
    for position, vote in enumerate(ballot.votes):
        for place in vote.places() if vote else ():
            voters.setdefault(place, []).append(position)
    return [VotedSpan(*place, tuple(runs), ballot.share(runs)) for place, runs in sorted(voters.items())]


def resolved(spans: Iterable[VotedSpan], overlaps: str) -> list[VotedSpan]:
    """Spans without overlaps, in text order; `overlaps` is one of `OVERLAPS`."""
    if overlaps not in OVERLAPS:
        raise OptionError("overlaps", f"is {overlaps!r}; use one of {', '.join(OVERLAPS)}")
    return merged(spans) if overlaps == "merge" else best(spans)


def merged(spans: Iterable[VotedSpan]) -> list[VotedSpan]:
    """Overlapping spans become one span, from the lowest start to the highest end; chains of overlaps count as one."""
    groups: list[list[VotedSpan]] = []
    reached = 0
    for span in sorted(spans, key=_in_text):
        if groups and groups[-1][0].passage == span.passage and span.start < reached:
            groups[-1].append(span)
            reached = max(reached, span.end)
        else:
            groups.append([span])
            reached = span.end
    return [_one(group) for group in groups]


def best(spans: Iterable[VotedSpan]) -> list[VotedSpan]:
    """The best spans without overlaps: the span with the highest score, then the best of those that do not overlap it.

    Ties: the longer span, then the span further left. The method is greedy on purpose: the greatest sum of scores would
    prefer two halves at 0.4 to the whole at 0.7.
    """
    return sorted((added for _, _, added in growth(spans, "best")), key=_in_text)


def growth(spans: Iterable[VotedSpan], overlaps: str) -> Iterator[tuple[float, list[VotedSpan], VotedSpan]]:
    """The changes of the ensemble of a document as the threshold falls, one span at a time.

    A change is the score that the threshold reaches, the spans that are removed, and the one that is added.

    After the last change of a score, the ensemble is `resolved(passing(spans, score), overlaps)`. So one pass gives the
    scores at every threshold.
    """
    kept = _DisjointSpans()
    for span in sorted(spans, key=_by_merit):
        touched = kept.overlapping(span)
        if overlaps == "best":
            if touched:
                continue
            added = span
        else:
            parts = [part for other in touched for part in (other.parts or (other,))]
            added = _one(sorted([*parts, span], key=_in_text)) if touched else span
            for other in touched:
                kept.remove(other)
        kept.add(added)
        yield span.score, touched, added


def _in_text(span: VotedSpan) -> tuple[int, int, int, tuple[Span, ...]]:
    return span.passage, span.start, span.end, span.spans


def _by_merit(span: VotedSpan) -> tuple[float, int, int, int, tuple[Span, ...]]:
    return -span.score, span.start - span.end, span.passage, span.start, span.spans


def _one(group: Sequence[VotedSpan]) -> VotedSpan:
    """Merge overlapping spans, given in text order. If a run has exactly the merged span, its votes are kept."""
    if len(group) == 1:
        return group[0]
    spans = ((group[0].start, max(span.end for span in group)),)
    agreed = next((span for span in group if span.spans == spans), None)
    if agreed is not None:
        return replace(agreed, parts=tuple(group))
    voters = tuple(sorted({voter for span in group for voter in span.voters}))
    return VotedSpan(group[0].passage, spans, voters, max(span.score for span in group), tuple(group))


class _DisjointSpans:
    """Spans that do not overlap, by passage, sorted."""

    def __init__(self) -> None:
        self._passages: dict[int, list[VotedSpan]] = {}

    def overlapping(self, span: VotedSpan) -> list[VotedSpan]:
        spans = self._passages.get(span.passage, [])
        first = bisect_right(spans, span.start, key=lambda other: other.end)
        last = bisect_left(spans, span.end, key=lambda other: other.start)
        return spans[first:last]

    def add(self, span: VotedSpan) -> None:
        spans = self._passages.setdefault(span.passage, [])
        spans.insert(bisect_left(spans, span.start, key=lambda other: other.start), span)

    def remove(self, span: VotedSpan) -> None:
        spans = self._passages[span.passage]
        del spans[bisect_left(spans, span.start, key=lambda other: other.start)]


# -- identifiers --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Identified:
    """The winning identifiers, () for "no concept", and their share of the votes, with 4 decimals."""

    identifiers: tuple[str, ...]
    score: float


@dataclass(slots=True)
class IdentifierCounts:
    """The weights of identifier sets.

    A composite is one value: {A, B} is neither A nor B. "No concept" (`-`) is a value, too.
    """

    sets: Counter[frozenset[str]] = field(default_factory=Counter)
    orders: dict[frozenset[str], Counter[tuple[str, ...]]] = field(default_factory=dict)
    """For each set, the weights of the orders in which it was written."""

    def add(self, identifiers: tuple[str, ...], weight: int) -> None:
        value = frozenset(identifiers)
        self.sets[value] += weight
        self.orders.setdefault(value, Counter())[identifiers] += weight

    def winner(self) -> Identified | None:
        """The identifiers with most votes, in their most frequent order; None if there are no votes.

        Ties are decided in this order: a concept before "no concept", fewer identifiers, MeSH descriptors before
        supplementary records, alphabetical order.
        """
        if not self.sets:
            return None

        def rank(value: frozenset[str]) -> tuple[bool, int, list[tuple[bool, str]]]:
            parts = sorted((not is_descriptor(mesh_id(part) or part), part) for part in value)
            return not value, len(value), parts

        votes = max(self.sets.values())
        value = min((value for value, number in self.sets.items() if number == votes), key=rank)
        order, _ = min(self.orders[value].items(), key=lambda item: (-item[1], item[0]))
        return Identified(order, rounded_share(votes, self.sets.total()))


class IdentifierVote:
    """The vote on the identifiers of one document: by mention text or, with `per_mention`, by place.

    Each (run, place, identifier set) is one vote, with the weight of its run. A mention without the infon `identifier`
    has no vote.
    """

    def __init__(self, ballot: Ballot, per_mention: bool = False) -> None:
        self._ballot = ballot
        self._per_mention = per_mention
        self._votes: dict[int, list[tuple[VotedMention, int]]] = {}
        for position, vote in enumerate(ballot.votes):
            for mention in vote.mentions if vote else ():
                if mention.identifiers is not None:
                    self._votes.setdefault(mention.passage, []).append((mention, ballot.weights[position]))
        self._counts: dict[str | SpanPlace, IdentifierCounts] = {}
        self._winners: dict[str | SpanPlace, Identified | None] = {}
        texts: dict[SpanPlace, str] = {}
        for mention, weight in (vote for votes in self._votes.values() for vote in votes):
            if mention.place not in texts:
                texts[mention.place] = ballot.text(*mention.place)
            key = mention.place if per_mention else texts[mention.place]
            self._counts.setdefault(key, IdentifierCounts()).add(mention.identifiers or (), weight)

    def of(self, span: VotedSpan) -> Identified | None:
        """The identifiers of a span; None if there are no votes.

        If no run has the span (it was merged) and its text has no votes, the mentions inside the span vote.
        """
        key = span.place if self._per_mention else self._ballot.text(*span.place)
        if key in self._counts:
            if key not in self._winners:
                self._winners[key] = self._counts[key].winner()
            return self._winners[key]
        inside = IdentifierCounts()
        for mention, weight in () if span.in_a_run else self._votes.get(span.passage, ()):
            if span.start <= mention.spans[0][0] and max(end for _, end in mention.spans) <= span.end:
                inside.add(mention.identifiers or (), weight)
        return inside.winner()


# -- index terms --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VotedTerm:
    """An index term with its votes; `voters` are positions of runs, ascending."""

    identifier: str
    entry_term: str | None
    voters: tuple[int, ...]
    score: float


def tally_terms(ballot: Ballot) -> list[VotedTerm]:
    """Every index term of the document, the highest score first, then by identifier.

    The entry term is the one that most runs use, by weight; ties: alphabetical order.
    """
    voters: dict[str, list[int]] = {}
    names: dict[str, Counter[str]] = {}
    for position, vote in enumerate(ballot.votes):
        for identifier, name in vote.terms if vote else ():
            runs = voters.setdefault(identifier, [])
            if position not in runs[-1:]:
                runs.append(position)
            if name:
                names.setdefault(identifier, Counter())[name] += ballot.weights[position]
    terms = []
    for identifier, runs in voters.items():
        weights = names.get(identifier, Counter())
        name = min(weights, key=lambda each: (-weights[each], each), default=None)
        terms.append(VotedTerm(identifier, name, tuple(runs), ballot.share(runs)))
    return sorted(terms, key=lambda term: (-term.score, term.identifier))
