"""Spans by vote: the score of each distinct span is the share of the runs that have it.

Source: the ensembles of all submitted runs of the NLM-Chem track (Leaman et al. 2023, Database, baad005,
post-challenge experiments). Spans below a threshold are dropped. Spans that still overlap become one span, from the
lowest start to the highest end.

A mention of several spans occupies the text from its first start to its last end.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from corpora.errors import ConfigurationError, OptionError
from corpora.model.document import Span
from ensemble import OVERLAPS
from ensemble.runs import Ballot
from ensemble.votes import Place


@dataclass(frozen=True, slots=True)
class VotedSpan:
    """A span with its votes; `voters` are positions of runs, ascending.

    `parts`: the spans that were merged into this one. If no run has the merged span, its voters are those of all parts,
    and its score is the score of the best part: a threshold that no part passes also excludes the merged span.
    """

    passage: int
    spans: tuple[Span, ...]
    voters: tuple[int, ...]
    score: float
    parts: tuple[VotedSpan, ...] = ()

    @property
    def place(self) -> Place:
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


@dataclass(frozen=True, slots=True)
class EnsembleChange:
    """The change of an ensemble by one more span, when the threshold falls to `score`."""

    score: float
    removed: tuple[VotedSpan, ...]
    added: VotedSpan


def threshold_value(value: float) -> float:
    """A threshold with 4 decimals, as scores have. Raises `ConfigurationError` outside 0..1."""
    if not 0 <= value <= 1:
        raise ConfigurationError(f"the threshold is {value}; use a share of the runs, from 0 to 1")
    return int(20_000 * value + 1) // 2 / 10_000


def tally(ballot: Ballot) -> list[VotedSpan]:
    """Every distinct span of a document with its score, in text order."""
    voters: dict[Place, list[int]] = {}
    for position, vote in enumerate(ballot.votes):
        for place in vote.places() if vote else ():
            voters.setdefault(place, []).append(position)
    return [VotedSpan(*place, tuple(runs), ballot.share(runs)) for place, runs in sorted(voters.items())]


def passing(spans: Iterable[VotedSpan], threshold: float) -> list[VotedSpan]:
    """The spans with a score of at least the threshold; 0 keeps all."""
    return [span for span in spans if span.score >= threshold]


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
    taken = _DisjointSpans()
    for span in sorted(spans, key=_by_merit):
        if not taken.overlapping(span):
            taken.add(span)
    return sorted(taken.all(), key=_in_text)


def growth(spans: Iterable[VotedSpan], overlaps: str) -> Iterator[EnsembleChange]:
    """The changes of the ensemble of a document as the threshold falls, one span at a time.

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
        yield EnsembleChange(span.score, tuple(touched), added)


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

    __slots__ = ("_passages",)

    def __init__(self) -> None:
        self._passages: dict[int, list[VotedSpan]] = {}

    def all(self) -> Iterator[VotedSpan]:
        for spans in self._passages.values():
            yield from spans

    def overlapping(self, span: VotedSpan) -> list[VotedSpan]:
        """The spans that overlap this one."""
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
