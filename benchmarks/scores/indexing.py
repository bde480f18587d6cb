"""Cross-validates indexers: five folds by article, with the scores of `nlmchem evaluate indexing`.

    nlmchem annotate ../shared/data/indexing/jats.tar.gz -o annotated
    python -m benchmarks.scores.indexing annotated --data ../shared/data [--rows "default;rules"] [--seed 1]

Intervals are the middle 95% of 10,000 bootstrap samples of articles. "below" is the share of samples in which the
strict F of a row is below that of the last row. `--seed`: another division into folds. Time: about 10 minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from pathlib import Path

import numpy as np

import corpora
from benchmarks.retrain.indexer import gold_articles
from indexing.learning.crossfit import Examples, expected_threshold, folds
from indexing.learning.linear import Floats, Linear
from indexing.terms.background import Background
from indexing.terms.features import FEATURES
from indexing.terms.headings import Records, extended, records_of, with_headings
from indexing.terms.indexer import Concepts
from indexing.terms.logistic import DEFAULT, read_model
from indexing.terms.prior import Prior
from indexing.terms.rules import TEAM_110, TITLE_ABSTRACT, SectionRules, judge
from indexing.terms.training import FEATURES as TRAINED
from indexing.terms.training import (
    IndexedArticle,
    IndexerTraining,
    article_examples,
    blended,
    choose,
    fitted,
    held_out_trees,
    label,
    prior_of,
    tree_scores,
)
from nlmchem.evaluation import bootstrap
from nlmchem.evaluation.scores import Counts, total
from sieves.lexicon.lexicon import Lexicon

FOLDS = 5
PRIOR_FOLDS = IndexerTraining().prior_folds
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

    rest: Sequence[IndexedArticle]
    table: Examples
    held: Sequence[tuple[IndexedArticle, Examples]]
    background: Background
    records: Mapping[int, Records]

    @property
    def gold(self) -> int:
        return sum(len(article.gold) for article in self.rest)

    def threshold(self, scores: Floats, headings: bool) -> float:
        """The threshold with the best expected F for held-out scores of the table."""
        labels = self.table.labels
        if headings:
            scores, labels = extended([(a.found, a.gold, self.records[id(a)]) for a in self.rest], scores)
        return expected_threshold(scores, self.gold - int(labels.sum()))

    def scored(self, article: IndexedArticle, scores: Sequence[float] | Floats, headings: bool = False) -> Scores:
        """The scores of the candidates of an article, and of the headings of its records."""
        return with_headings(article.found, scores, self.records[id(article)] if headings else {})


Learner = Callable[[Fold], tuple[Callable[[IndexedArticle, Examples], Scores], float]]
"""Trains on a fold; returns a function that scores the candidates of an article, and the lowest chosen score."""


def read_articles(annotated: Path, gold: Path, concepts: Concepts) -> list[IndexedArticle]:
    """Annotated articles with their gold."""
    return label(corpora.read(str(annotated)), list(gold_articles(gold)), concepts)


def records_by(articles: Iterable[IndexedArticle], concepts: Concepts) -> dict[int, Records]:
    """The headings of the records of each article, by its `id`."""
    return {id(article): records_of(article.found, article.concepts or concepts) for article in articles}


def tables_of(articles: Sequence[IndexedArticle], concepts: Concepts, background: Background) -> dict[int, Examples]:
    """The table of each article, by its `id`. Only the prior depends on the training articles."""
    number = {key: n for n, key in enumerate(sorted({article.key for article in articles}))}
    return {id(a): article_examples(a, NAMES, Prior(0.0), background, concepts, number[a.key]) for a in articles}


def prepare(
    articles: Sequence[IndexedArticle],
    tables: Mapping[int, Examples],
    concepts: Concepts,
    background: Background,
    seed: int = 0,
) -> list[Fold]:
    """Five folds by article."""
    made = []
    records = records_by(articles, concepts)
    for held in folds_of(articles, FOLDS, seed):
        rest = [article for article in articles if article.key not in held]
        prior = prior_of(rest, concepts)
        tests = [(a, with_prior(tables[id(a)], a, prior, concepts)) for a in articles if a.key in held]
        parts, order = [], []
        for others in folds_of(rest, PRIOR_FOLDS, seed + 1):
            known = prior_of([article for article in rest if article.key not in others], concepts)
            of_group = [article for article in rest if article.key in others]
            parts += [with_prior(tables[id(a)], a, known, concepts) for a in of_group]
            order += of_group
        made.append(Fold(order, Examples.joined(parts), tests, background, records))
    return made


def folds_of(articles: Sequence[IndexedArticle], number: int, seed: int) -> Iterator[set[str]]:
    """The keys of the articles of each fold."""
    keys = [article.key for article in articles]
    for held in folds(keys, number, seed):
        yield {key for key, inside in zip(keys, held, strict=True) if inside}


def with_prior(table: Examples, article: IndexedArticle, prior: Prior, concepts: Concepts) -> Examples:
    """The table of an article with the prior, which is learned from labels."""
    values = table.values.copy()
    values[:, NAMES.index("prior")] = [
        prior.of(c.identifier, article.concepts or concepts) for c in article.found.candidates
    ]
    return replace(table, values=values)


def outcome(prepared: Iterable[Fold], learner: Learner) -> Chosen:
    """The choices of a learner for the held-out articles of each fold."""
    terms: Chosen = {}
    for fold in prepared:
        score, threshold = learner(fold)
        for article, table in fold.held:
            scores = score(article, table)
            chosen = (identifier for identifier, value in scores.items() if value > 0 and value >= threshold)
            terms[article.key] = frozenset(chosen)
    return terms


def loss(prepared: Iterable[Fold], learner: Learner) -> float:
    """The log-loss of the scores of the held-out articles, headings of records included: the sum over all of them."""
    total = 0.0
    for fold in prepared:
        score, _ = learner(fold)
        for article, table in fold.held:
            for identifier, value in score(article, table).items():
                share = min(max(value, 1e-9), 1 - 1e-9)
                total -= log(share if identifier in article.gold else 1 - share)
    return total


# -- learners -----------------------------------------------------------------------------------


def by_rules(rules: SectionRules, headings: bool = False) -> Learner:
    """Rules are not trained."""

    def learnt(fold: Fold) -> tuple[Callable[[IndexedArticle, Examples], Scores], float]:
        def score(article: IndexedArticle, _: Examples) -> Scores:
            verdicts = [float(judge(candidate, article.found, rules).chosen) for candidate in article.found.candidates]
            return fold.scored(article, verdicts, headings)

        return score, 0.5

    return learnt


@dataclass
class Regression:
    """The logistic regression, as in `indexing.terms.training.train`; each fold is fitted once."""

    features: Sequence[str]
    options: IndexerTraining = field(default_factory=IndexerTraining)
    _fits: dict[int, tuple[Linear, Floats]] = field(default_factory=dict)

    def fit(self, fold: Fold) -> tuple[Linear, Floats]:
        """The regression of a fold, and the scores of its candidates by regressions on other inner folds."""
        if id(fold) not in self._fits:
            table = columns_of(fold.table, self.features)
            strength, scores = choose(table, replace(self.options, features=tuple(self.features)))
            self._fits[id(fold)] = fitted(table, self.features, strength), scores
        return self._fits[id(fold)]

    def __call__(self, fold: Fold) -> tuple[Callable[[IndexedArticle, Examples], Scores], float]:
        fit, scores = self.fit(fold)

        def score(article: IndexedArticle, table: Examples) -> Scores:
            return fold.scored(
                article, fit.probabilities(columns_of(table, self.features).values), self.options.headings
            )

        return score, fold.threshold(scores, self.options.headings)


@dataclass
class Boosting:
    """Gradient-boosted trees on the same features, with the threshold chosen as for the regression."""

    features: Sequence[str]
    options: IndexerTraining = field(default_factory=IndexerTraining)
    _fits: dict[int, tuple[Callable[[Floats], Floats], Floats]] = field(default_factory=dict)

    def fit(self, fold: Fold) -> tuple[Callable[[Floats], Floats], Floats]:
        """The trees of a fold as a function, and the scores of its candidates by trees of other inner folds."""
        if id(fold) not in self._fits:
            table = columns_of(fold.table, self.features)
            options = replace(self.options, features=tuple(self.features))
            self._fits[id(fold)] = tree_scores(table, options), held_out_trees(table, options)
        return self._fits[id(fold)]

    def __call__(self, fold: Fold) -> tuple[Callable[[IndexedArticle, Examples], Scores], float]:
        predict, scores = self.fit(fold)

        def score(article: IndexedArticle, table: Examples) -> Scores:
            return fold.scored(article, predict(columns_of(table, self.features).values), self.options.headings)

        return score, fold.threshold(scores, self.options.headings)


@dataclass
class Blend:
    """The weighted mean of the log-odds of regression and trees, as in `indexing.terms.training.train` with trees.

    `headings`: whether records bring their headings.
    """

    regression: Regression
    boosting: Boosting
    headings: bool = True

    def __call__(self, fold: Fold) -> tuple[Callable[[IndexedArticle, Examples], Scores], float]:
        share = self.regression.options.share
        (fit, scores), (predict, others) = self.regression.fit(fold), self.boosting.fit(fold)

        def score(article: IndexedArticle, table: Examples) -> Scores:
            regressed = fit.probabilities(columns_of(table, self.regression.features).values)
            both = blended(regressed, predict(columns_of(table, self.boosting.features).values), share)
            return fold.scored(article, both, self.headings)

        return score, fold.threshold(blended(scores, others, share), self.headings)


def columns_of(table: Examples, features: Sequence[str]) -> Examples:
    """A table with these features alone."""
    return replace(table, values=table.values[:, [NAMES.index(name) for name in features]])


def strict(gold: Chosen, chosen: Chosen) -> list[Counts]:
    """The counts of each article, in the order of their keys."""
    counts = []
    for key in sorted(gold):
        right = len(gold[key] & chosen[key])
        counts.append(Counts(len(gold[key]), right, len(chosen[key]), right))
    return counts


def sampled(rows: Sequence[Sequence[Counts]], samples: int = SAMPLES) -> Floats:
    """Precision, recall, F of each run (second axis) in each paired bootstrap sample of articles (first axis)."""
    return bootstrap.scores_of_counts(bootstrap.counted_documents(rows, samples, bootstrap.SEED))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", help="these rows alone, separated by semicolons")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    concepts = Lexicon.open()
    articles = read_articles(given.annotated, given.data / "indexing" / "gold.jsonl", concepts)
    background = read_model(DEFAULT).background
    prepared = prepare(articles, tables_of(articles, concepts, background), concepts, background, given.seed)
    gold = {article.key: article.gold for article in articles}
    learners = indexers()
    outcomes: dict[str, Chosen] = {}
    for name in given.rows.split(";") if given.rows else learners:
        if name not in learners:
            raise SystemExit(f"there is no row {name!r}; choose from {'; '.join(learners)}")
        outcomes[name] = outcome(prepared, learners[name])
        # Scores of rules are no probabilities.
        trained = isinstance(learners[name], (Regression, Boosting, Blend))
        more = f": log-loss {loss(prepared, learners[name]):.1f}" if trained else ""
        print(f"{name}{more}", file=sys.stderr, flush=True)
    for title, some in (("all articles", gold), ("articles with index terms", {k: v for k, v in gold.items() if v})):
        show(f"{title}: {len(some)}", some, outcomes)


def indexers() -> dict[str, Learner]:
    """Every indexer, the parts of the default, and the default without a part."""
    regression, trees = Regression(TRAINED), Boosting(TRAINED)
    return {
        "title-abstract": by_rules(TITLE_ABSTRACT),
        "title-abstract, and headings": by_rules(TITLE_ABSTRACT, headings=True),
        "rules": by_rules(TEAM_110),
        "regression alone": regression,
        "trees alone": trees,
        "default without headings": Blend(regression, trees, headings=False),
        "default": Blend(regression, trees),
    }


def show(title: str, gold: Chosen, runs: dict[str, Chosen]) -> None:
    """Print a table of runs."""
    counts = [strict(gold, chosen) for chosen in runs.values()]
    samples = sampled(counts)
    last = samples[:, -1, 2]
    print(f"\n{title}; terms {sum(map(len, gold.values()))}")
    print(f"{'':32}{'strict P':>9}{'R':>7}{'F':>7}{'95% of F':>16}{'terms':>7}{'below':>7}")
    for number, name in enumerate(runs):
        score = total(counts[number])
        of_f = bootstrap.intervals(samples[:, number : number + 1])[0][2]
        below = float(np.mean(samples[:, number, 2] < last))
        print(
            f"{name:32}{score.precision:9.4f}{score.recall:7.4f}{score.f1:7.4f}  {of_f.low:6.4f}-{of_f.high:6.4f}"
            f"{score.predicted:7}{below:7.3f}"
        )


if __name__ == "__main__":
    main()
