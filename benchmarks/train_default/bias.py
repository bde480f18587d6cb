"""Compares outside biases over the folds: strict F for each bias, and nested (chosen on the other folds).

    python benchmarks/train_default/bias.py --data ../shared/data --runs RUNS/rate-2e-4 --seed 1

The articles of each fold are scored once by the model that was not trained on them. Biases and rules are applied
afterwards. The nested score is an estimate for new articles. Needs the models of finetune.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from bioc import BioCDocument
from sources import corpus, with_definitions
from switches import remembered

from corpora.model.metadata import join_key
from nlmchem.tagging.inference.decoding import best_roles
from nlmchem.tagging.inference.labels import OUTSIDE
from nlmchem.tagging.inference.scoring import Coverage, ScoredPassage, TokenClassifier
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions, set_threads
from nlmchem.tagging.training.data import fold_of
from nlmchem.tagging.training.scores import ArticleScore, article_scores, as_json, strict_f

BIASES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
Scores = dict[str, ArticleScore]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", default="", help="folds, separated by commas (default: all)")
    parser.add_argument("--seed", default="7")
    parser.add_argument("--rules", default="default")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    set_threads(given.threads)
    documents = with_definitions(corpus(given.data, "nlmchem").documents)
    fold = fold_of(documents, given.folds)
    rules = Rules.parse(given.rules)
    plain = remembered(TokenClassifier.score)
    of_fold: dict[int, dict[float, Scores]] = {}
    for number in [int(one) for one in given.only.split(",") if one] or range(given.folds):
        held_out = [document for document in documents if fold[join_key(document)] == number]
        model = load_model(given.runs / f"seed-{given.seed}" / f"fold-{number}" / "model")
        of_fold[number] = {bias: scores(plain, model, bias, rules, held_out) for bias in BIASES}
    for bias in BIASES:
        pooled = {key: score for own in of_fold.values() for key, score in own[bias].items()}
        summary = as_json(pooled)
        del summary["articles"]
        folds = {number: round(strict_f(own[bias]), 4) for number, own in of_fold.items()}
        print(json.dumps({"bias": bias, **summary, "folds": folds}))
    if len(of_fold) > 1:
        nested: Scores = {}
        for number, own in of_fold.items():
            nested |= own[best({other: rows for other, rows in of_fold.items() if other != number})]
        print(json.dumps({"nested": strict_f(nested), "chosen": best(of_fold)}))


def scores(
    plain: object, model: TokenClassifier, bias: float, rules: Rules, articles: Sequence[BioCDocument]
) -> Scores:
    """Strict and approximate counts of each article with one bias."""

    def tilted(
        model: TokenClassifier, texts: list[list[str]], budget: int | None
    ) -> tuple[list[list[ScoredPassage]], Coverage]:
        scored, coverage = plain(replace(model, outside_bias=0.0), texts, budget)  # type: ignore[operator]
        return [[with_bias(model, passage) for passage in own] for own in scored], coverage

    TokenClassifier.score = tilted  # type: ignore[method-assign]
    return article_scores(NeuralTagger([replace(model, outside_bias=bias)], TaggerOptions(rules)), articles)


def with_bias(model: TokenClassifier, passage: ScoredPassage) -> ScoredPassage:
    """The scores with the bias of the model; nearly equal to the model's own where windows overlap."""
    tilted = passage.probabilities.copy()
    tilted[:, OUTSIDE] *= np.float32(np.exp(-model.outside_bias))
    tilted /= tilted.sum(axis=1, keepdims=True)
    return ScoredPassage(passage.encoded, tilted, best_roles(tilted, passage.encoded.glued, model.labels.scheme))


def best(of_fold: dict[int, dict[float, Scores]]) -> float:
    """The bias with the best strict F over some folds; of equally good ones the smallest."""
    return max(
        BIASES,
        key=lambda bias: (strict_f({k: s for own in of_fold.values() for k, s in own[bias].items()}), -bias),
    )


if __name__ == "__main__":
    main()
