"""Trains the section-count logistic regression on the output of identification and the index terms of people.

What is learnt from is what the program itself finds, faults and all, not mentions that people marked: the model is to
be used on that (Leaman et al. 2023). Whatever is chosen (regularisation, threshold) is chosen on articles that were
not fitted; the prior of an article's concepts is never learnt from the article itself.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from corpora.extras import require
from corpora.model.document import index_terms, join_key
from corpora.reporting import Report, log
from indexing.background import Background, count
from indexing.candidates import PLACES, Survey, survey
from indexing.features import FEATURES as EVERY
from indexing.features import Floats, matrix
from indexing.indexer import NO_CONCEPTS, Concepts
from indexing.logistic import LogisticModel
from indexing.prior import Prior, learn
from indexing.tfidf import tfidf

__all__ = [
    "FEATURES", "LabelledArticle", "Table", "TrainingOptions", "background_of", "best_threshold", "choose",
    "cross_fitted", "fitted", "folds", "joined", "label", "prior_of", "shuffled", "table_of", "train", "tune_tfidf",
]  # fmt: skip

FEATURES: tuple[str, ...] = (
    *(f"log:{place}" for place in PLACES), "prior", "has:title", "of-most", "log-rank", "log", "share",
    "rarity", "prominence", "titularity", "keyword", "defined",
    *(name for name in EVERY if name.startswith("article:")),
    "first", "spread", "log-passages", "sections", "log-surfaces",
    "record", "depth", "narrower-present", "broader-present",
)  # fmt: skip
"""What the embedded model looks at; docs/indexing.md tells how these were chosen."""

LEAST_ARTICLES = 10

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LabelledArticle:
    """What is known of an article, and what it is indexed with. Articles of one `key` are kept together.

    `concepts`: the lexicon that the article was annotated with; None: that of the training.
    """

    key: str
    survey: Survey
    gold: frozenset[str]
    concepts: Concepts | None = None

    @property
    def labels(self) -> list[bool]:
        return [candidate.identifier in self.gold for candidate in self.survey.candidates]


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """`regularisation`: the values of scikit-learn's C to choose from, small is strong. `folds`, by article, of the
    choice of C and threshold; `prior_folds` of the prior. `seed` decides which article is in which fold."""

    features: tuple[str, ...] = FEATURES
    regularisation: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1)
    folds: int = 5
    prior_folds: int = 10
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Candidates of all articles: their features (candidates, features), labels, and the number of their group."""

    values: Floats
    labels: Flags
    groups: NDArray[np.int64]

    def where(self, mask: Flags) -> Table:
        return Table(self.values[mask], self.labels[mask], self.groups[mask])


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted regression on standardised values."""

    means: Floats
    scales: Floats
    weights: Floats
    intercept: float

    def scores(self, values: Floats) -> Floats:
        result: Floats = 0.5 * (1 + np.tanh(0.5 * (self.standard(values) @ self.weights + self.intercept)))
        return result

    def standard(self, values: Floats) -> Floats:
        """Values with the mean 0 and the deviation 1; what is not known is 0."""
        standard: Floats = np.nan_to_num((values - self.means) / self.scales, nan=0.0)
        return standard


def label(
    annotated: Iterable[BioCDocument],
    gold: Iterable[BioCDocument],
    concepts: Concepts = NO_CONCEPTS,
    report: Report = log,
) -> list[LabelledArticle]:
    """Annotated articles with the index terms of their gold, joined by PMCID, else PMID; sorted by that.

    An article without gold is left out, and told: no line is not no term. Raises `ConfigurationError` where fewer than
    10 articles are left, or none has an index term that it names.
    """
    terms = {join_key(document): frozenset(term.identifier for term in index_terms(document)) for document in gold}
    found = []
    for document in annotated:
        key = join_key(document)
        if key in terms:
            found.append(LabelledArticle(key, survey(document, concepts), terms[key], concepts))
        else:
            report(f"document {document.id!r} has no gold and was left out")
    return _checked(sorted(found, key=lambda article: article.key))


def train(
    articles: Sequence[LabelledArticle],
    concepts: Concepts = NO_CONCEPTS,
    options: TrainingOptions | None = None,
    background: Background | None = None,
    provenance: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = log,
) -> LogisticModel:
    """Train on labelled articles; `indexing.models.write(path, indexing.logistic.plain_model(model))` keeps the model.

    `background`: counts in unlabelled articles, None for those of the labelled ones. `provenance` goes into the model
    as it is, with the options and figures of the training. Raises `ConfigurationError` for too few articles, or a
    feature that does not exist.
    """
    options = options or TrainingOptions()
    articles = _checked(articles)
    background = background or background_of(articles)
    table = cross_fitted(articles, concepts, background, options)
    total = sum(len(article.gold) for article in articles)
    strength, scores = choose(table, options)
    threshold, expected = best_threshold(scores, table.labels, total)
    say(f"C {strength:g}, threshold {threshold:.4f}, F {expected:.4f} on articles that were not fitted")
    fit = fitted(table, strength)
    return LogisticModel(
        options.features,
        tuple(fit.means.tolist()),
        tuple(fit.scales.tolist()),
        tuple(fit.weights.tolist()),
        fit.intercept,
        threshold,
        tune_tfidf(articles, background),
        prior_of(articles, concepts),
        background,
        {
            **(provenance or {}),
            "articles": len({article.key for article in articles}),
            "index_terms": total,
            "candidates": len(table.labels),
            "candidates_chosen": int(table.labels.sum()),
            "C": strength,
            "folds": options.folds,
            "seed": options.seed,
        },
    )


def cross_fitted(
    articles: Sequence[LabelledArticle], concepts: Concepts, background: Background, options: TrainingOptions
) -> Table:
    """The features of all candidates; priors are learnt from the articles of the other folds."""
    numbers = {key: number for number, key in enumerate(sorted({article.key for article in articles}))}
    parts: dict[str, list[Table]] = {}
    for held in folds(list(numbers), options.prior_folds, options.seed + 1):
        prior = prior_of([article for article in articles if article.key not in held], concepts)
        for article in articles:
            if article.key in held:
                part = table_of(article, options.features, prior, background, concepts, numbers[article.key])
                parts.setdefault(article.key, []).append(part)
    return joined([part for key in numbers for part in parts[key]])


def table_of(
    article: LabelledArticle,
    features: Sequence[str],
    prior: Prior,
    background: Background,
    concepts: Concepts,
    group: int = 0,
) -> Table:
    """The features of one article's candidates. Raises `ConfigurationError` for a feature that does not exist."""
    try:
        values = matrix(article.survey, features, prior, background, article.concepts or concepts)
    except KeyError as error:
        raise ConfigurationError(f"there is no feature {error.args[0]!r}; indexing/features.py has them all") from error
    labels = np.array(article.labels, dtype=bool)
    return Table(values, labels, np.full(len(labels), group, dtype=np.int64))


def joined(tables: Sequence[Table]) -> Table:
    """One table of several, in their order."""
    return Table(
        np.concatenate([table.values for table in tables]),
        np.concatenate([table.labels for table in tables]),
        np.concatenate([table.groups for table in tables]),
    )


def choose(table: Table, options: TrainingOptions) -> tuple[float, Floats]:
    """The regularisation with the least log-loss on articles that were not fitted, and the scores that they got."""
    best: tuple[float, float, Floats] | None = None
    for strength in sorted(options.regularisation):
        scores = held_out(table, strength, options)
        loss = _log_loss(scores, table.labels)
        # Of equals the strongest.
        if best is None or loss < best[0] - 1e-9:
            best = (loss, strength, scores)
    if best is None:
        raise ConfigurationError("no regularisation to choose from; name at least one")
    return best[1], best[2]


def held_out(table: Table, strength: float, options: TrainingOptions) -> Floats:
    """The score that each candidate gets from a regression on the other folds' articles."""
    scores = np.zeros(len(table.labels))
    keys = [str(group) for group in np.unique(table.groups)]
    for held in folds(keys, options.folds, options.seed + 2):
        mask = np.isin(table.groups, [int(key) for key in held])
        scores[mask] = fitted(table.where(~mask), strength).scores(table.values[mask])
    return scores


def fitted(table: Table, strength: float) -> Fit:
    """A regression on all candidates of a table."""
    require("sklearn", extra="train", purpose="training an indexer")
    from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    if table.labels.all() or not table.labels.any():
        raise ConfigurationError(
            "the articles of some folds name no concept that they are indexed with; give more articles"
        )
    known = np.where(np.isnan(table.values).all(axis=0), 0.0, table.values)
    means, scales = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    # A value that is the same everywhere tells nothing: any scale will do.
    fit = Fit(means, np.where(scales < 1e-6, 1.0, scales), np.zeros(len(means)), 0.0)
    regression = LogisticRegression(C=strength, max_iter=2000)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        regression.fit(fit.standard(table.values), table.labels)
    return replace(fit, weights=regression.coef_[0], intercept=float(regression.intercept_[0]))


def best_threshold(scores: Floats, labels: Flags, total: int) -> tuple[float, float]:
    """The threshold with the best F, and that F. `total`: index terms to find, those that are no candidate included.

    The threshold lies half-way between the last score that is chosen and the next one.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    right = np.cumsum(labels[order])
    f = 2 * right / (np.arange(1, len(order) + 1) + total)
    # Where scores are equal all of them are chosen, or none.
    last = np.append(ordered[:-1] > ordered[1:], True)
    place = int(np.argmax(np.where(last, f, -1.0)))
    below = ordered[place + 1] if place + 1 < len(ordered) else 0.0
    return float(ordered[place] + below) / 2, float(f[place])


def tune_tfidf(articles: Sequence[LabelledArticle], background: Background) -> float:
    """The threshold of TF-IDF with the best F on these articles."""
    scores = [tfidf(candidate, a.survey, background) for a in articles for candidate in a.survey.candidates]
    labels = [label for article in articles for label in article.labels]
    total = sum(len(article.gold) for article in articles)
    return best_threshold(np.array(scores), np.array(labels, dtype=bool), total)[0]


def prior_of(articles: Iterable[LabelledArticle], concepts: Concepts) -> Prior:
    """What the articles tell of how readily concepts are chosen."""
    return learn((([c.identifier for c in article.survey.candidates], article.gold) for article in articles), concepts)


def background_of(articles: Iterable[LabelledArticle]) -> Background:
    """What the articles tell of how often concepts are named."""
    background = Background()
    for article in articles:
        count(background, article.survey)
    return background


def folds(keys: Sequence[str], number: int, seed: int) -> list[frozenset[str]]:
    """The keys in so many folds of equal size, give or take one; which is where depends on key and seed alone."""
    mixed = shuffled(keys, seed)
    return [frozenset(mixed[start::number]) for start in range(min(number, len(mixed)))]


def shuffled(keys: Iterable[str], seed: int) -> list[str]:
    """The keys in an order that depends on them and the seed alone."""
    return sorted(keys, key=lambda key: hashlib.sha256(f"{seed}:{key}".encode()).digest())


def _checked(articles: Sequence[LabelledArticle]) -> list[LabelledArticle]:
    keys = {article.key for article in articles}
    if len(keys) < LEAST_ARTICLES:
        raise ConfigurationError(
            f"{len(keys)} annotated articles have gold index terms, {LEAST_ARTICLES} are the least to learn from; "
            "are gold and articles joined by PMCID or PMID?"
        )
    if not any(label for article in articles for label in article.labels):
        raise ConfigurationError(
            "no article names a concept that it is indexed with; were the articles annotated with the step normalize?"
        )
    return list(articles)


def _log_loss(scores: Floats, labels: Flags) -> float:
    clipped = np.clip(scores, 1e-9, 1 - 1e-9)
    return float(-np.mean(np.where(labels, np.log(clipped), np.log(1 - clipped))))
