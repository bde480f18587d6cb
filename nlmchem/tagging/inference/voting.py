"""Combines several models: averages of probabilities for models with the same pieces, votes on spans for others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.inference.decoding import best_roles
from nlmchem.tagging.inference.scoring import ScoredPassage
from nlmchem.tagging.inference.spans import ScoredSpan
from nlmchem.tagging.models.labels import Scheme, spans_of_roles
from nlmchem.tagging.models.loading import Model
from nlmchem.tagging.models.text_to_text import TextToTextModel

__all__ = ["alike", "average", "spans_of", "vote"]


def alike(models: Sequence[Model | TextToTextModel]) -> bool:
    """Whether the models have the same tokenizer and the same roles, so their probabilities can be averaged."""
    return len({(model.cutter.version, model.labels.scheme) for model in models}) == 1


def average(scored: Sequence[ScoredPassage], scheme: Scheme) -> ScoredPassage:
    """The scores of several models for one passage, averaged and decoded again."""
    if len(scored) == 1:
        return scored[0]
    encoded = scored[0].encoded
    mean: NDArray[np.float32] = np.stack([passage.probabilities for passage in scored]).mean(axis=0, dtype=np.float32)
    return ScoredPassage(encoded, mean, best_roles(mean, encoded.glued, scheme))


def spans_of(scored: ScoredPassage) -> list[ScoredSpan]:
    """The spans that the roles of a passage describe. The score is the mean probability of their pieces."""
    found: list[ScoredSpan] = []
    for first, last in spans_of_roles(scored.roles):
        span = scored.encoded.span(first, last)
        if span is not None:
            found.append(ScoredSpan(*span, scored.support_of_pieces(first, last)))
    return found


def vote(votes: Sequence[Sequence[ScoredSpan]]) -> list[ScoredSpan]:
    """The spans that at least half of the models predict, to the character. The score is the mean over all models.

    Of overlapping spans the one with more votes is kept, then the higher score, the longer, the first.
    """
    ballots: dict[tuple[int, int], list[float]] = {}
    for own in votes:
        for span in own:
            ballots.setdefault((span.start, span.end), []).append(span.score)
    elected = [
        (len(scores), sum(scores) / len(votes), span)
        for span, scores in ballots.items()
        if 2 * len(scores) >= len(votes)
    ]
    elected.sort(key=lambda entry: (-entry[0], -entry[1], entry[2][0] - entry[2][1], entry[2][0]))
    kept: list[ScoredSpan] = []
    for _, mean, (start, end) in elected:
        if all(end <= other.start or other.end <= start for other in kept):
            kept.append(ScoredSpan(start, end, mean))
    return sorted(kept, key=lambda span: span.start)
