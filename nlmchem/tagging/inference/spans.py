"""The chemical spans of a passage, between the scores of a model and the mentions that are written."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bioc import BioCDocument

from corpora.model.document import Mention, Span, set_probability, set_reasons

if TYPE_CHECKING:
    from nlmchem.tagging.inference.scoring import ScoredPassage


MOST = 0.5
"""Spans that the rules add have at least this support; the vote tags a surface at all of its places, or at none."""


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """A chemical span: start and end (exclusive) in the text of a passage, and its score (0 to 1).

    `reasons`: why a decision keeps it, in words; empty where that was not requested. `calibrated`: whether the score is
    the calibrated probability that the span is right.
    """

    start: int
    end: int
    score: float
    reasons: str = ""
    calibrated: bool = False

    def reaches(self, min_score: float) -> bool:
        """Whether it is written as a mention."""
        # Rounded as it is written, so that the same threshold on a finished file gives the same mentions.
        return round(self.score, 4) >= min_score


def _start(span: ScoredSpan) -> int:
    return span.start


@dataclass(slots=True)
class PassageSpans:
    """The spans of a passage, which the rules change. `spans` do not overlap and are in the order of the text.

    `bonus`: the spans that a lexicon or a rule names, and how much this adds to their support. `offset`: where the text
    begins in the article (code points). `elsewhere`: the parts in which a decision found that no name is a chemical.
    """

    text: str
    scored: Sequence[ScoredPassage]
    spans: list[ScoredSpan] = field(default_factory=list)
    bonus: dict[Span, float] = field(default_factory=dict)
    offset: int = 0
    elsewhere: Sequence[Span] = ()

    def text_of(self, span: ScoredSpan) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]

    def free(self, start: int, end: int) -> bool:
        """Whether no span overlaps start..end."""
        before = bisect_left(self.spans, end, key=_start) - 1
        return before < 0 or self.spans[before].end <= start

    def add(self, spans: Iterable[ScoredSpan]) -> None:
        """Add the spans that do not overlap others, from left to right. Of two with the same start, the longer."""
        for span in sorted(spans, key=lambda span: (span.start, -span.end)):
            if self.free(span.start, span.end):
                insort(self.spans, span, key=_start)

    def support(self, start: int, end: int) -> float:
        """The support of a span: the mean probability of the models, plus its bonus. It may exceed 1."""
        values = [scored.support(start, end) for scored in self.scored]
        return (sum(values) / len(values) if values else 0.0) + self.bonus.get((start, end), 0.0)


def own_copies(passages: Iterable[PassageSpans]) -> list[PassageSpans]:
    """Passages with the same spans, in lists of their own."""
    return [replace(passage, spans=list(passage.spans)) for passage in passages]


def leave_out(passages: Iterable[PassageSpans], lowest: float) -> int:
    """Remove the spans with a lower score. Returns their number."""
    number = 0
    for passage in passages:
        kept = [span for span in passage.spans if span.reaches(lowest)]
        number += len(passage.spans) - len(kept)
        passage.spans = kept
    return number


def explain(mention: Mention, span: ScoredSpan) -> None:
    """Write the reasons and the probability of a span into its mention, if it has any."""
    if span.calibrated:
        set_probability(mention, span.score)
    if span.reasons:
        set_reasons(mention, span.reasons)


Decide = Callable[[BioCDocument, Sequence[PassageSpans]], None]
"""Changes the spans of the passages of one article in place, before they are written as mentions.

The document has the definitions of abbreviations. Passages of skipped sections are not in the sequence.
"""
