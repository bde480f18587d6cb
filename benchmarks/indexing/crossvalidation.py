"""Cross-validation of indexers: their choices for held-out articles, and the scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bioc import BioCDocument, BioCPassage

import corpora
from corpora.model.document import IndexTerm, add_index_term
from corpora.model.hierarchy import Hierarchy
from indexing.background import Background
from indexing.features import FEATURES, Floats
from indexing.indexer import Concepts
from indexing.prior import Prior
from indexing.rules import Rules, judge
from indexing.tfidf import tfidf
from indexing.training import (
    Fit,
    LabelledArticle,
    Table,
    TrainingOptions,
    best_threshold,
    blended,
    choose,
    fitted,
    folds,
    held_out_trees,
    joined,
    label,
    prior_of,
    shuffled,
    table_of,
    tree_scores,
    tune_tfidf,
)
from nlmchem.evaluation import bootstrap, lca
from nlmchem.evaluation.scores import PRF, Counts, mean, total

FOLDS = 5
PRIOR_FOLDS = TrainingOptions().prior_folds
SAMPLES = 10_000
NAMES = tuple(FEATURES)

Chosen = dict[str, frozenset[str]]
"""Key of an article -> the identifiers that an indexer chooses for it."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The training articles with the table of all features, and the held-out articles, each with its table."""

    rest: Sequence[LabelledArticle]
    table: Table
    held: Sequence[tuple[LabelledArticle, Table]]
    background: Background

    @property
    def gold(self) -> int:
        return sum(len(article.gold) for article in self.rest)


@dataclass(slots=True)
class Outcome:
    """The choices of an indexer for all articles, each held out once; scores and labels of all candidates."""

    chosen: Chosen = field(default_factory=dict)
    scores: list[float] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)


Learner = Callable[[Fold], tuple[Callable[[LabelledArticle, Table], Sequence[float] | Floats], float]]
"""Trains on a fold; returns a function that scores the candidates of an article, and the lowest chosen score."""


def read_gold(path: Path) -> dict[str, frozenset[str]]:
    """The chemicals of each article of `gold.jsonl`, by PMCID without prefix."""
    with path.open(encoding="utf-8") as lines:
        values = [json.loads(line) for line in lines if line.strip()]
    return {v["pmcid"].removeprefix("PMC"): frozenset(id for id, _ in v["chemicals"]) for v in values}


def read_articles(annotated: Path, gold: Path, concepts: Concepts) -> list[LabelledArticle]:
    """Annotated articles with their gold."""
    return label(corpora.read(str(annotated)), list(as_documents(read_gold(gold))), concepts)


def as_documents(chosen: Chosen) -> Iterator[BioCDocument]:
    """Documents with only index terms: gold, or a run for `nlmchem ensemble indexing`."""
    for key, identifiers in sorted(chosen.items()):
        document = BioCDocument()
        document.id = key
        document.add_passage(BioCPassage())
        for identifier in sorted(identifiers):
            add_index_term(document, IndexTerm(identifier))
        yield document


def tables_of(articles: Sequence[LabelledArticle], concepts: Concepts, background: Background) -> dict[int, Table]:
    """The table of each article, by its `id`. Only the prior depends on the training articles."""
    number = {key: n for n, key in enumerate(sorted({article.key for article in articles}))}
    return {id(a): table_of(a, NAMES, Prior(0.0), background, concepts, number[a.key]) for a in articles}


def prepare(
    articles: Sequence[LabelledArticle],
    tables: Mapping[int, Table],
    concepts: Concepts,
    background: Background,
    seed: int = 0,
    size: int | None = None,
    source: Sequence[LabelledArticle] | None = None,
) -> list[Fold]:
    """Five folds by article. `size`: the number of training articles; None for all of the other folds.

    `source`: the same articles with another annotation, for training; `articles` are scored.
    """
    made = []
    for held in folds(sorted({article.key for article in articles}), FOLDS, seed):
        rest = [article for article in source or articles if article.key not in held]
        if size is not None:
            kept = set(shuffled({article.key for article in rest}, seed + 9)[:size])
            rest = [article for article in rest if article.key in kept]
        prior = prior_of(rest, concepts)
        tests = [(a, with_prior(tables[id(a)], a, prior, concepts)) for a in articles if a.key in held]
        parts = []
        for others in folds(sorted({article.key for article in rest}), PRIOR_FOLDS, seed + 1):
            known = prior_of([article for article in rest if article.key not in others], concepts)
            parts += [with_prior(tables[id(a)], a, known, concepts) for a in rest if a.key in others]
        made.append(Fold(rest, joined(parts), tests, background))
    return made


def with_prior(table: Table, article: LabelledArticle, prior: Prior, concepts: Concepts) -> Table:
    """The table of an article with the prior, which is learned from labels."""
    values = table.values.copy()
    values[:, NAMES.index("prior")] = [
        prior.of(c.identifier, article.concepts or concepts) for c in article.found.candidates
    ]
    return replace(table, values=values)


def outcome(prepared: Iterable[Fold], learner: Learner) -> Outcome:
    """The choices of a learner for the held-out articles of each fold."""
    found = Outcome()
    for fold in prepared:
        score, threshold = learner(fold)
        found.thresholds.append(threshold)
        for article, table in fold.held:
            scores = [float(value) for value in score(article, table)]
            found.scores += scores
            found.labels += article.labels
            chosen = (value > 0 and value >= threshold for value in scores)
            pairs = zip(article.found.candidates, chosen, strict=True)
            found.chosen[article.key] = frozenset(candidate.identifier for candidate, yes in pairs if yes)
    return found


# -- learners -----------------------------------------------------------------------------------


def by_rules(rules: Rules) -> Learner:
    """Rules are not trained."""

    def score(article: LabelledArticle, _: Table) -> list[float]:
        return [float(judge(candidate, article.found, rules).chosen) for candidate in article.found.candidates]

    return lambda fold: (score, 0.5)


def by_tfidf(fold: Fold) -> tuple[Callable[[LabelledArticle, Table], list[float]], float]:
    """TF-IDF, with its threshold tuned on the fold."""

    def score(article: LabelledArticle, _: Table) -> list[float]:
        return [tfidf(candidate, article.found, fold.background) for candidate in article.found.candidates]

    return score, tune_tfidf(fold.rest, fold.background)


@dataclass
class Regression:
    """The logistic regression, as in `indexing.training.train`; each fold is fitted once."""

    features: Sequence[str]
    options: TrainingOptions = field(default_factory=TrainingOptions)
    _fits: dict[int, tuple[Fit, Floats]] = field(default_factory=dict)

    def fit(self, fold: Fold) -> tuple[Fit, Floats]:
        """The regression of a fold, and the scores of its candidates by regressions on other inner folds."""
        if id(fold) not in self._fits:
            table = columns_of(fold.table, self.features)
            strength, scores = choose(table, self.options)
            self._fits[id(fold)] = fitted(table, strength), scores
        return self._fits[id(fold)]

    def __call__(self, fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Floats], float]:
        fit, scores = self.fit(fold)
        threshold, _ = best_threshold(scores, fold.table.labels, fold.gold)
        return lambda _, of_article: fit.scores(columns_of(of_article, self.features).values), threshold


@dataclass
class Boosting:
    """Gradient-boosted trees on the same features, with the threshold chosen as for the regression."""

    features: Sequence[str]
    options: TrainingOptions = field(default_factory=TrainingOptions)
    _fits: dict[int, tuple[Callable[[Floats], Floats], Floats]] = field(default_factory=dict)

    def fit(self, fold: Fold) -> tuple[Callable[[Floats], Floats], Floats]:
        """The trees of a fold as a function, and the scores of its candidates by trees of other inner folds."""
        if id(fold) not in self._fits:
            table = columns_of(fold.table, self.features)
            self._fits[id(fold)] = tree_scores(table, self.options), held_out_trees(table, self.options)
        return self._fits[id(fold)]

    def __call__(self, fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Floats], float]:
        predict, scores = self.fit(fold)
        threshold, _ = best_threshold(scores, fold.table.labels, fold.gold)
        return lambda _, of_article: predict(columns_of(of_article, self.features).values), threshold


@dataclass
class Blend:
    """The weighted mean of the log-odds of regression and trees, as in `indexing.training.train` with trees."""

    regression: Regression
    boosting: Boosting

    def __call__(self, fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Floats], float]:
        share = self.regression.options.share
        (fit, scores), (predict, others) = self.regression.fit(fold), self.boosting.fit(fold)
        threshold, _ = best_threshold(blended(scores, others, share), fold.table.labels, fold.gold)

        def score(_: LabelledArticle, of_article: Table) -> Floats:
            one = fit.scores(columns_of(of_article, self.regression.features).values)
            return blended(one, predict(columns_of(of_article, self.boosting.features).values), share)

        return score, threshold


def columns_of(table: Table, features: Sequence[str]) -> Table:
    """A table with these features alone."""
    return replace(table, values=table.values[:, [NAMES.index(name) for name in features]])


# -- scores -------------------------------------------------------------------------------------


def strict(gold: Chosen, chosen: Chosen) -> list[Counts]:
    """The counts of each article, in the order of their keys."""
    found = []
    for key in sorted(gold):
        right = len(gold[key] & chosen[key])
        found.append(Counts(len(gold[key]), right, len(chosen[key]), right))
    return found


def approximate(gold: Chosen, chosen: Chosen, hierarchy: Hierarchy) -> PRF:
    """The mean over articles with an identifier on either side, as in `nlmchem evaluate`."""
    keys = [key for key in sorted(gold) if gold[key] or chosen[key]]
    return mean(lca.compare(gold[key], chosen[key], hierarchy) for key in keys)


def some_only(gold: Chosen) -> Chosen:
    """The articles that have index terms."""
    return {key: terms for key, terms in gold.items() if terms}


def micro(counts: Iterable[Counts]) -> Counts:
    return total(counts)


def sampled(rows: Sequence[Sequence[Counts]], samples: int = SAMPLES) -> Floats:
    """Precision, recall, F of each run (second axis) in each paired bootstrap sample of articles (first axis)."""
    return bootstrap.scores_of_counts(bootstrap.counted_documents(rows, samples, bootstrap.SEED))
