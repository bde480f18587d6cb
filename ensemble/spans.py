"""Spans by vote: each distinct span has as its score the share of the runs that hold it.

Source: the NLM-Chem track's ensembles of all submitted runs (Leaman et al. 2023, Database, baad005,
post-challenge experiments): spans below a threshold are dropped, and those that still overlap become
one, from the lowest start to the highest end.

A mention in several pieces takes the room from its first piece to its last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from corpora.errors import ConfigurationError
from corpora.model.document import Span
from ensemble.runs import Ballot

__all__ = [
    "OVERLAPS",
    "Change",
    "VotedSpan",
    "best",
    "growth",
    "merged",
    "passing",
    "resolved",
    "tally",
    "threshold_value",
]

OVERLAPS = ("merge", "best")
"""What becomes of spans that overlap: one span over all of them, or the best-scored ones."""


@dataclass(frozen=True, slots=True)
class VotedSpan:
    """A span with the votes behind it; `voters` are positions of runs, ascending.

    Of a span merged from several (`parts`) that no run holds, the voters are those of all parts and
    the score is the best part's: no threshold that all parts fail would have let it through.
    """

    passage: int
    spans: tuple[Span, ...]
    voters: tuple[int, ...]
    score: float
    parts: tuple[VotedSpan, ...] = ()

    @property
    def start(self) -> int:
        return self.spans[0][0]

    @property
    def end(self) -> int:
        return max(end for _, end in self.spans)

    @property
    def held(self) -> bool:
        """Whether a run holds it: it is not a merged span that no run had."""
        return not self.parts or any(part.spans == self.spans for part in self.parts)


@dataclass(frozen=True, slots=True)
class Change:
    """What one more span does to an ensemble as the threshold sinks to `score`."""

    score: float
    removed: tuple[VotedSpan, ...]
    added: VotedSpan


def threshold_value(value: float) -> float:
    """A threshold as scores are written, with 4 decimals. Raises `ConfigurationError` outside 0..1."""
    if not 0 <= value <= 1:
        raise ConfigurationError(f"the threshold is {value}; it is a share of the runs, from 0 to 1")
    return int(20_000 * value + 1) // 2 / 10_000


def tally(ballot: Ballot) -> list[VotedSpan]:
    """Every distinct span of a document with its score, in the order of the text."""
    voters: dict[tuple[int, tuple[Span, ...]], list[int]] = {}
    for position, vote in enumerate(ballot.votes):
        for place in sorted({(said.passage, said.spans) for said in vote.mentions}) if vote else ():
            voters.setdefault(place, []).append(position)
    return [
        VotedSpan(passage, spans, tuple(behind), ballot.share(behind))
        for (passage, spans), behind in sorted(voters.items())
    ]


def passing(spans: Iterable[VotedSpan], threshold: float) -> list[VotedSpan]:
    """The spans whose score is at least the threshold (0: all)."""
    return [span for span in spans if span.score >= threshold]


def resolved(spans: Iterable[VotedSpan], overlaps: str) -> list[VotedSpan]:
    """Spans of which no two overlap, in the order of the text; `overlaps` is one of `OVERLAPS`."""
    if overlaps not in OVERLAPS:
        raise ConfigurationError(f"--overlaps is {overlaps!r}; write one of {', '.join(OVERLAPS)}")
    return merged(spans) if overlaps == "merge" else best(spans)


def merged(spans: Iterable[VotedSpan]) -> list[VotedSpan]:
    """Spans that overlap, directly or through others, as one, from the lowest start to the highest end."""
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
    """The best-scored spans that do not overlap: the best first, then the best of those that still fit.

    Of equal scores the longer goes first, then the one further left. Greedy on purpose: a sum of scores
    would prefer two halves at 0.4 to the whole at 0.7.
    """
    taken = _Room()
    for span in sorted(spans, key=_by_merit):
        if not taken.touched(span):
            taken.add(span)
    return sorted(taken.all(), key=_in_text)


def growth(spans: Iterable[VotedSpan], overlaps: str) -> Iterator[Change]:
    """How the ensemble of a document grows as the threshold sinks, one span at a time.

    After the last change of a score, what stands is `resolved(passing(spans, score), overlaps)`. This
    is what gives scores at every threshold in one pass.
    """
    room = _Room()
    for span in sorted(spans, key=_by_merit):
        touched = room.touched(span)
        if overlaps == "best":
            if touched:
                continue
            added = span
        else:
            parts = [part for held in touched for part in (held.parts or (held,))]
            added = _one(sorted([*parts, span], key=_in_text)) if touched else span
            for held in touched:
                room.remove(held)
        room.add(added)
        yield Change(span.score, tuple(touched), added)


def _in_text(span: VotedSpan) -> tuple[int, int, int, tuple[Span, ...]]:
    return span.passage, span.start, span.end, span.spans


def _by_merit(span: VotedSpan) -> tuple[float, int, int, int, tuple[Span, ...]]:
    return -span.score, span.start - span.end, span.passage, span.start, span.spans


def _one(group: Sequence[VotedSpan]) -> VotedSpan:
    """Overlapping spans, in the order of the text, as one; the votes are its own where a run holds it."""
    if len(group) == 1:
        return group[0]
    spans = ((group[0].start, max(span.end for span in group)),)
    own = next((span for span in group if span.spans == spans), None)
    if own is not None:
        return replace(own, parts=tuple(group))
    voters = tuple(sorted({voter for span in group for voter in span.voters}))
    return VotedSpan(group[0].passage, spans, voters, max(span.score for span in group), tuple(group))


class _Room:
    """Spans that do not overlap, by passage, sorted."""

    __slots__ = ("_passages",)

    def __init__(self) -> None:
        self._passages: dict[int, list[VotedSpan]] = {}

    def all(self) -> Iterator[VotedSpan]:
        for held in self._passages.values():
            yield from held

    def touched(self, span: VotedSpan) -> list[VotedSpan]:
        held = self._passages.get(span.passage, [])
        first = bisect_right(held, span.start, key=lambda other: other.end)
        last = bisect_left(held, span.end, key=lambda other: other.start)
        return held[first:last]

    def add(self, span: VotedSpan) -> None:
        held = self._passages.setdefault(span.passage, [])
        held.insert(bisect_left(held, span.start, key=lambda other: other.start), span)

    def remove(self, span: VotedSpan) -> None:
        held = self._passages[span.passage]
        del held[bisect_left(held, span.start, key=lambda other: other.start)]
