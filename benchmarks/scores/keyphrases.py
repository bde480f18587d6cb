"""Cross-validates keyphrases: TF×IDF, the first stage, and both stages, in the same five folds.

    python -m benchmarks.scores.keyphrases ../shared/data/keyphrases/semeval2010 --keys combined
    python -m benchmarks.scores.keyphrases ../shared/data/indexing/jats.tar.gz

The input is SemEval-2010 task 5 or articles with keywords of their authors. Folds are by article; nothing is learnt
from the keys of the held-out fold. Prints micro F at 5, 10 and 15, with 95% intervals (1,000 bootstrap samples of
articles), macro F, and F by the threshold. The last row is the model that ships, which was fitted on author keywords
only.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.datasets.registry import open_corpus
from corpora.reading import read
from indexing.learning.crossfit import Positions, cross_fitted, folds
from nlmchem.companions.keyphrases import frequencies
from nlmchem.companions.keyphrases.candidates import Keys
from nlmchem.companions.keyphrases.evaluation import CUTOFFS, Predictions, compare, document_of
from nlmchem.companions.keyphrases.features import matrix
from nlmchem.companions.keyphrases.model import KeyphraseModel, open_model
from nlmchem.companions.keyphrases.training import (
    KeyphraseTraining,
    LabelledArticle,
    Prepared,
    label,
    label_one,
    prepare,
    train_prepared,
)
from nlmchem.evaluation.scores import Counts, f1, total

Floats = NDArray[np.float64]
SAMPLES = 1000
FOLDS = 5
MOST = 15
Phrases = tuple[str, ...]
"""The stems of phrases, the best first."""


@dataclass(frozen=True, slots=True)
class Row:
    """The predictions of one method, best first, and those that reach its threshold."""

    name: str
    ranked: Predictions
    chosen: Predictions


def main() -> None:
    given = parsed()
    labelled = dict(semeval(given.source)) if Path(given.source).is_dir() else author(given.source)
    table = frequencies.read()
    options = KeyphraseTraining(tune=not given.no_threshold)
    ready = prepare(list(labelled[given.keys].values()), table)
    rows = [shipped(ready, open_model(None))]
    if not given.shipped_only:
        rows = [row("TFxIDF", ready, [tfidf(item, table) for item in ready]), *learnt(ready, table, options), *rows]
    for group, articles in labelled.items():
        keys = {name: article.gold for name, article in articles.items()}
        for method in rows:
            fields = {"fitted": given.keys, "keys": group, "row": method.name, **figures(keys, method)}
            print(json.dumps(fields), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="the folder of SemEval-2010 task 5, or articles")
    parser.add_argument("--keys", default="author", choices=("author", "reader", "combined"), help="keys to learn from")
    parser.add_argument("--shipped-only", action="store_true", help="score only the model that ships")
    parser.add_argument("--no-threshold", action="store_true", help="choose no threshold, which saves half of the time")
    return parser.parse_args()


def author(source: str) -> dict[str, dict[str, LabelledArticle]]:
    return {"author": {article.key: article for article in label(read([source]))}}


def semeval(folder: str) -> Iterator[tuple[str, dict[str, LabelledArticle]]]:
    """The articles by group of keys. The keys are those that the publisher stemmed."""
    groups: dict[str, dict[str, LabelledArticle]] = {group: {} for group in ("author", "reader", "combined")}
    for article in open_corpus("semeval2010", folder).read():
        made = label_one(document_of(article), [])
        for group, stemmed in article.stemmed.items():
            groups[group][article.id] = replace(made, key=article.id, gold=stemmed)
    yield from groups.items()


def tfidf(item: Prepared, table: frequencies.Frequencies) -> Floats:
    values = matrix(item.article.found, table, frequencies.NO_PRIOR, ("log", "rarity"))
    return np.asarray(np.exp(values[:, 0]) * values[:, 1])


def learnt(ready: Sequence[Prepared], table: frequencies.Frequencies, options: KeyphraseTraining) -> Iterator[Row]:
    """The first stage alone, and both stages."""

    def model(rest: Positions) -> KeyphraseModel:
        return train_prepared([ready[at] for at in rest], table, options, report=lambda _: None)

    def stages(model: KeyphraseModel, held: Positions) -> Iterator[tuple[Floats, Phrases, Phrases]]:
        for item in (ready[at] for at in held):
            values = matrix(item.article.found, table, model.prior, model.first.features)
            yield model.first.log_odds(values), *predicted(item, model)

    keys = [item.article.key for item in ready]
    parts = folds(keys, FOLDS, seed=11)
    first, ranked, chosen = zip(*cross_fitted(parts, model, stages), strict=True)
    yield row("first stage", ready, first)
    yield Row("both stages", dict(zip(keys, ranked, strict=True)), dict(zip(keys, chosen, strict=True)))


def shipped(ready: Sequence[Prepared], model: KeyphraseModel) -> Row:
    ranked, chosen = zip(*(predicted(item, model) for item in ready), strict=True)
    keys = [item.article.key for item in ready]
    return Row("model that ships", dict(zip(keys, ranked, strict=True)), dict(zip(keys, chosen, strict=True)))


def predicted(item: Prepared, model: KeyphraseModel) -> tuple[Phrases, Phrases]:
    scored = model.score(item.article.found)
    stems = tuple(item.article.found.stem(int(number)) for number in scored.numbers)
    chosen = int((scored.scores >= model.threshold).sum()) if model.threshold > 0 else 0
    return stems[:MOST], stems[:chosen]


def row(name: str, ready: Sequence[Prepared], scores: Sequence[Floats]) -> Row:
    ranked = {}
    for item, values in zip(ready, scores, strict=True):
        order = np.argsort(-values, kind="stable")[:MOST]
        ranked[item.article.key] = tuple(item.article.found.stem(int(number)) for number in order)
    return Row(name, ranked, {})


def figures(keys: Mapping[str, Keys], row: Row) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for cutoff in CUTOFFS:
        counts = [compare(phrases, row.ranked.get(name, ()), cutoff) for name, phrases in keys.items()]
        precision = sum(count.precision for count in counts) / len(counts)
        recall = sum(count.recall for count in counts) / len(counts)
        values[f"F@{cutoff}"] = percent(total(counts).f1)
        values[f"interval@{cutoff}"] = interval(counts)
        values[f"macro@{cutoff}"] = percent(f1(precision, recall))
    if any(row.chosen.values()):
        counts = [compare(phrases, row.chosen.get(name, ())) for name, phrases in keys.items()]
        values["F by threshold"] = percent(total(counts).f1)
        values["phrases by threshold"] = round(total(counts).predicted / len(counts), 1)
    return values


def interval(counts: Sequence[Counts]) -> tuple[float, float]:
    """The middle 95% of micro F over samples of articles."""
    table = np.array([(count.found, count.gold + count.predicted) for count in counts], dtype=np.float64)
    drawn = np.random.default_rng(7).integers(0, len(table), (SAMPLES, len(table)))
    sums = table[drawn].sum(axis=1)
    low, high = np.quantile(2 * sums[:, 0] / sums[:, 1], (0.025, 0.975))
    return percent(low), percent(high)


def percent(value: float) -> float:
    return round(100 * float(value), 1)


if __name__ == "__main__":
    main()
