"""The strict scores of a run if only predictions with at least a given score were kept.

For the curves of ensembles, whose annotations depend on the threshold, see `nlmchem.evaluation.curves`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nlmchem.evaluation.comparison import Comparison, Result, Task
from nlmchem.evaluation.scores import Counts

__all__ = ["ScoreCurve", "curve", "run_curve"]

UNSCORED = 1.0
"""The score of predictions without a score, if other predictions have one: they are kept at all thresholds."""


@dataclass(frozen=True, slots=True)
class ScoreCurve:
    """Precision, recall and F1 of the predictions with a score of at least `thresholds[i]`; thresholds descend."""

    thresholds: tuple[float, ...]
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    f1: tuple[float, ...]

    @property
    def best(self) -> int:
        """The position of the highest F1; ties: the highest threshold."""
        return max(range(len(self.f1)), key=lambda point: (self.f1[point], -point))


def curve(predictions: Iterable[tuple[float | None, bool]], gold: int) -> ScoreCurve | None:
    """The curve of predictions, each given by its score and whether it is right; `gold` is the number of gold items.

    None if no prediction has a score.
    """
    given = list(predictions)
    if all(score is None for score, _ in given):
        return None
    falling = sorted(((UNSCORED if score is None else score, right) for score, right in given), reverse=True)
    thresholds: list[float] = []
    points: list[Counts] = []
    right_ones = 0
    for kept, (score, right) in enumerate(falling, start=1):
        right_ones += right
        # Predictions with equal scores are kept or dropped together.
        if kept == len(falling) or falling[kept][0] != score:
            thresholds.append(score)
            points.append(Counts(gold, right_ones, kept, right_ones))
    return ScoreCurve(
        tuple(thresholds),
        tuple(point.precision for point in points),
        tuple(point.recall for point in points),
        tuple(point.f1 for point in points),
    )


def run_curve(comparison: Comparison, result: Result) -> ScoreCurve | None:
    """The curve of a run: of mentions for spans, else of the identifiers of documents (with their highest score)."""
    gold = sum(counts.gold for counts in result.strict.documents if counts is not None)
    if comparison.task is Task.SPANS:
        return curve(_mention_scores(result), gold)
    return curve(_identifier_scores(result, comparison.type), gold)


def _mention_scores(result: Result) -> Iterable[tuple[float | None, bool]]:
    for match in result.spans:
        for mention, right in zip(match.predicted, match.predicted_exact, strict=True):
            yield mention.evidence.score, right


def _identifier_scores(result: Result, type: str) -> Iterable[tuple[float | None, bool]]:
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        best: dict[str, float | None] = dict.fromkeys(sets.predicted)
        for annotation in pair.predicted.of_type(type):
            score = annotation.evidence.score
            for identifier in annotation.identifiers:
                before = best[identifier]
                if score is not None and (before is None or score > before):
                    best[identifier] = score
        for identifier, score in best.items():
            yield score, identifier in sets.gold
