"""What was found in a passage, on its way from a model's scores to mentions."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from corpora.model.document import Span
from nlmchem.tagging.inference.scoring import ScoredPassage

__all__ = ["Find", "PassageFinds"]


@dataclass(frozen=True, slots=True)
class Find:
    """A mention in a passage: start and end (exclusive) in its text, and how sure it is (0..1)."""

    start: int
    end: int
    score: float


def _start(find: Find) -> int:
    return find.start


@dataclass(slots=True)
class PassageFinds:
    """A passage on its way through the rules. `finds` do not overlap and stand in the order of the text.

    `named`: the spans that lexicons name, with what that adds to their support.
    """

    text: str
    scored: Sequence[ScoredPassage]
    finds: list[Find] = field(default_factory=list)
    named: Mapping[Span, float] = field(default_factory=dict)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing that was found touches start..end."""
        before = bisect_left(self.finds, end, key=_start) - 1
        return before < 0 or self.finds[before].end <= start

    def add(self, finds: Iterable[Find]) -> None:
        """Add what does not overlap, from left to right, the longer one first."""
        for find in sorted(finds, key=lambda find: (find.start, -find.end)):
            if self.free(find.start, find.end):
                insort(self.finds, find, key=_start)

    def support(self, start: int, end: int) -> float:
        """What speaks for a span: the models' mean probability, and what a lexicon adds. It may exceed 1."""
        values = [scored.support(start, end) for scored in self.scored]
        return (sum(values) / len(values) if values else 0.0) + self.named.get((start, end), 0.0)
