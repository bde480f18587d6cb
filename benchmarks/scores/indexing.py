"""Cross-validates indexers: five folds by article, with the scores of `nlmchem evaluate indexing`.

    nlmchem annotate ../shared/data/indexing/jats.tar.gz -o annotated
    python -m benchmarks.scores.indexing annotated --data ../shared/data [--seed 1]

Intervals are the middle 95% of 10,000 bootstrap samples of articles. "below" is the share of samples in which the
strict F of a row is below that of the last row. `--seed`: another division into folds. Time: about 10 minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import corpora
from benchmarks.retrain.indexer import gold_articles
from indexing.learning.crossfit import expected_threshold, folds
from indexing.learning.linear import Flags, Floats
from indexing.terms.baselines import TEAM_110, TITLE_ABSTRACT, SectionRules
from indexing.terms.features import matrix
from indexing.terms.indexer import Concepts
from indexing.terms.logistic import DEFAULT, read_model, records_of
from indexing.terms.statistics import Background
from indexing.terms.training import (
    FEATURES,
    IndexedArticle,
    IndexerTraining,
    blended,
    choose,
    examples_of,
    extended,
    fitted,
    held_out_trees,
    label,
    prior_of,
    tree_scores,
    with_headings,
)
from nlmchem.evaluation import bootstrap
from nlmchem.evaluation.scores import Counts, total
from sieves.lexicon.lexicon import Lexicon

FOLDS = 5
REGRESSION, TREES, BOTH = 0.0, 1.0, IndexerTraining().share
"""The share of the trees in the log-odds."""

Chosen = dict[str, frozenset[str]]
"""Key of an article -> the identifiers that an indexer chooses for it."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What was trained on the articles of the other folds (`rest`), as in `indexing.terms.training.train`.

    `held_out`: the scores of the candidates of `rest`, by the regression and by the trees; each is from models that did
    not see its article. `scores`: of the candidates of each article of this fold.
    """

    rest: Sequence[IndexedArticle]
    labels: Flags
    held_out: tuple[Floats, Floats]
    scores: Sequence[tuple[IndexedArticle, Floats, Floats]]

    def threshold(self, share: float, headings: bool, concepts: Concepts) -> float:
        """The threshold with the best expected F."""
        scores, labels = blended(*self.held_out, share), self.labels
        if headings:
            candidates = [(a.found, a.gold, records_of(a.found, a.concepts or concepts)) for a in self.rest]
            scores, labels = extended(candidates, scores)
        return expected_threshold(scores, sum(len(article.gold) for article in self.rest) - int(labels.sum()))


def trained(
    articles: Sequence[IndexedArticle], concepts: Concepts, background: Background, seed: int
) -> Iterator[Fold]:
    """Regression and trees of each fold."""
    options = IndexerTraining()
    keys = [article.key for article in articles]
    numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
    for inside in folds(keys, FOLDS, seed):
        rest = [article for article, held in zip(articles, inside, strict=True) if not held]
        examples = examples_of(rest, concepts, background, replace(options, seed=seed))
        # The number of an article, which decides its inner fold, is the same in all folds.
        of_rest = np.array(sorted({numbers[article.key] for article in rest}))
        examples = replace(examples, groups=of_rest[examples.groups])
        strength, regressed = choose(examples, options)
        regression = fitted(examples, FEATURES, strength).probabilities
        trees = tree_scores(examples, options)
        prior, scores = prior_of(rest, concepts), []
        for article in (article for article, held in zip(articles, inside, strict=True) if held):
            values = matrix(article.found, FEATURES, prior, background, article.concepts or concepts)
            scores.append((article, regression(values), trees(values)))
        yield Fold(rest, examples.labels, (regressed, held_out_trees(examples, options)), scores)


def by_models(trained: Sequence[Fold], concepts: Concepts, share: float, headings: bool = True) -> Chosen:
    """The choices of regression and trees for the articles of each fold."""
    return {
        article.key: above(threshold, article, blended(regressed, by_trees, share), concepts, headings)
        for fold in trained
        for threshold in [fold.threshold(share, headings, concepts)]
        for article, regressed, by_trees in fold.scores
    }


def by_rules(
    articles: Sequence[IndexedArticle], concepts: Concepts, rules: SectionRules, headings: bool = False
) -> Chosen:
    """The choices of rules, which are not trained."""
    return {
        a.key: above(0.5, a, [float(rules.judge(c, a.found)[1]) for c in a.found.candidates], concepts, headings)
        for a in articles
    }


def above(
    threshold: float, article: IndexedArticle, scores: Sequence[float] | Floats, concepts: Concepts, headings: bool
) -> frozenset[str]:
    """The candidates of an article, and headings of its records, with a score of at least the threshold."""
    records = records_of(article.found, article.concepts or concepts) if headings else {}
    of_all = with_headings(article.found, scores, records)
    return frozenset(identifier for identifier, score in of_all.items() if score > 0 and score >= threshold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    concepts = Lexicon.open()
    labelled = list(gold_articles(given.data / "indexing" / "gold.jsonl"))
    articles = label(corpora.read(str(given.annotated)), labelled, concepts)
    of_folds = list(trained(articles, concepts, read_model(DEFAULT).background, given.seed))
    # The parts of the default, and the default without a part.
    runs = {
        "title-abstract": by_rules(articles, concepts, TITLE_ABSTRACT),
        "title-abstract, and headings": by_rules(articles, concepts, TITLE_ABSTRACT, headings=True),
        "rules": by_rules(articles, concepts, TEAM_110),
        "regression alone": by_models(of_folds, concepts, REGRESSION),
        "trees alone": by_models(of_folds, concepts, TREES),
        "default without headings": by_models(of_folds, concepts, BOTH, headings=False),
        "default": by_models(of_folds, concepts, BOTH),
    }
    gold = {article.key: article.gold for article in articles}
    for title, some in (("all articles", gold), ("articles with index terms", {k: v for k, v in gold.items() if v})):
        show(f"{title}: {len(some)}", some, runs)


def strict(gold: Chosen, chosen: Chosen) -> list[Counts]:
    """The counts of each article, in the order of their keys."""
    right = {key: len(gold[key] & chosen[key]) for key in sorted(gold)}
    return [Counts(len(gold[key]), number, len(chosen[key]), number) for key, number in right.items()]


def show(title: str, gold: Chosen, runs: dict[str, Chosen]) -> None:
    """Print a table of runs."""
    counts = [strict(gold, chosen) for chosen in runs.values()]
    samples = bootstrap.scores_of_counts(bootstrap.counted_documents(counts, bootstrap.SAMPLES, bootstrap.SEED))
    print(f"\n{title}; terms {sum(map(len, gold.values()))}")
    print(f"{'':32}{'strict P':>9}{'R':>7}{'F':>7}{'95% of F':>16}{'terms':>7}{'below':>7}")
    for number, name in enumerate(runs):
        score, of_f = total(counts[number]), bootstrap.interval(samples[:, number, 2])
        below = float(np.mean(samples[:, number, 2] < samples[:, -1, 2]))
        print(
            f"{name:32}{score.precision:9.4f}{score.recall:7.4f}{score.f1:7.4f}  {of_f.low:6.4f}-{of_f.high:6.4f}"
            f"{score.predicted:7}{below:7.3f}"
        )


if __name__ == "__main__":
    main()
