"""Fits the weights of `benchmarks.retrain.senses` for texts as short as a sentence, on acronyms in sentences.

There are four sets: senses of the embedded dictionary, or of another one; without the embedded encoder of sentences,
or with it. Another dictionary is simulated: the right sense and some others are taken from the embedded dictionary, and
most of them without what it knows of them. The penalty was chosen by cross-validation on the same samples.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from corpora.datasets.acronyms import AcronymSample
from indexing.learning.linear import Linear, fit_choice, standards
from nlmchem.abbreviations.dictionary import key_of
from nlmchem.abbreviations.inventory import Inventory, InventorySense, read_inventory
from nlmchem.companions.senses.choice import (
    ARTICLE,
    COSINE,
    CUT_OFF,
    FEATURES,
    FOREIGN,
    SENTENCE,
    ChoiceModel,
    Sample,
    SenseWeights,
    ambiguous_form,
    features_of,
    fit,
    read_choice,
    write_choice,
)
from nlmchem.companions.senses.encoders import EmbeddedEncoder
from nlmchem.companions.senses.evaluation import counts_around
from nlmchem.companions.senses.names import read_names
from nlmchem.companions.senses.resolver import CONTEXT, NAMES, WEIGHTS, dictionary_of
from nlmchem.companions.senses.vectors import ContextIndex, embedded_vectors, read_context_index

PENALTY = 5.0
COLUMNS = ("features", "means", "scales", "weights")
OTHERS = (1, 1, 2, 2, 3, 4, 6)
"""How many wrong senses a simulated dictionary has: one of these numbers."""
KNOWN, COUNTED, ABSENT = 0.15, 0.5, 0.1
"""Shares: senses that the embedded dictionary knows, dictionaries with counts, those that lack the right sense."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What the features of sentences are computed with."""

    inventory: Inventory
    context: ContextIndex
    encoder: EmbeddedEncoder
    rows: dict[str, np.ndarray]

    def row(self, text: str) -> np.ndarray:
        if text not in self.rows:
            self.rows[text] = self.encoder.encode([text])[0].astype(np.float64)
        return self.rows[text]

    def sentence(self, sample: AcronymSample, senses: Sequence[InventorySense]) -> Sample:
        counts = counts_around(sample)
        form = ambiguous_form(sample.short_form, senses, self.context)
        unscored = features_of([form], self.context.query(counts), counts, self.context, embedded_vectors())
        text = self.row(" ".join(sample.tokens))
        cosines = np.array([self.row(candidate.long_form) @ text for candidate in unscored.candidates[0]])
        keys = [key_of(candidate.long_form) for candidate in unscored.candidates[0]]
        gold = key_of(sample.long_form)
        features = replace(unscored, senses={**unscored.senses, COSINE: cosines})
        return features, keys.index(gold) if gold in keys else -1


def add_sentences(folder: Path, samples: Sequence[AcronymSample], card: Mapping[str, Any]) -> dict[str, float]:
    """Fit the weights of sentences for the dictionary in a folder, and write them into its file of weights.

    Returns the accuracy of each set on the sentences that it was fitted on.
    """
    inventory = read_inventory(dictionary_of(folder))
    size = sum(len(senses) for _, senses in inventory.items())
    names = read_names(folder / NAMES, size)
    context = read_context_index(folder / CONTEXT, size + len(names))
    texts = Texts(inventory.with_names(names.of), context, EmbeddedEncoder(), {})
    of_own, of_others = list(own(samples, texts)), list(simulated(samples, texts))
    parts: dict[str, SenseWeights] = {}
    # With the usual penalty, the scaled weights make the simulated dictionaries more probable.
    usual = fit(of_own, FEATURES)
    for name, cosine in (("", ()), (", encoder", (COSINE,))):
        parts[SENTENCE + name] = fit(of_own, (*FEATURES, *cosine), PENALTY)
        parts[FOREIGN + name] = scaled(usual, of_others, cosine)
    scores = {name: accuracy(of_others if FOREIGN in name else of_own, weights) for name, weights in parts.items()}
    model = read_choice(folder / WEIGHTS)
    made = {key: card[key] for key in ("commit", "command")}
    facts = {**model.card, "sentences": {**made, "samples": len(of_own), "accuracy": scores}}
    write_choice(folder / WEIGHTS, ChoiceModel({ARTICLE: model.parts[ARTICLE], **parts}, facts))
    return scores


def accuracy(sentences: Sequence[Sample], weights: SenseWeights) -> float:
    """The share of sentences that get the right sense."""
    right = [int(weights.probabilities(features).argmax()) == gold for features, gold in sentences]
    return round(float(np.mean(right)), 4)


def scaled(weights: SenseWeights, sentences: Sequence[Sample], cosine: Sequence[str]) -> SenseWeights:
    """Weights for senses of which less is known: `weights` times a factor, and a weight for the cosine of an encoder.

    Only three or four numbers are fitted, because more of them learn how the sentences were simulated.
    """
    log_odds = [weights.log_odds(features) for features, _ in sentences]
    columns = [np.concatenate([values for values, _ in log_odds])]
    columns += [np.concatenate([features.senses[name] for features, _ in sentences]) for name in cosine]
    senses, other = np.stack(columns, axis=1), np.array([[1.0, float(rest[0])] for _, rest in log_odds])
    sizes = np.array([len(values) for values, _ in log_odds])
    parts = standards(senses, ("log-odds", *cosine)), standards(other, ("bias", "log-odds"))
    parts[0].means[0], parts[1].means[:] = 0, 0
    gold = np.array([position for _, position in sentences])
    of_senses, of_other = fit_choice(senses, other, np.cumsum(sizes) - sizes, gold, parts, 1.0)
    bias, factor = of_other.weights / of_other.scales
    rest = times(weights.other, factor)
    rest.weights[rest.features.index("bias")] += bias
    encoder = replace(of_senses, **{key: getattr(of_senses, key)[1:] for key in COLUMNS}) if cosine else None
    return SenseWeights(times(weights.senses, of_senses.weights[0] / of_senses.scales[0]), rest, encoder)


def times(model: Linear, factor: float) -> Linear:
    return replace(model, weights=model.weights * factor)


def own(samples: Sequence[AcronymSample], texts: Texts) -> Iterator[Sample]:
    """Acronyms with the senses of the embedded dictionary."""
    for sample in samples:
        if senses := texts.inventory.senses(sample.short_form):
            yield texts.sentence(sample, senses)


def simulated(samples: Sequence[AcronymSample], texts: Texts) -> Iterator[Sample]:
    """Acronyms with the senses of a simulated dictionary."""
    chance = random.Random(0)
    for sample in samples:
        gold = key_of(sample.long_form)
        senses = texts.inventory.senses(sample.short_form)[:CUT_OFF]
        others = [sense for sense in senses if key_of(sense.long_form) != gold]
        if not others:
            continue
        right = next(
            (sense for sense in senses if key_of(sense.long_form) == gold), InventorySense(sample.long_form, 1)
        )
        chosen = chance.sample(others, min(len(others), chance.choice(OTHERS)))
        if len(chosen) < 2 or chance.random() >= ABSENT:
            chosen.append(right)
        counted = chance.random() < COUNTED
        dictionary = [InventorySense(sense.long_form, max(1, sense.articles) if counted else 1) for sense in chosen]
        dictionary = [
            replace(sense, articles=max(plain.articles, sense.articles)) if chance.random() < KNOWN else plain
            for plain, sense in zip(dictionary, chosen, strict=True)
        ]
        chance.shuffle(dictionary)
        yield texts.sentence(sample, dictionary)
