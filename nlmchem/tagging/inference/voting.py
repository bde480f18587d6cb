"""Several models as one: probabilities averaged where their pieces are the same, spans voted where they are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.inference.decoding import best_roles
from nlmchem.tagging.inference.scoring import ScoredPassage
from nlmchem.tagging.inference.spans import Find
from nlmchem.tagging.models.labels import Scheme, spans_of_roles
from nlmchem.tagging.models.loading import Model

__all__ = ["alike", "average", "finds", "vote"]


def alike(models: Sequence[Model]) -> bool:
    """Whether the models cut text into the same pieces and have the same roles, so that they can be averaged."""
    return len({(model.cutter.version, model.labels.scheme) for model in models}) == 1


def average(scored: Sequence[ScoredPassage], scheme: Scheme) -> ScoredPassage:
    """One passage as several models see it: the mean of their probabilities, decoded anew."""
    if len(scored) == 1:
        return scored[0]
    encoded = scored[0].encoded
    mean: NDArray[np.float32] = np.stack([passage.probabilities for passage in scored]).mean(axis=0, dtype=np.float32)
    return ScoredPassage(encoded, mean, best_roles(mean, encoded.glued, scheme))


def finds(scored: ScoredPassage) -> list[Find]:
    """The mentions of a passage as the roles have them, with the mean probability of their pieces as score."""
    found: list[Find] = []
    for first, last in spans_of_roles(scored.roles):
        span = scored.encoded.span(first, last)
        if span is not None:
            found.append(Find(*span, scored.support_of_pieces(first, last)))
    return found


def vote(votes: Sequence[Sequence[Find]]) -> list[Find]:
    """Spans that at least half of the models found, to the character; the score is the mean over all models.

    Of overlapping ones that with more votes stands, then the better score, the longer, the one further left.
    """
    ballots: dict[tuple[int, int], list[float]] = {}
    for found in votes:
        for find in found:
            ballots.setdefault((find.start, find.end), []).append(find.score)
    elected = [
        (len(scores), sum(scores) / len(votes), span)
        for span, scores in ballots.items()
        if 2 * len(scores) >= len(votes)
    ]
    elected.sort(key=lambda entry: (-entry[0], -entry[1], entry[2][0] - entry[2][1], entry[2][0]))
    kept: list[Find] = []
    for _, mean, (start, end) in elected:
        if all(end <= other.start or other.end <= start for other in kept):
            kept.append(Find(start, end, mean))
    return sorted(kept, key=lambda find: find.start)
