"""Acronyms in single sentences, as in SciAD, GLADIS and UAD: their candidates, and methods that choose among them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from corpora.datasets.acronyms import AcronymSample
from corpora.words.english import counts_of, long_form_words
from nlmchem.abbreviations.dictionary import key_of
from nlmchem.abbreviations.inventory import Inventory, InventorySense
from nlmchem.companions.senses.evaluation import Decided
from nlmchem.companions.senses.resolver import Resolver

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
    if name in ("model", "encoder"):
        return _model(resolver, inventory is None, read=name == "encoder")
    if name == "popularity":
        return lambda sample, candidates: (
            max(range(len(candidates)), key=lambda index: (candidates[index].articles, -index)),
            None,
        )
    return lambda sample, candidates: (0, None)


def _model(resolver: Resolver, foreign: bool, read: bool) -> Choose:
    """The choice. `foreign`: the candidates are not those of the resolver. `read`: by its encoder of sentences."""

    def choose(sample: AcronymSample, candidates: Sequence[InventorySense]) -> tuple[int, float]:
        counts, sentences = counts_around(sample), [" ".join(sample.tokens)] if read else []
        scores = resolver.probabilities(sample.short_form, counts, candidates if foreign else None, sentences)
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
