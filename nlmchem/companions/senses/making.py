"""Makes the folder of a resolver from articles: dictionary, context index, and weights fitted on hidden definitions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from corpora.model.mesh_ids import is_descriptor
from corpora.reporting import Report
from corpora.storage.owned_files import OwnedFolder
from corpora.words.english import folded, words
from corpora.words.quantities import quantity
from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.abbreviations.inventory import Inventory, InventorySense, write_inventory
from nlmchem.companions.senses.building import BuildingOptions, DefinitionPair, Records, build
from nlmchem.companions.senses.choice import (
    ARTICLE,
    ChoiceModel,
    SenseFeatures,
    crossfitted,
    features_of,
    fit,
    write_choice,
)
from nlmchem.companions.senses.names import NamesByForm, name_lines, write_names
from nlmchem.companions.senses.resolver import FILES
from nlmchem.companions.senses.vectors import ContextIndex, from_arrays
from nlmchem.evaluation.scores import Bin, reliability
from sieves.lexicon.lexicon import Lexicon

FEWEST = 2
"""Senses of an ambiguous short form."""
PRECISION = 0.91


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden definition and the features of its short form."""

    article: int  # its number
    features: SenseFeatures
    gold: int  # the position of its sense among the candidates; -1 if it is not among them
    known: bool  # whether another article defines this sense, or it is a name of a concept
    senses: int  # the number of candidates


def hidden(
    records: Records,
    chosen: Sequence[int],
    inventory: Inventory,
    context: ContextIndex,
    forms: Mapping[str, Mapping[str, str]],
) -> Iterator[Hidden]:
    """The hidden definitions of the chosen articles. Short forms with two meanings in the article are left out.

    Other articles define at least two senses of the short form, and it would be found without its definition.
    """
    names = list(records.numbers)
    for article in chosen:
        record = records.records[article]
        counts = {names[word]: int(number) for word, number in zip(record.words, record.counts, strict=True)}
        by_form: dict[str, dict[str, list[DefinitionPair]]] = {}
        for pair in record.pairs:
            short, long, _ = pair
            by_form.setdefault(short, {}).setdefault(forms[short][long], []).append(pair)
        for short, long_forms in by_form.items():
            if len(long_forms) != 1 or not looks_like_acronym(short):
                continue
            ((long, pairs),) = long_forms.items()
            senses = _elsewhere(inventory.senses(short), context, article, long)
            if sum(sense.articles > 0 for sense, _ in senses) < FEWEST:
                continue
            # The words of the article without those of the long forms.
            left = Counter(counts)
            for _, written, times in pairs:
                for word in words(written):
                    left[folded(word)] -= times
            visible = {word: number for word, number in left.items() if number > 0}
            form = short, [sense for sense, _ in senses], [rows for _, rows in senses]
            features = features_of([form], context.query(visible), visible, context)
            known = [sense.long_form for sense, _ in senses]
            gold = known.index(long) if long in known else -1
            reached = gold if gold < len(features.candidates[0]) else -1
            yield Hidden(article, features, reached, gold >= 0, len(senses))


def _elsewhere(
    senses: Sequence[InventorySense], context: ContextIndex, article: int, defined: str
) -> list[tuple[InventorySense, NDArray[np.int64]]]:
    """The senses as they were without an article that defines one of them, the most frequent first."""
    candidates = []
    for sense in senses:
        rows = context.of_sense(sense.row)
        others = rows[rows != article]
        defining = max(0, sense.articles - (sense.long_form == defined))
        containing = sense.containing - (sense.long_form == defined or len(others) < len(rows))
        # Without its definition, a long form is a candidate only as a name.
        if defining or (sense.grade and (containing or is_descriptor(sense.identifier))):
            candidates.append((replace(sense, articles=defining, containing=containing), others))
    return sorted(candidates, key=lambda item: (-item[0].weight, -item[0].articles, item[0].long_form))


@dataclass(frozen=True, slots=True)
class HidingScores:
    """Counts, and shares between 0 and 1."""

    samples: int
    articles: int
    candidates: float
    """Senses that other articles define, on average."""
    reachable: float
    """Hidden definitions whose sense is a candidate."""
    accuracy: float
    of_reachable: float
    of_overshadowed: float
    """The accuracy where the sense is not the most frequent one."""
    popularity: float
    """The accuracy of the most frequent sense; the next one: where the sense is reachable."""
    popularity_of_reachable: float
    answered: float
    """The largest share that the most confident answers can have at a precision of `PRECISION`."""
    threshold: float
    """The probability from which on these answers are given."""
    reliability: tuple[Bin, ...]
    """The answers by their probability."""


def score_hidden(samples: Sequence[Hidden], scores: Sequence[NDArray[np.float64]]) -> HidingScores:
    """The scores of samples with the probabilities of their senses."""
    gold = np.array([sample.gold for sample in samples])
    best = np.array([int(sample_scores.argmax()) for sample_scores in scores])
    confidence = np.array([float(sample_scores.max()) for sample_scores in scores])
    known = np.array([sample.known for sample in samples])
    right = best == gold
    # The largest share of answers with the precision `PRECISION`, by falling confidence, and its lowest confidence.
    order = np.argsort(-confidence, kind="stable")
    precisions = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.nonzero(precisions >= PRECISION)[0]
    return HidingScores(
        samples=len(samples),
        articles=len({sample.article for sample in samples}),
        candidates=_mean(np.array([sample.senses for sample in samples])),
        reachable=_mean(known),
        accuracy=_mean(right),
        of_reachable=_mean(right[known]),
        of_overshadowed=_mean(right[gold > 0]),
        popularity=_mean(gold == 0),
        popularity_of_reachable=_mean(gold[known] == 0),
        answered=float((enough[-1] + 1) / len(order)) if len(enough) else 0.0,
        threshold=float(confidence[order[enough[-1]]]) if len(enough) else 1.0,
        reliability=reliability(confidence, right),
    )


def _mean(values: NDArray[np.bool_] | NDArray[np.int64]) -> float:
    return float(values.mean()) if len(values) else 0.0


FEWEST_ARTICLES = 20
FEWEST_SAMPLES = 50


@dataclass(frozen=True, slots=True)
class Made:
    """What was made: counts of the dictionary, and the scores of hidden definitions by weights of other articles."""

    articles: int
    short_forms: int
    senses: int
    names: int
    ambiguous: int
    bytes: int
    scores: HidingScores


def make_folder(
    records: Records,
    folder: Path,
    report: Report,
    articles: int = 1000,
    options: BuildingOptions = BuildingOptions(),  # noqa: B008
    card: Mapping[str, Any] | None = None,
    lexicon: Lexicon | None = None,
) -> Made:
    """Write dictionary, names, context index and weights into a folder.

    `articles`: how many articles have their definitions hidden, chosen by the seed. `lexicon`: names that are one
    sense; the default one if None. Raises `ConfigurationError` if there are too few articles or hidden definitions to
    learn from, and where a file of others would be replaced.
    """
    from safetensors.numpy import save

    owned = OwnedFolder(folder)
    owned.check(*FILES)
    if len(records.records) < FEWEST_ARTICLES:
        raise ConfigurationError(
            f"{quantity(len(records.records), 'article is', 'articles are')} too few for a "
            f"dictionary; give at least {FEWEST_ARTICLES}"
        )
    with nullcontext(lexicon) if lexicon is not None else Lexicon.open() as opened:
        built = build(records, options, identifier_in(opened))
    report(
        f"dictionary of {len(built.rows)} senses from {quantity(len(records.records), 'article')}, "
        f"{quantity(len(built.names), 'name')} of concepts with the initials of short forms"
    )
    if not built.names:
        report(
            "the lexicon has no name that the articles contain and that has the initials of a short form; the senses "
            "are those that articles define"
        )
    context = from_arrays(built.arrays)
    numbers = range(len(records.records))
    chosen = sorted(random.Random(options.seed).sample(numbers, min(articles, len(numbers))))
    size = len(built.rows)
    names = NamesByForm(name_lines(built.names), size)
    inventory = Inventory.of(built.rows).with_names(names.of)
    samples = list(hidden(records, chosen, inventory, context, built.forms))
    if len(samples) < FEWEST_SAMPLES:
        raise ConfigurationError(
            f"only {quantity(len(samples), 'definition')} of ambiguous short forms can be hidden; give more articles"
        )
    report(f"{quantity(len(samples), 'hidden definition')} of {quantity(len(chosen), 'article')}")
    examples = [(sample.features, sample.gold) for sample in samples]
    scores = score_hidden(samples, crossfitted(examples, [sample.article for sample in samples]))
    facts = {**(card or {}), "articles": len(records.records), "hidden definitions": len(samples)}
    model = ChoiceModel({ARTICLE: fit(examples)}, facts)
    with owned.staging() as part:
        paths = dictionary, names_file, context_file, weights = [part / name for name in FILES]
        write_inventory(dictionary, built.rows)
        write_names(names_file, built.names)
        context_file.write_bytes(save(dict(sorted(built.arrays.items()))))
        write_choice(weights, model)
        written = sum(path.stat().st_size for path in paths)
    ambiguous = sum(len(senses) > 1 for _, senses in inventory.items())
    return Made(len(records.records), len(inventory), size, len(names), ambiguous, written, scores)


def identifier_in(lexicon: Lexicon) -> Callable[[str], str | None]:
    """A function that returns the identifier of the concept with a name; None if there is none, or more than one."""

    def identify(name: str) -> str | None:
        identifiers = {identifier for match in lexicon.lookup(name)[:1] for identifier in match.identifiers}
        return identifiers.pop() if len(identifiers) == 1 else None

    return identify
