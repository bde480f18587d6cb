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
from indexing.learning.linear import Floats, Linear, sigmoid
from indexing.learning.validation import best_threshold, expected_threshold, folds, shuffled
from indexing.terms.background import Background
from indexing.terms.features import FEATURES
from indexing.terms.headings import Records, extended, records_of, with_headings
from indexing.terms.indexer import Concepts
from indexing.terms.prior import Prior
from indexing.terms.rules import Rules, judge
from indexing.terms.tfidf import tfidf
from indexing.terms.training import (
    LabelledArticle,
    Table,
    TrainingOptions,
    blended,
    choose,
    fitted,
    held_out_trees,
    joined,
    label,
    prior_of,
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

Scores = dict[str, float]
"""Identifier -> score, in the order of the candidates."""

Chosen = dict[str, frozenset[str]]
"""Key of an article -> the identifiers that an indexer chooses for it."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The training articles with the table of all features, and the held-out articles, each with its table.

    `rest`: in the order of the table. `records`: the headings of the records of each article, by its `id`.
    """

    rest: Sequence[LabelledArticle]
    table: Table
    held: Sequence[tuple[LabelledArticle, Table]]
    background: Background
    records: Mapping[int, Records]

    @property
    def gold(self) -> int:
        return sum(len(article.gold) for article in self.rest)

    def threshold(self, scores: Floats, headings: bool, counted: bool = False) -> float:
        """The threshold with the best expected F for held-out scores of the table; `counted`: with the best F."""
        labels = self.table.labels
        if headings:
            scores, labels = extended([(a.found, a.gold, self.records[id(a)]) for a in self.rest], scores)
        if counted:
            return best_threshold(scores, labels, self.gold)[0]
        return expected_threshold(scores, self.gold - int(labels.sum()))

    def scored(self, article: LabelledArticle, scores: Sequence[float] | Floats, headings: bool = False) -> Scores:
        """The scores of the candidates of an article, and of the headings of its records."""
        return with_headings(article.found, scores, self.records[id(article)] if headings else {})


@dataclass(slots=True)
class Outcome:
    """The choices of an indexer for all articles, each held out once; scores and labels of all candidates."""

    chosen: Chosen = field(default_factory=dict)
    scores: list[float] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)


Learner = Callable[[Fold], tuple[Callable[[LabelledArticle, Table], Scores], float]]
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


def records_by(articles: Iterable[LabelledArticle], concepts: Concepts) -> dict[int, Records]:
    """The headings of the records of each article, by its `id`."""
    return {id(article): records_of(article.found, article.concepts or concepts) for article in articles}


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
    records = records_by([*articles, *(source or ())], concepts)
    for held in folds_of(articles, FOLDS, seed):
        rest = [article for article in source or articles if article.key not in held]
        if size is not None:
            kept = set(shuffled({article.key for article in rest}, seed + 9)[:size])
            rest = [article for article in rest if article.key in kept]
        prior = prior_of(rest, concepts)
        tests = [(a, with_prior(tables[id(a)], a, prior, concepts)) for a in articles if a.key in held]
        parts, order = [], []
        for others in folds_of(rest, PRIOR_FOLDS, seed + 1):
            known = prior_of([article for article in rest if article.key not in others], concepts)
            own = [article for article in rest if article.key in others]
            parts += [with_prior(tables[id(a)], a, known, concepts) for a in own]
            order += own
        made.append(Fold(order, joined(parts), tests, background, records))
    return made


def folds_of(articles: Sequence[LabelledArticle], number: int, seed: int) -> Iterator[set[str]]:
    """The keys of the articles of each fold."""
    keys = sorted({article.key for article in articles})
    for held in folds(keys, number, seed):
        yield {key for key, inside in zip(keys, held, strict=True) if inside}


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
            scores = score(article, table)
            found.scores += scores.values()
            found.labels += [identifier in article.gold for identifier in scores]
            chosen = (identifier for identifier, value in scores.items() if value > 0 and value >= threshold)
            found.chosen[article.key] = frozenset(chosen)
    return found


# -- learners -----------------------------------------------------------------------------------


def by_rules(rules: Rules, headings: bool = False) -> Learner:
    """Rules are not trained."""

    def learnt(fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Scores], float]:
        def score(article: LabelledArticle, _: Table) -> Scores:
            own = [float(judge(candidate, article.found, rules).chosen) for candidate in article.found.candidates]
            return fold.scored(article, own, headings)

        return score, 0.5

    return learnt


def by_tfidf(fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Scores], float]:
    """TF-IDF, with its threshold tuned on the fold."""

    def score(article: LabelledArticle, _: Table) -> Scores:
        own = [tfidf(candidate, article.found, fold.background) for candidate in article.found.candidates]
        return fold.scored(article, own)

    return score, tune_tfidf(fold.rest, fold.background)


@dataclass
class Regression:
    """The logistic regression, as in `indexing.terms.training.train`; each fold is fitted once."""

    features: Sequence[str]
    options: TrainingOptions = field(default_factory=TrainingOptions)
    _fits: dict[int, tuple[Linear, Floats]] = field(default_factory=dict)

    def fit(self, fold: Fold) -> tuple[Linear, Floats]:
        """The regression of a fold, and the scores of its candidates by regressions on other inner folds."""
        if id(fold) not in self._fits:
            table = columns_of(fold.table, self.features)
            strength, scores = choose(table, replace(self.options, features=tuple(self.features)))
            self._fits[id(fold)] = fitted(table, self.features, strength), scores
        return self._fits[id(fold)]

    def __call__(self, fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Scores], float]:
        fit, scores = self.fit(fold)

        def score(article: LabelledArticle, table: Table) -> Scores:
            own = sigmoid(fit.log_odds(columns_of(table, self.features).values))
            return fold.scored(article, own, self.options.headings)

        return score, fold.threshold(scores, self.options.headings)


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
            options = replace(self.options, features=tuple(self.features))
            self._fits[id(fold)] = tree_scores(table, options), held_out_trees(table, options)
        return self._fits[id(fold)]

    def __call__(self, fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Scores], float]:
        predict, scores = self.fit(fold)

        def score(article: LabelledArticle, table: Table) -> Scores:
            return fold.scored(article, predict(columns_of(table, self.features).values), self.options.headings)

        return score, fold.threshold(scores, self.options.headings)


@dataclass
class Blend:
    """The weighted mean of the log-odds of regression and trees, as in `indexing.terms.training.train` with trees.

    `headings`: whether records bring their headings. `counted`: the threshold is that of the best counted F.
    """

    regression: Regression
    boosting: Boosting
    headings: bool = True
    counted: bool = False

    def __call__(self, fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Scores], float]:
        share = self.regression.options.share
        (fit, scores), (predict, others) = self.regression.fit(fold), self.boosting.fit(fold)

        def score(article: LabelledArticle, table: Table) -> Scores:
            one = sigmoid(fit.log_odds(columns_of(table, self.regression.features).values))
            both = blended(one, predict(columns_of(table, self.boosting.features).values), share)
            return fold.scored(article, both, self.headings)

        return score, fold.threshold(blended(scores, others, share), self.headings, self.counted)


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
