"""Strict F of models on a corpus that none of them was trained on, with a paired bootstrap against the first model.

    python -m benchmarks.scores.spans MODEL... --corpus chemdner/test=../shared/data/chemdner [--guidelines bc5cdr]
        [--rules none] [--articles 500] [--arithmetic auto]

MODEL: folders, or `default`. `--guidelines`, `--rules`, `--arithmetic`: as in `nlmchem annotate`. `--articles`:
a sample of this size, the same each time.
Intervals are those of 95% of 10,000 samples of articles. Time: 1 minute for 500 abstracts and a model.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from bioc import BioCDocument

from corpora.model.metadata import join_key
from corpora.reporting import ignore
from nlmchem.abbreviations import AbbreviationStage
from nlmchem.evaluation.bootstrap import SAMPLES, counted_documents, interval, scores_of_counts
from nlmchem.evaluation.scores import Counts, total
from nlmchem.tagging.registry import TaggerChoice
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.training.data import read_corpus
from nlmchem.tagging.training.scores import article_scores
from sieves.lexicon.lexicon import Lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--guidelines")
    parser.add_argument("--rules", default="default")
    parser.add_argument("--articles", type=int, default=0)
    parser.add_argument("--arithmetic", default="auto")
    given = parser.parse_args()
    gold = sample(given)
    rows = [scored(name, given, gold) for name in given.models]
    drawn = scores_of_counts(counted_documents(rows, SAMPLES, seed=1))[:, :, 2]
    print(f"{given.corpus}: {len(gold)} articles, {sum(count.gold for count in rows[0])} mentions, rules {given.rules}")
    for number, (name, counts) in enumerate(zip(given.models, rows, strict=True)):
        score = total(counts)
        of_f = interval(drawn[:, number])
        line = f"{name:40} P {score.precision:.4f}  R {score.recall:.4f}  F {score.f1:.4f}"
        line += f" ({of_f.low:.3f} to {of_f.high:.3f})"
        if number:
            of_f = interval(drawn[:, number] - drawn[:, 0])
            line += f"  difference {score.f1 - total(rows[0]).f1:+.4f} ({of_f.low:+.3f} to {of_f.high:+.3f})"
        print(line, flush=True)


def sample(given: argparse.Namespace) -> list[BioCDocument]:
    """The gold articles that are scored."""
    gold = sorted(read_corpus(given.corpus, report=ignore).documents, key=join_key)
    if 0 < given.articles < len(gold):
        gold = random.Random(5).sample(gold, given.articles)
    AbbreviationStage()(gold)
    return gold


def scored(name: str, given: argparse.Namespace, gold: Sequence[BioCDocument]) -> list[Counts]:
    """The counts of each article."""
    options = TaggerOptions(rules=Rules.parse(given.rules, given.guidelines))
    choice = TaggerChoice((name,), arithmetic=given.arithmetic, guidelines=given.guidelines)
    tagger = NeuralTagger(choice.models(Lexicon.open()), options)
    scores = article_scores(tagger, list(gold))
    return [scores[join_key(document)].strict for document in gold]


if __name__ == "__main__":
    main()
