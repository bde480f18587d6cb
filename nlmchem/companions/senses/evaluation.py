"""Scores of acronym disambiguation: the measures of SDU (SciAD), of GLADIS, and what makes them comparable.

SDU (Veyseh et al. 2020) averages precision and recall over the long forms of the gold standard, and takes F1 of the two
means. Its scorer gives precision 1 to a long form that is never predicted. GLADIS (Chen et al. 2023) averages the F1 of
the long forms. Both depend on the candidates, so their number is part of the scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpora.words.quantities import quantity
from nlmchem.evaluation import scores
from nlmchem.evaluation.bootstrap import Floats, Integers, interval
from nlmchem.evaluation.scores import f1

SDU_NOTE = "SDU F gives precision 1 to long forms that are never predicted, as the scorer of SDU does"


@dataclass(frozen=True, slots=True)
class Decided:
    """One sample: the gold sense, the predicted one (None: no answer), the number of candidates, and the rank of gold.

    `rank`: the position of the gold sense among the candidates by frequency, from 0; None if it is not among them.
    `probability`: that of the predicted sense; None if the method gives none.
    """

    short_form: str
    gold: str
    predicted: str | None
    candidates: int
    rank: int | None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class SenseScores:
    """Scores between 0 and 1, with the interval of 95% of bootstrap samples for the first three.

    `candidates`: senses of an acronym on average, each acronym once. `coverage`: samples with the gold sense among the
    candidates. `overshadowed`: samples whose gold sense is a candidate, but not the most frequent one.
    `reliability`: the answers by their probability; empty without probabilities.
    """

    samples: int
    short_forms: int
    accuracy: float
    accuracy_interval: tuple[float, float]
    sdu_f1: float
    sdu_interval: tuple[float, float]
    gladis_f1: float
    gladis_interval: tuple[float, float]
    answered: float
    candidates: float
    coverage: float
    overshadowed: float
    overshadowed_accuracy: float
    reliability: tuple[scores.Bin, ...] = ()


def score_senses(decided: Sequence[Decided], samples: int = 1000, seed: int = 0) -> SenseScores:
    """The scores of samples. `samples`: bootstrap samples, drawn by sample with replacement."""
    names = {name: number for number, name in enumerate(sorted({decision.gold for decision in decided}))}
    gold = np.array([names[decision.gold] for decision in decided])
    # A prediction that is never gold counts for no long form, as in both scorers.
    predicted = np.array([names.get(decision.predicted or "", -1) for decision in decided])
    weights = np.ones(len(decided))
    whole = _means(gold, predicted, weights, len(names))
    generator = np.random.default_rng(seed)
    size = len(gold)
    counts = (np.bincount(generator.integers(0, size, size), minlength=size).astype(np.float64) for _ in range(samples))
    drawn = [_means(gold, predicted, resampled, len(names)) for resampled in counts]
    intervals = [_interval([means[index] for means in drawn], whole[index]) for index in range(3)]
    lists = {decision.short_form: decision.candidates for decision in decided}
    shadowed = [decision for decision in decided if decision.rank]
    sure = [decision for decision in decided if decision.probability is not None]
    return SenseScores(
        samples=len(decided),
        short_forms=len(lists),
        accuracy=whole[0],
        accuracy_interval=intervals[0],
        sdu_f1=whole[1],
        sdu_interval=intervals[1],
        gladis_f1=whole[2],
        gladis_interval=intervals[2],
        answered=sum(decision.predicted is not None for decision in decided) / len(decided),
        candidates=sum(lists.values()) / len(lists),
        coverage=sum(decision.rank is not None for decision in decided) / len(decided),
        overshadowed=len(shadowed) / len(decided),
        overshadowed_accuracy=sum(decision.gold == decision.predicted for decision in shadowed) / len(shadowed)
        if shadowed
        else 0.0,
        reliability=scores.reliability(
            np.array([decision.probability for decision in sure], dtype=np.float64),
            np.array([decision.predicted == decision.gold for decision in sure], dtype=np.bool_),
        ),
    )


def _means(gold: Integers, predicted: Integers, weights: Floats, size: int) -> tuple[float, ...]:
    """Accuracy, F1 of SDU, F1 of GLADIS."""
    right = np.bincount(gold, weights * (gold == predicted), size)
    total = np.bincount(gold, weights, size)
    answers = np.bincount(predicted + 1, weights, size + 1)[1:]
    present = total > 0
    right, total, answers = right[present], total[present], answers[present]
    recall = right / total
    precision = np.where(answers > 0, right / np.maximum(answers, 1), 1.0)
    sdu = f1(float(precision.mean()), float(recall.mean()))
    return float(right.sum() / total.sum()), sdu, float((2 * right / (total + answers)).mean())


def as_text(scores: Mapping[str, SenseScores]) -> Iterator[str]:
    """A table of methods and their scores. All methods were scored on the same samples."""
    first = next(iter(scores.values()))
    yield (
        f"{quantity(first.samples, 'sample')}, {first.short_forms} acronyms with "
        f"{first.candidates:.1f} candidates; the gold sense "
        f"is a candidate of {first.coverage:.1%}, and not the most frequent one of {first.overshadowed:.1%}"
    )
    yield "\t".join(("method", "accuracy", "interval", "SDU F", "interval", "GLADIS F", "interval", "rarer sense"))
    for name, score in scores.items():
        pairs = (
            (score.accuracy, score.accuracy_interval),
            (score.sdu_f1, score.sdu_interval),
            (score.gladis_f1, score.gladis_interval),
        )
        figures = [text for value, (low, high) in pairs for text in (f"{value:.4f}", f"{low:.4f}-{high:.4f}")]
        yield "\t".join((name, *figures, f"{score.overshadowed_accuracy:.4f}"))
    for name, score in scores.items():
        if score.reliability:
            yield f"answers of the method {name} by their probability:"
            yield from scores.reliability_as_text(score.reliability)


def _interval(values: Sequence[float], whole: float) -> tuple[float, float]:
    if not values:
        return whole, whole
    limits = interval(values)
    return limits.low, limits.high
