"""The table of indexers: five-fold cross-validation by article, with the scores of `nlmchem evaluate indexing`.

    nlmchem annotate ../shared/data/indexing/jats.tar.gz -o annotated --lexicon mesh.sqlite
    python benchmarks/indexing/table.py annotated --lexicon mesh.sqlite --data ../shared/data [--sets]
        [--rows default] [--drawings docs/img] [--learning] [--runs RUNS]

`--sets` compares sets of features instead of indexers. `--learning` trains on increasing numbers of articles. Intervals
are the middle 95% of 10,000 bootstrap samples of articles. "below" is the share of samples in which the strict F of a
row is below that of the last row. `--runs` writes the choices of each indexer, and gold, for `nlmchem ensemble
indexing`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from crossvalidation import (
    Blend,
    Boosting,
    Chosen,
    Fold,
    Learner,
    Outcome,
    Regression,
    approximate,
    as_documents,
    by_rules,
    by_tfidf,
    micro,
    outcome,
    prepare,
    read_articles,
    sampled,
    some_only,
    strict,
    tables_of,
)
from curves import learning, precision_recall
from sets import SETS

import corpora
from corpora.model.hierarchy import Hierarchy
from indexing import models
from indexing.background import Background
from indexing.logistic import model_of
from indexing.rules import TEAM_110, TITLE_ABSTRACT
from indexing.training import FEATURES
from nlmchem.evaluation.bootstrap import intervals
from sieves.lexicon.lexicon import Lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path)
    parser.add_argument(
        "--lexicon", help="the lexicon that the articles were annotated with; none: the starter lexicon"
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--background", type=Path, help="counts by background.py, in place of the embedded model's")
    parser.add_argument("--learn-from", type=Path, help="the same articles annotated otherwise, to learn from")
    parser.add_argument("--learn-lexicon", help="the lexicon that those were annotated with")
    parser.add_argument("--rows", help="these rows alone, separated by semicolons")
    parser.add_argument("--sets", action="store_true")
    parser.add_argument("--learning", action="store_true")
    parser.add_argument("--drawings", type=Path, help="folder for the drawings, indexing-*.svg")
    parser.add_argument("--runs", type=Path, help="folder for NAME.jsonl, a run of each row, and gold.jsonl")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    concepts = Lexicon.open(given.lexicon)
    terms = given.data / "indexing" / "gold.jsonl"
    articles = read_articles(given.annotated, terms, concepts)
    counted = background(given.background)
    tables = tables_of(articles, concepts, counted)
    source = None
    if given.learn_from:
        concepts = Lexicon.open(given.learn_lexicon)
        source = read_articles(given.learn_from, terms, concepts)
        tables.update(tables_of(source, concepts, counted))

    def prepared(size: int | None = None) -> list[Fold]:
        return prepare(articles, tables, concepts, counted, given.seed, size, source)

    folds = prepared()
    hierarchy = Hierarchy.read(given.data / "mesh" / "parents_2021.json.gz")
    gold = {article.key: article.gold for article in articles}
    found: dict[str, Outcome] = {}
    learners = of_sets() if given.sets else of_indexers()
    for name in given.rows.split(";") if given.rows else learners:
        if name not in learners:
            raise SystemExit(f"there is no row {name!r}; choose from {'; '.join(learners)}")
        found[name] = outcome(folds, learners[name])
        print(name, file=sys.stderr, flush=True)
    for title, some in (("all articles", gold), ("articles with index terms", some_only(gold))):
        show(f"{title}: {len(some)}", some, {name: of.chosen for name, of in found.items()}, hierarchy)
    if given.runs:
        given.runs.mkdir(parents=True, exist_ok=True)
        for name, chosen in {"gold": gold, **{name: of.chosen for name, of in found.items()}}.items():
            corpora.write(
                as_documents(chosen), given.runs / f"{name.replace(',', '').replace(' ', '-')}.jsonl", "jsonl"
            )
    if given.sets or "default" not in found:
        return
    default = micro(strict(gold, found["default"].chosen))
    print("thresholds of the folds:", " ".join(f"{value:.3f}" for value in found["default"].thresholds))
    if given.drawings:
        names = ("default", "title-abstract", "rules")
        points = [(name, micro(strict(gold, found[name].chosen))) for name in names if name in found]
        path = given.drawings / "indexing-precision-recall.svg"
        precision_recall(found["default"], points, sum(map(len, gold.values())), path)
    if given.learning:
        path = given.drawings / "indexing-learning.svg" if given.drawings else None
        for size, score in learning(gold, prepared, (len(folds[0].rest), default), path):
            print(f"{size:5} articles  P {score.precision:.4f}  R {score.recall:.4f}  F {score.f1:.4f}")


def of_sets() -> dict[str, Learner]:
    """The regression with each set of features."""
    return {f"{name} ({len(features)})": Regression(features) for name, features in SETS.items()}


def of_indexers() -> dict[str, Learner]:
    """Every indexer, the parts of the default, and the default without headings or with another threshold."""
    regression, trees = Regression(FEATURES), Boosting(FEATURES)
    return {
        "title-abstract": by_rules(TITLE_ABSTRACT),
        "title-abstract, and headings": by_rules(TITLE_ABSTRACT, headings=True),
        "rules": by_rules(TEAM_110),
        "tfidf": by_tfidf,
        "regression alone": regression,
        "trees alone": trees,
        "default without headings": Blend(regression, trees, headings=False),
        "default, threshold by counted F": Blend(regression, trees, counted=True),
        "default": Blend(regression, trees),
    }


def background(path: Path | None) -> Background:
    """Counts in unlabelled articles, from a file or from the embedded model."""
    if path is None:
        return model_of(models.read(models.DEFAULT)).background
    import json

    return Background.from_plain(json.loads(path.read_text()))


def show(title: str, gold: Chosen, runs: dict[str, Chosen], hierarchy: Hierarchy) -> None:
    """Print a table of runs."""
    counts = [strict(gold, chosen) for chosen in runs.values()]
    samples = sampled(counts)
    last = samples[:, -1, 2]
    print(f"\n{title}; terms {sum(map(len, gold.values()))}")
    print(f"{'':32}{'strict P':>9}{'R':>7}{'F':>7}{'95% of F':>16}{'LCA P':>8}{'R':>7}{'F':>7}{'terms':>7}{'below':>7}")
    for number, (name, chosen) in enumerate(runs.items()):
        score, near = micro(counts[number]), approximate(gold, chosen, hierarchy)
        of_f = intervals(samples[:, number : number + 1])[0][2]
        below = float(np.mean(samples[:, number, 2] < last))
        print(
            f"{name:32}{score.precision:9.4f}{score.recall:7.4f}{score.f1:7.4f}  {of_f.low:6.4f}-{of_f.high:6.4f}"
            f"{near.precision:8.4f}{near.recall:7.4f}{near.f1:7.4f}{score.predicted:7}{below:7.3f}"
        )


if __name__ == "__main__":
    main()
