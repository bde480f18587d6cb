"""Trains the logistic indexer, with boosted trees beside the regression, on annotated articles and their index terms.

The articles are annotated by the program, with its errors, because the model is used on such articles (Leaman et al.
2023). The regularisation is chosen by the log-loss of held-out articles, the threshold by the F that their scores let
expect. The prior of an article is learned from others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.extras import require
from corpora.model.document import index_terms
from corpora.model.metadata import join_key
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from indexing.learning.crossfit import (
    Examples,
    Positions,
    best_threshold,
    check_features,
    cross_fitted,
    expected_threshold,
    f_at,
    folds,
    held_out_scores,
)
from indexing.learning.forest import Forest, ForestOptions, fit_forest
from indexing.learning.linear import Flags, Floats, Linear, fit_linear, sigmoid, standards
from indexing.terms.baselines import tfidf
from indexing.terms.candidates import PLACES, ArticleCandidates, candidates_of
from indexing.terms.features import FEATURES as EVERY
from indexing.terms.features import matrix
from indexing.terms.indexer import NO_CONCEPTS, Concepts
from indexing.terms.logistic import LogisticModel, Records, records_of
from indexing.terms.statistics import Background, Prior, learn

FEATURES: tuple[str, ...] = (
    *(f"log:{place}" for place in PLACES), "prior", "has:title", "of-most", "log-rank", "log", "share",
    "rarity", "prominence", "titularity", "keyword", "defined",
    *(name for name in EVERY if name.startswith("article:")),
    "first", "spread", "log-passages", "sections", "log-surfaces",
    "record", "depth", "narrower-present", "broader-present",
)  # fmt: skip
"""The features of the embedded model; docs/measurements/indexing.md has the comparison that chose them."""

LEAST_ARTICLES = 10


@dataclass(frozen=True, slots=True)
class IndexedArticle:
    """The candidates of an article, and its index terms. Articles with the same `key` are always in the same fold."""

    key: str
    found: ArticleCandidates
    gold: frozenset[str]
    concepts: Concepts | None = None
    """The lexicon that the article was annotated with; None for the lexicon of the training."""

    @property
    def labels(self) -> list[bool]:
        return [candidate.identifier in self.gold for candidate in self.found.candidates]


@dataclass(frozen=True, slots=True)
class IndexerTraining:
    features: tuple[str, ...] = FEATURES
    regularisation: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1)
    """The values of C to choose from; the penalty of the weights is 1 / C."""
    folds: int = 5
    """Folds by article, in which C and the threshold are chosen."""
    prior_folds: int = 10
    seed: int = 0
    """Decides which article is in which fold."""
    trees: ForestOptions = field(default_factory=lambda: ForestOptions(least=20))
    share: float = 0.5
    """The part of the trees in the log-odds, in 0..1."""
    headings: bool = True
    """Whether a chosen supplementary record brings the headings that it maps to."""


def label(
    annotated: Iterable[BioCDocument],
    gold: Iterable[BioCDocument],
    concepts: Concepts = NO_CONCEPTS,
    report: Report = log,
) -> list[IndexedArticle]:
    """Annotated articles with the index terms of their gold, joined by PMCID, else PMID; sorted by that.

    An article without gold is left out and reported, because a missing line does not mean that it has no terms. Raises
    `ConfigurationError` if fewer than 10 articles are left, or if none mentions one of its index terms.
    """
    terms = {join_key(document): frozenset(term.identifier for term in index_terms(document)) for document in gold}
    labelled = []
    for document in annotated:
        key = join_key(document)
        if key in terms:
            labelled.append(IndexedArticle(key, candidates_of(document, concepts), terms[key], concepts))
        else:
            report(f"document {document.id!r} has no gold index terms; it is left out")
    _check(labelled)
    return sorted(labelled, key=lambda article: article.key)


def train(
    articles: Sequence[IndexedArticle],
    concepts: Concepts = NO_CONCEPTS,
    options: IndexerTraining | None = None,
    background: Background | None = None,
    card: Mapping[str, Any] | None = None,
    report: Callable[[str], None] = log,
) -> LogisticModel:
    """Train on labelled articles. `indexing.terms.logistic.write_model` writes the model.

    `background`: counts in unlabelled articles; None to count the labelled ones. `card` is copied into the model, with
    the options and figures of the training. Raises `ConfigurationError` for too few articles and for an unknown
    feature.
    """
    options = options or IndexerTraining()
    require("sklearn", extra="train", purpose="training an indexer")
    check_features(options.features, EVERY)
    _check(articles)
    # In the order of the examples.
    articles = sorted(articles, key=lambda article: article.key)
    if background is None:
        background = Background()
        for article in articles:
            background.add(article.found)
    examples = examples_of(articles, concepts, background, options)
    total = sum(len(article.gold) for article in articles)
    strength, scores = choose(examples, options)
    scores = blended(scores, held_out_trees(examples, options), options.share)
    labels = examples.labels
    if options.headings:
        records = [(a.found, a.gold, records_of(a.found, a.concepts or concepts)) for a in articles]
        scores, labels = extended(records, scores)
    threshold = expected_threshold(scores, total - int(labels.sum()))
    f = f_at(threshold, scores, labels, total)
    report(f"C {strength:g}, threshold {threshold:.4f}, F {f:.4f} on held-out articles")
    linear = fitted(examples, options.features, strength)
    by_tfidf = np.array([tfidf(candidate, a.found, background) for a in articles for candidate in a.found.candidates])
    return LogisticModel(
        linear,
        threshold,
        best_threshold(by_tfidf, examples.labels, total)[0],
        prior_of(articles, concepts),
        background,
        {
            **(card or {}),
            "articles": len({article.key for article in articles}),
            "index_terms": total,
            "candidates": len(examples.labels),
            "candidates_chosen": int(examples.labels.sum()),
            "C": strength,
            "folds": options.folds,
            "seed": options.seed,
            "trees": asdict(options.trees),
        },
        _trees(examples, linear, options),
        options.share,
        options.headings,
    )


def _check(articles: Sequence[IndexedArticle]) -> None:
    keys = {article.key for article in articles}
    if len(keys) < LEAST_ARTICLES:
        raise ConfigurationError(
            f"{quantity(len(keys), 'annotated article')} with gold index terms, but training needs {LEAST_ARTICLES}; "
            "check that articles and gold have the same PMCID or PMID"
        )
    if not any(label for article in articles for label in article.labels):
        raise ConfigurationError(
            "no article mentions one of its index terms; annotate the articles with the step normalize"
        )


def prior_of(articles: Iterable[IndexedArticle], concepts: Concepts) -> Prior:
    return learn((([c.identifier for c in article.found.candidates], article.gold) for article in articles), concepts)


def examples_of(
    articles: Sequence[IndexedArticle], concepts: Concepts, background: Background, options: IndexerTraining
) -> Examples:
    """The features of all candidates; priors are learned from the articles of the other folds."""
    articles = sorted(articles, key=lambda article: article.key)
    keys = [article.key for article in articles]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}

    def prior(rest: Positions) -> Prior:
        return prior_of([articles[at] for at in rest], concepts)

    def examples(prior: Prior, held: Positions) -> Iterator[Examples]:
        for article in (articles[at] for at in held):
            values = matrix(article.found, options.features, prior, background, article.concepts or concepts)
            yield Examples.of(values, article.labels, numbers[article.key])

    return Examples.joined(cross_fitted(folds(keys, options.prior_folds, options.seed + 1), prior, examples))


# -- scores of held-out articles ----------------------------------------------------------------


def choose(examples: Examples, options: IndexerTraining) -> tuple[float, Floats]:
    """The regularisation with the least log-loss on held-out articles, and the scores of these."""
    parts = examples.folds(options.folds, options.seed + 2)
    best: tuple[float, float, Floats] | None = None
    for strength in sorted(options.regularisation):

        def fit(rest: Examples, strength: float = strength) -> Callable[[Floats], Floats]:
            return fitted(rest, options.features, strength).probabilities

        scores = held_out_scores(examples, parts, fit)
        clipped = _clipped(scores)
        loss = float(-np.mean(np.where(examples.labels, np.log(clipped), np.log(1 - clipped))))
        # Of equal losses the strongest regularisation wins.
        if best is None or loss < best[0] - 1e-9:
            best = (loss, strength, scores)
    if best is None:
        raise ConfigurationError("there is no value of C to choose from; give at least one")
    return best[1], best[2]


def fitted(examples: Examples, features: Sequence[str], strength: float) -> Linear:
    """A regression on all candidates of the examples. `strength`: C of the options."""
    if examples.labels.all() or not examples.labels.any():
        raise ConfigurationError("in some folds no article mentions one of its index terms; give more articles")
    return fit_linear(examples.values, examples.labels, features, 1 / strength)


def held_out_trees(examples: Examples, options: IndexerTraining) -> Floats:
    """The score of each candidate, by trees on the articles of the other folds."""
    parts = examples.folds(options.folds, options.seed + 2)
    return held_out_scores(examples, parts, lambda rest: tree_scores(rest, options))


def tree_scores(examples: Examples, options: IndexerTraining) -> Callable[[Floats], Floats]:
    """A function that scores candidates by trees that are trained on the examples."""
    start = standards(examples.values, options.features)
    trees = _trees(examples, start, options)
    return lambda values: sigmoid(trees.log_odds(start.known(values)))


def _trees(examples: Examples, start: Linear, options: IndexerTraining) -> Forest:
    """Trees on all candidates of the examples, with the means of `start` in place of unknown values."""
    return fit_forest(start.known(examples.values), examples.labels, options.features, options.trees, options.seed)


def blended(linear: Floats, trees: Floats, share: float) -> Floats:
    """The scores whose log-odds are (1 - share) * those of `linear` + share * those of `trees`."""
    return sigmoid((1 - share) * _log_odds(linear) + share * _log_odds(trees))


def _log_odds(scores: Floats) -> Floats:
    clipped = _clipped(scores)
    log_odds: Floats = np.log(clipped / (1 - clipped))
    return log_odds


def _clipped(scores: Floats) -> Floats:
    return np.clip(scores, 1e-9, 1 - 1e-9)


# -- headings of records ------------------------------------------------------------------------


def with_headings(article: ArticleCandidates, scores: Sequence[float] | Floats, records: Records) -> dict[str, float]:
    """The score of each candidate, then those of headings that no mention names.

    The score of a heading is the greatest of its own and those of its records: a chosen record brings its headings.
    """
    scored = {candidate.identifier: float(score) for candidate, score in zip(article.candidates, scores, strict=True)}
    for heading, numbers in records.items():
        scored[heading] = max(scored.get(heading, 0.0), *(float(scores[number]) for number in numbers))
    return scored


def extended(
    articles: Iterable[tuple[ArticleCandidates, frozenset[str], Records]], scores: Floats
) -> tuple[Floats, Flags]:
    """Scores and labels of the candidates of several articles and of the headings of their records.

    `articles`: candidates, index terms and records of each. `scores`: one for each candidate, article by article.
    """
    values: list[float] = []
    labels: list[bool] = []
    begin = 0
    for article, gold, records in articles:
        end = begin + len(article.candidates)
        scored = with_headings(article, scores[begin:end], records)
        values += scored.values()
        labels += [identifier in gold for identifier in scored]
        begin = end
    return np.array(values), np.array(labels, dtype=bool)
