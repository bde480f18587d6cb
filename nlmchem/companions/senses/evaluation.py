"""Scores of acronym disambiguation: the measures of SDU (SciAD), of GLADIS, and what makes them comparable.

SDU (Veyseh et al. 2020) averages precision and recall over the long forms of the gold standard, and takes F1 of the two
means. Its scorer gives precision 1 to a long form that is never predicted. GLADIS (Chen et al. 2023) averages the F1 of
the long forms. Both depend on the candidates, so their number is part of the scores.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpora.datasets.acronyms import AcronymSample
from corpora.words.english import counts_of, long_form_words
from corpora.words.quantities import quantity
from nlmchem.abbreviations.dictionary import key_of
from nlmchem.abbreviations.inventory import Inventory, InventorySense
from nlmchem.companions.senses.resolver import Resolver
from nlmchem.evaluation.bootstrap import Floats, Integers, interval
from nlmchem.evaluation.scores import Bin, f1, reliability, reliability_as_text

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
    """Scores between 0 and 1, with the interval of 95% of bootstrap samples for the first three."""

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
    """Senses of an acronym on average, each acronym once."""
    coverage: float
    """Samples with the gold sense among the candidates."""
    overshadowed: float
    """Samples whose gold sense is a candidate, but not the most frequent one."""
    overshadowed_accuracy: float
    reliability: tuple[Bin, ...] = ()
    """The answers by their probability; empty without probabilities."""


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
    limits = [interval([means[index] for means in drawn]) for index in range(3)] if samples else []
    intervals = [(limit.low, limit.high) for limit in limits] or [(value, value) for value in whole]
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
        reliability=reliability(
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
            yield from reliability_as_text(score.reliability)


Choose = Callable[[AcronymSample, Sequence[InventorySense]], tuple[int, float | None]]
"""Returns the position of the chosen candidate and its probability; None if the method has no probabilities."""

METHODS = ("first", "popularity", "bm25", "model", "encoder")
K1, B = 1.2, 0.75
"""The constants of BM25 (Robertson and Zaragoza 2009)."""


def counts_around(sample: AcronymSample) -> Counter[str]:
    """The counts of the folded words of a sentence without the acronym."""
    return counts_of([" ".join(token for at, token in enumerate(sample.tokens) if at != sample.position)])


def candidates_of(sample: AcronymSample, inventory: Inventory | None) -> tuple[InventorySense, ...]:
    """The senses in a dictionary, most frequent first; without one those of the corpus, in the order of its file."""
    if inventory is not None:
        return inventory.senses(sample.short_form)
    return tuple(
        InventorySense(candidate.long_form, max(1, candidate.popularity), None, row)
        for row, candidate in enumerate(sample.candidates)
    )


def decide(samples: Iterable[AcronymSample], inventory: Inventory | None, choose: Choose) -> list[Decided]:
    """The answers to samples. With a dictionary of one's own, long forms with the same stems are equal."""
    name: Callable[[str], str] = (lambda form: form) if inventory is None else key_of
    decisions = []
    for sample in samples:
        candidates = candidates_of(sample, inventory)
        names = [name(candidate.long_form) for candidate in candidates]
        ranks = sorted(range(len(candidates)), key=lambda index: -candidates[index].articles)
        gold = name(sample.long_form)
        rank = next((number for number, index in enumerate(ranks) if names[index] == gold), None)
        place, probability = choose(sample, candidates) if candidates else (None, None)
        predicted = None if place is None else names[place]
        decisions.append(Decided(sample.short_form, gold, predicted, len(candidates), rank, probability))
    return decisions


def method(name: str, resolver: Resolver, samples: Sequence[AcronymSample], inventory: Inventory | None) -> Choose:
    """A method by its name: one of `METHODS`. `encoder` needs a resolver with an encoder of sentences."""
    if name == "bm25":
        return _bm25({candidate.long_form for sample in samples for candidate in candidates_of(sample, inventory)})
    if name == "popularity":
        return lambda sample, candidates: (
            max(range(len(candidates)), key=lambda index: (candidates[index].articles, -index)),
            None,
        )
    if name == "first":
        return lambda sample, candidates: (0, None)

    def choose(sample: AcronymSample, candidates: Sequence[InventorySense]) -> tuple[int, float]:
        sentences = [" ".join(sample.tokens)] if name == "encoder" else []
        # Candidates of the corpus are not those of the resolver.
        foreign = candidates if inventory is None else None
        scores = resolver.probabilities(sample.short_form, counts_around(sample), foreign, sentences)
        best = int(np.argmax(scores))
        return best, float(scores[best])

    return choose


def _bm25(long_forms: Iterable[str]) -> Choose:
    """BM25 of a sentence and the words of long forms, which are the documents."""
    documents = {form: Counter(long_form_words(form)) for form in sorted(long_forms)}
    frequencies = Counter(word for words in documents.values() for word in words)
    mean = sum(words.total() for words in documents.values()) / max(1, len(documents))

    def score(query: Mapping[str, int], form: str) -> float:
        words = documents[form]
        length = K1 * (1 - B + B * words.total() / mean)
        return sum(
            math.log(1 + (len(documents) - frequencies[word] + 0.5) / (frequencies[word] + 0.5))
            * number * (K1 + 1) / (number + length)
            for word, number in words.items() if word in query
        )  # fmt: skip

    def choose(sample: AcronymSample, candidates: Sequence[InventorySense]) -> tuple[int, None]:
        query = counts_around(sample)
        best = max(range(len(candidates)), key=lambda index: (score(query, candidates[index].long_form), -index))
        return best, None

    return choose
