"""Trains a model of keyphrases on articles with the keyphrases that people gave them.

The first stage is a logistic regression on all candidates, the second one boosted trees on the best of them. What one
stage or the prior shows to the next one about an article was learnt from other articles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bioc import BioCDocument

from corpora.errors import Argument, ConfigurationError
from corpora.extras import require
from corpora.model.metadata import join_key, keyword_list
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from indexing.learning.crossfit import Examples, Positions, best_threshold, cross_fitted, folds
from indexing.learning.forest import Forest, ForestOptions, fit_forest
from indexing.learning.linear import Columns, Flags, Linear, fit_linear, matrix_of, sigmoid
from nlmchem.companions.keyphrases.candidates import (
    Candidates,
    Keys,
    candidates_of,
    stemmed_keys,
    word_hash,
    words_of,
)
from nlmchem.companions.keyphrases.features import FEATURES, SECOND, best, columns
from nlmchem.companions.keyphrases.frequencies import NO_PRIOR, Frequencies, KeyphrasePrior, Seen, learn_prior
from nlmchem.companions.keyphrases.model import KeyphraseModel, second_columns


@dataclass(frozen=True, slots=True)
class LabelledArticle:
    """The candidates of an article, and its keyphrases. Articles with the same `key` are always in the same fold."""

    key: str
    found: Candidates
    gold: Keys

    @property
    def labels(self) -> list[bool]:
        """Whether each candidate is a variant of a keyphrase."""
        wanted = {variant for variants in self.gold for variant in variants}
        return [self.found.stem(number) in wanted for number in range(len(self.found))]


def label_one(document: BioCDocument, keys: Iterable[Sequence[str]]) -> LabelledArticle:
    """An article with keyphrases, each given by its variants as they are written."""
    return LabelledArticle(join_key(document), candidates_of(words_of(document)), stemmed_keys(keys))


def label(documents: Iterable[BioCDocument], report: Report = log) -> list[LabelledArticle]:
    """Articles with the keywords of their authors, in the order of their keys. Articles without are counted."""
    given = ((document, [(keyword,) for keyword in keyword_list(document)]) for document in documents)
    return _labelled(given, "without separate keywords of the authors", report)


def label_with(
    documents: Iterable[BioCDocument], keys: Mapping[str, Sequence[Sequence[str]]], report: Report = log
) -> list[LabelledArticle]:
    """Articles with keyphrases from elsewhere, joined by document id or PMCID; the others are counted."""
    given = ((document, keys.get(str(document.id)) or keys.get(join_key(document))) for document in documents)
    return _labelled(given, "without keyphrases in the file", report)


def _labelled(
    given: Iterable[tuple[BioCDocument, Sequence[Sequence[str]] | None]], without: str, report: Report
) -> list[LabelledArticle]:
    labelled, left_out = [], 0
    for document, keys in given:
        if keys:
            labelled.append(label_one(document, keys))
        else:
            left_out += 1
    if left_out:
        report(f"left out: {quantity(left_out, 'article')} {without}")
    return sorted(labelled, key=lambda article: article.key)


LEAST_ARTICLES = 10
PENALTY = 10.0
"""Of the weights of the regression."""
NEGATIVES = 150
"""Candidates that are not keyphrases, taken from each article for the regression."""
RATE, LEAVES = 0.05, 15
"""Of the trees."""


@dataclass(frozen=True, slots=True)
class KeyphraseTraining:
    trees: int = 120
    folds: int = 5
    """The folds, by article, in which the second stage receives the scores of the first and the threshold is chosen."""
    tune: bool = True
    """Whether to choose a threshold; without it the threshold is 0."""
    seed: int = 0
    """Decides which article is in which fold."""


@dataclass(slots=True)
class Prepared:
    """An article with everything that is computed once. The features of the prior are filled in by the training."""

    article: LabelledArticle
    labels: Flags
    values: Columns
    seen: Seen


def train(
    articles: Sequence[LabelledArticle],
    table: Frequencies,
    options: KeyphraseTraining | None = None,
    card: Mapping[str, Any] | None = None,
    report: Report = log,
) -> KeyphraseModel:
    """Train on labelled articles. Raises `ConfigurationError` for too few articles."""
    require("sklearn", extra="train", purpose="training a model of keyphrases")
    options = options or KeyphraseTraining()
    return train_prepared(prepare(articles, table), table, options, card, report)


def train_prepared(
    ready: Sequence[Prepared],
    table: Frequencies,
    options: KeyphraseTraining,
    card: Mapping[str, Any] | None = None,
    report: Report = log,
) -> KeyphraseModel:
    """Train on prepared articles. It writes the features of the prior into them."""
    articles = [item.article for item in ready]
    parts = folds([article.key for article in articles], options.folds, options.seed)
    # The features of the prior are learnt from the articles of other folds.
    names = [name for name in FEATURES if name.startswith("prior")]

    def of_prior(prior: KeyphrasePrior, held: Positions) -> Iterator[Columns]:
        for at in held:
            yield columns(ready[at].article.found, table, prior, names)

    priors = cross_fitted(parts, lambda rest: learn_prior(ready[at].seen for at in rest), of_prior)
    for item, values in zip(ready, priors, strict=True):
        item.values = {**item.values, **values}
    log_odds = cross_fitted(
        parts,
        lambda rest: _first([ready[at] for at in rest], options),
        lambda first, held: (first.log_odds(matrix_of(ready[at].values, FEATURES)) for at in held),
    )
    second = []
    for at, (item, odds) in enumerate(zip(ready, log_odds, strict=True)):
        order = best(odds)
        related = second_columns(item.article.found, item.values, order, odds)
        second.append(Examples.of(matrix_of(related, (*item.values, *SECOND)), item.labels[order], at))
    threshold = 0.0
    if options.tune:
        # That with the best micro F on held-out articles.
        scores = cross_fitted(
            parts,
            lambda rest: _trees([second[at] for at in rest], options),
            lambda trees, held: (sigmoid(trees.log_odds(second[at].values)) for at in held),
        )
        gold = sum(len(article.gold) for article in articles)
        labels = np.concatenate([item.labels for item in second])
        threshold, expected = best_threshold(np.concatenate(scores), labels, gold)
        report(f"threshold {threshold:.4f}, F {expected:.4f} on held-out articles")
    facts = {
        **(card or {}),
        "articles": len({article.key for article in articles}),
        "keyphrases": sum(len(article.gold) for article in articles),
        "candidates": sum(len(item.labels) for item in ready),
        "candidates_chosen": int(sum(item.labels.sum() for item in ready)),
        "folds": options.folds,
        "seed": options.seed,
        "trees": options.trees,
    }
    return KeyphraseModel(
        _first(ready, options),
        _trees(second, options),
        learn_prior(item.seen for item in ready),
        threshold,
        table,
        card=facts,
    )


def prepare(articles: Sequence[LabelledArticle], table: Frequencies) -> list[Prepared]:
    """Labels and features of articles. Raises `ConfigurationError` for too few articles."""
    keys = {article.key for article in articles}
    if len(keys) < LEAST_ARTICLES:
        raise ConfigurationError(
            f"{quantity(len(keys), 'article')} with keyphrases, but training needs {LEAST_ARTICLES}; give JATS "
            "articles with keyword lists, or ",
            Argument("keys"),
            " with the keyphrases of the articles",
        )
    ready = []
    for article in articles:
        labels = np.array(article.labels, dtype=np.bool_)
        values = columns(article.found, table, NO_PRIOR, FEATURES)
        ready.append(Prepared(article, labels, values, seen(article, labels)))
    if not any(item.labels.any() for item in ready):
        raise ConfigurationError(
            "no keyphrase occurs in its article; check that articles and keyphrases belong together"
        )
    return ready


def seen(article: LabelledArticle, labels: Flags) -> Seen:
    """What the prior learns from an article."""
    candidates = article.found
    tokens, inside = candidates.tokens()
    hashes = candidates.words.hashes[candidates.words.stems[tokens]]
    last = hashes[np.arange(len(candidates)), candidates.lengths - 1]
    keys = [variants[0].split() for variants in article.gold]
    return (
        {
            "phrases": frozenset(candidates.hashes.tolist()),
            "words": frozenset(hashes[inside].tolist()),
            "first": frozenset(hashes[:, 0].tolist()),
            "last": frozenset(last.tolist()),
        },
        {
            "phrases": frozenset(candidates.hashes[labels].tolist()),
            "words": frozenset(word_hash(word) for key in keys for word in key),
            "first": frozenset(word_hash(key[0]) for key in keys),
            "last": frozenset(word_hash(key[-1]) for key in keys),
        },
    )


def _first(ready: Sequence[Prepared], options: KeyphraseTraining) -> Linear:
    random = np.random.default_rng(options.seed)
    values, labels = [], []
    for item in ready:
        wrong = np.flatnonzero(~item.labels)
        drawn = random.choice(wrong, min(NEGATIVES, len(wrong)), replace=False)
        rows = np.concatenate([np.flatnonzero(item.labels), np.sort(drawn)])
        values.append(matrix_of(item.values, FEATURES)[rows])
        labels.append(item.labels[rows])
    if not np.concatenate(labels).any():
        raise ConfigurationError("in some folds no keyphrase occurs in its article; give more articles")
    return fit_linear(np.concatenate(values), np.concatenate(labels), FEATURES, PENALTY)


def _trees(second: Sequence[Examples], options: KeyphraseTraining) -> Forest:
    examples = Examples.joined(second)
    trees = ForestOptions(options.trees, RATE, LEAVES)
    return fit_forest(examples.values, examples.labels, (*FEATURES, *SECOND), trees, options.seed)
