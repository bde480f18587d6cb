"""Measures the gain of each post-processing rule: strict and approximate F over the folds, and the lexicon tagger.

    python benchmarks/train_default/switches.py --data ../shared/data --runs RUNS/plain --folds 5 --seeds 1,2,3

With `--together` the seeds of a fold are one tagger (averaged probabilities), otherwise one tagger each. Differences to
the model alone are tested by paired bootstrap over articles (10,000 samples). Needs the models of finetune.py.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from sources import corpus, with_definitions

from corpora.model.metadata import join_key
from nlmchem.tagging.inference.scoring import TokenClassifier
from nlmchem.tagging.lexicon.tagger import LexiconTagger, lexicon_votes, starter_votes
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions, set_threads
from nlmchem.tagging.training.data import fold_of
from nlmchem.tagging.training.scores import ArticleScore, article_scores, as_json
from sieves.lexicon.lexicon import Lexicon

NONE = Rules.parse("none")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", default="7")
    parser.add_argument("--only", default="", help="folds, separated by commas (default: all)")
    parser.add_argument("--bias", type=float, default=0.0, help="subtracted from the log-odds of O (bias.py)")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--lexicon")
    parser.add_argument("--articles", type=int, default=0, help="number of articles, for a rehearsal (0: all)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    set_threads(given.threads)
    TokenClassifier.score = remembered(TokenClassifier.score)  # type: ignore[method-assign]
    documents = with_definitions(corpus(given.data, "nlmchem").documents[: given.articles or None])
    fold = fold_of(documents, given.folds)
    wanted = [int(one) for one in given.only.split(",") if one] or list(range(given.folds))
    documents = tuple(document for document in documents if fold[join_key(document)] in wanted)
    lexicon = LexiconTagger(Lexicon.open(given.lexicon))
    votes = [starter_votes(), lexicon_votes(Lexicon.open(given.lexicon))] if given.lexicon else None
    scores: dict[str, dict[str, ArticleScore]] = {"lexicon tagger": article_scores(lexicon, documents)}
    seeds = given.seeds.split(",")
    for number in wanted:
        held_out = [document for document in documents if fold[join_key(document)] == number]
        folders = [given.runs / f"seed-{seed}" / f"fold-{number}" / "model" for seed in seeds]
        models = [
            replace(load_model(folder, given.device), outside_bias=given.bias) for folder in folders if folder.is_dir()
        ]
        for position, group in enumerate([models] if given.together else [[model] for model in models]):
            for name, switches in settings().items():
                tagger = NeuralTagger(group, TaggerOptions(rules=switches), votes)
                own = article_scores(tagger, held_out)
                scores.setdefault(name, {}).update({f"{position}/{key}": score for key, score in own.items()})
    plain = scores["model alone"]
    for name, own in scores.items():
        summary = as_json(own)
        del summary["articles"]
        if own.keys() == plain.keys():
            summary["difference"], summary["p"] = difference(own, plain)
        print(json.dumps({name: summary}), flush=True)


def remembered(score: Callable[..., Any]) -> Callable[..., Any]:
    """A cache of the scores of a model on a chunk. Rules are applied after scoring."""
    known: dict[tuple[str, str], Any] = {}

    def again(model: TokenClassifier, articles: list[list[str]], budget: int | None) -> Any:
        key = (model.version, hashlib.sha256(json.dumps(articles).encode()).hexdigest())
        if key not in known:
            known[key] = score(model, articles, budget)
        return known[key]

    return again


def settings() -> dict[str, Rules]:
    """The model alone, each rule alone, all rules, and all rules but one."""
    names = [field.name for field in fields(Rules)]
    every = Rules.parse("all")
    return {
        "model alone": NONE,
        **{f"with {name}": replace(NONE, **{name: True}) for name in names},
        "default": Rules(),
        "all": every,
        **{f"all without {name}": replace(every, **{name: False}) for name in names},
    }


def difference(
    own: dict[str, ArticleScore], plain: dict[str, ArticleScore], samples: int = 10_000
) -> tuple[float, float]:
    """The difference in strict F to the model alone, and the share of bootstrap samples with another sign."""
    rows = np.array(
        [
            [[s.strict.gold, s.strict.right, s.strict.predicted] for s in (own[key], plain[key])]
            for key in sorted(own)
        ],
        dtype=float,
    )  # fmt: skip
    drawn = np.random.default_rng(7).integers(len(rows), size=(samples, len(rows)))
    gaps = np.diff(f1(rows[drawn].sum(axis=1)), axis=1)[:, 0] * -1
    gap = float(-np.diff(f1(rows.sum(axis=0)[None]), axis=1)[0, 0])
    return gap, float((gaps * np.sign(gap) <= 0).mean())


def f1(counts: np.ndarray) -> np.ndarray:
    gold, right, predicted = np.moveaxis(counts, -1, 0)
    return 2 * right / np.maximum(gold + predicted, 1)


if __name__ == "__main__":
    main()
