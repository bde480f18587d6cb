"""Trains the logistic indexer, with boosted trees beside the regression, on annotated articles and their index terms.

The articles are annotated by the program, with its errors, because the model is used on such articles (Leaman et al.
2023). The regularisation is chosen by the log-loss of held-out articles, the threshold by the F that their scores let
expect. The prior of an article is learned from others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from corpora.extras import require
from corpora.model.document import index_terms
from corpora.model.metadata import join_key
from corpora.reporting import Report, log
from indexing.learning.fitting import ForestOptions, fit_forest, fit_linear, standards
from indexing.learning.forest import Forest
from indexing.learning.linear import Flags, Floats, Linear, sigmoid
from indexing.learning.validation import best_threshold, expected_threshold, f_at, folds
from indexing.terms.background import Background, count
from indexing.terms.candidates import PLACES, ArticleCandidates, candidates_of
from indexing.terms.features import FEATURES as EVERY
from indexing.terms.features import matrix
from indexing.terms.headings import extended, records_of
from indexing.terms.indexer import NO_CONCEPTS, Concepts
from indexing.terms.logistic import LogisticModel
from indexing.terms.prior import Prior, learn
from indexing.terms.tfidf import tfidf

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
    """The candidates of an article, and its index terms. Articles with the same `key` are always in the same fold.

    `concepts`: the lexicon that the article was annotated with; None for the lexicon of the training.
    """

    key: str
    found: ArticleCandidates
    gold: frozenset[str]
    concepts: Concepts | None = None

    @property
    def labels(self) -> list[bool]:
        return [candidate.identifier in self.gold for candidate in self.found.candidates]


@dataclass(frozen=True, slots=True)
class IndexerTraining:
    """Options of the training.

    `regularisation`: the values of C to choose from; the penalty of the weights is 1 / C. `folds`: the folds, by
    article, in which C and the threshold are chosen. `prior_folds`: those for the prior. `seed`: decides which article
    is in which fold. `trees`: options of the boosted trees; None for a regression alone. `share`: the part of the trees
    in the log-odds, in 0..1. `headings`: whether a chosen supplementary record brings the headings that it maps to.
    """

    features: tuple[str, ...] = FEATURES
    regularisation: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1)
    folds: int = 5
    prior_folds: int = 10
    seed: int = 0
    trees: ForestOptions | None = field(default_factory=lambda: ForestOptions(least=20))
    share: float = 0.5
    headings: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """Candidates of all articles: their features (candidates, features), labels, and the number of their group."""

    values: Floats
    labels: Flags
    groups: NDArray[np.int64]

    def where(self, mask: Flags) -> Table:
        return Table(self.values[mask], self.labels[mask], self.groups[mask])


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
    found = []
    for document in annotated:
        key = join_key(document)
        if key in terms:
            found.append(IndexedArticle(key, candidates_of(document, concepts), terms[key], concepts))
        else:
            report(f"document {document.id!r} has no gold index terms; it is left out")
    return _checked(sorted(found, key=lambda article: article.key))


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
    if options.trees:
        require("sklearn", extra="train", purpose="training an indexer")
    articles = _checked(articles)
    background = background or background_of(articles)
    table = cross_fitted(articles, concepts, background, options)
    total = sum(len(article.gold) for article in articles)
    strength, scores = choose(table, options)
    if options.trees:
        scores = blended(scores, held_out_trees(table, options), options.share)
    labels = table.labels
    if options.headings:
        # The order of the table.
        in_order = sorted(articles, key=lambda article: article.key)
        scores, labels = extended(
            [(a.found, a.gold, records_of(a.found, a.concepts or concepts)) for a in in_order], scores
        )
    threshold = expected_threshold(scores, total - int(labels.sum()))
    found = f_at(threshold, scores, labels, total)
    report(f"C {strength:g}, threshold {threshold:.4f}, F {found:.4f} on held-out articles")
    linear = fitted(table, options.features, strength)
    return LogisticModel(
        linear,
        threshold,
        tune_tfidf(articles, background),
        prior_of(articles, concepts),
        background,
        {
            **(card or {}),
            "articles": len({article.key for article in articles}),
            "index_terms": total,
            "candidates": len(table.labels),
            "candidates_chosen": int(table.labels.sum()),
            "C": strength,
            "folds": options.folds,
            "seed": options.seed,
            **({"trees": asdict(options.trees)} if options.trees else {}),
        },
        _trees(table, linear, options, options.trees) if options.trees else None,
        options.share if options.trees else 0.0,
        options.headings,
    )


def cross_fitted(
    articles: Sequence[IndexedArticle], concepts: Concepts, background: Background, options: IndexerTraining
) -> Table:
    """The features of all candidates; priors are learned from the articles of the other folds."""
    articles = sorted(articles, key=lambda article: article.key)
    keys = [article.key for article in articles]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    parts: dict[int, Table] = {}
    for held in folds(keys, options.prior_folds, options.seed + 1):
        prior = prior_of([articles[at] for at in np.flatnonzero(~held).tolist()], concepts)
        for at in np.flatnonzero(held).tolist():
            parts[at] = table_of(articles[at], options.features, prior, background, concepts, numbers[keys[at]])
    return joined([parts[at] for at in range(len(articles))])


def table_of(
    article: IndexedArticle,
    features: Sequence[str],
    prior: Prior,
    background: Background,
    concepts: Concepts,
    group: int = 0,
) -> Table:
    """The features of one article's candidates. Raises `ConfigurationError` for a feature that does not exist."""
    try:
        values = matrix(article.found, features, prior, background, article.concepts or concepts)
    except KeyError as error:
        raise ConfigurationError(f"there is no feature {error.args[0]!r}; choose from {', '.join(EVERY)}") from error
    labels = np.array(article.labels, dtype=bool)
    return Table(values, labels, np.full(len(labels), group, dtype=np.int64))


def joined(tables: Sequence[Table]) -> Table:
    """Several tables as one, in their order."""
    return Table(
        np.concatenate([table.values for table in tables]),
        np.concatenate([table.labels for table in tables]),
        np.concatenate([table.groups for table in tables]),
    )


def choose(table: Table, options: IndexerTraining) -> tuple[float, Floats]:
    """The regularisation with the least log-loss on held-out articles, and the scores of these."""
    best: tuple[float, float, Floats] | None = None
    for strength in sorted(options.regularisation):
        scores = held_out(table, strength, options)
        loss = _log_loss(scores, table.labels)
        # Of equal losses the strongest regularisation wins.
        if best is None or loss < best[0] - 1e-9:
            best = (loss, strength, scores)
    if best is None:
        raise ConfigurationError("there is no value of C to choose from; give at least one")
    return best[1], best[2]


def held_out(table: Table, strength: float, options: IndexerTraining) -> Floats:
    """The score of each candidate, by a regression on the articles of the other folds."""
    scores = np.zeros(len(table.labels))
    for held in folds(table.groups.tolist(), options.folds, options.seed + 2):
        linear = fitted(table.where(~held), options.features, strength)
        scores[held] = linear.probabilities(table.values[held])
    return scores


def held_out_trees(table: Table, options: IndexerTraining) -> Floats:
    """The same by trees."""
    scores = np.zeros(len(table.labels))
    for held in folds(table.groups.tolist(), options.folds, options.seed + 2):
        scores[held] = tree_scores(table.where(~held), options)(table.values[held])
    return scores


def tree_scores(table: Table, options: IndexerTraining) -> Callable[[Floats], Floats]:
    """A function that scores candidates by trees that are trained on a table."""
    start = standards(table.values, options.features)
    trees = _trees(table, start, options, options.trees or ForestOptions())
    return lambda values: sigmoid(trees.log_odds(start.known(values)))


def _trees(table: Table, start: Linear, options: IndexerTraining, trees: ForestOptions) -> Forest:
    """Trees on all candidates of a table, with the means of `start` in place of unknown values."""
    return fit_forest(start.known(table.values), table.labels, options.features, trees, options.seed)


def blended(one: Floats, other: Floats, share: float) -> Floats:
    """The scores whose log-odds are (1 - share) * those of `one` + share * those of `other`."""
    return sigmoid((1 - share) * _log_odds(one) + share * _log_odds(other))


def _log_odds(scores: Floats) -> Floats:
    clipped = np.clip(scores, 1e-9, 1 - 1e-9)
    found: Floats = np.log(clipped / (1 - clipped))
    return found


def fitted(table: Table, features: Sequence[str], strength: float) -> Linear:
    """A regression on all candidates of a table. `strength`: C of the options."""
    if table.labels.all() or not table.labels.any():
        raise ConfigurationError("in some folds no article mentions one of its index terms; give more articles")
    return fit_linear(table.values, table.labels, features, 1 / strength)


def tune_tfidf(articles: Sequence[IndexedArticle], background: Background) -> float:
    """The threshold of TF-IDF with the best F on these articles."""
    scores = [tfidf(candidate, a.found, background) for a in articles for candidate in a.found.candidates]
    labels = [label for article in articles for label in article.labels]
    total = sum(len(article.gold) for article in articles)
    return best_threshold(np.array(scores), np.array(labels, dtype=bool), total)[0]


def prior_of(articles: Iterable[IndexedArticle], concepts: Concepts) -> Prior:
    """The prior learned from articles."""
    return learn((([c.identifier for c in article.found.candidates], article.gold) for article in articles), concepts)


def background_of(articles: Iterable[IndexedArticle]) -> Background:
    """The counts of concepts in articles."""
    background = Background()
    for article in articles:
        count(background, article.found)
    return background


def _checked(articles: Sequence[IndexedArticle]) -> list[IndexedArticle]:
    keys = {article.key for article in articles}
    if len(keys) < LEAST_ARTICLES:
        raise ConfigurationError(
            f"{len(keys)} annotated articles have gold index terms, but training needs {LEAST_ARTICLES}; "
            "check that articles and gold have the same PMCID or PMID"
        )
    if not any(label for article in articles for label in article.labels):
        raise ConfigurationError(
            "no article mentions one of its index terms; annotate the articles with the step normalize"
        )
    return list(articles)


def _log_loss(scores: Floats, labels: Flags) -> float:
    clipped = np.clip(scores, 1e-9, 1 - 1e-9)
    return float(-np.mean(np.where(labels, np.log(clipped), np.log(1 - clipped))))
