"""Whether an order of sieves that is learnt by precision is better than the default order.

    python benchmarks/sieve_order.py --as-of 2021 --learn ../shared/data/nlmchem/bioc --test ../shared/data/nlmchem/bioc
    python benchmarks/sieve_order.py --as-of 2021 --learn ../shared/data/biored/BioRED_TrainDev.PubTator.gz \
        --test ../shared/data/nlmchem/bioc

The precision of each sieve alone, the order that follows (`sieves.ordering`), and document-level strict F with it. If
both corpora are the same, the order for each fifth of the articles is learnt on the other four. Gold spans, as in
normalization.py. Time: 5 minutes for 30 articles of full text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bioc import BioCDocument
from normalization import Held, Scores, read, score

import corpora
from nlmchem.abbreviations.article.stage import AbbreviationStage
from sieves.cascade import DEFAULT_ORDER
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer
from sieves.ordering import Tally, by_precision, tallies

FOLDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexicon")
    parser.add_argument("--as-of", type=int)
    parser.add_argument("--learn", required=True)
    parser.add_argument("--test", required=True)
    given = parser.parse_args()
    with Lexicon.open(given.lexicon, given.as_of) as lexicon:
        rows = [tallies([document], lexicon) for document in documents(given.learn)]
        whole = total(rows)
        print("sieve\tanswered\tprecision")
        for row in whole:
            print(row.sieve, row.answered, "-" if row.precision is None else f"{row.precision:.3f}", sep="\t")
        print("learnt\t" + ",".join(by_precision(whole)), flush=True)
        tested = read([given.test])
        print("default", score(tested, Normalizer(lexicon)), sep="\t", flush=True)
        learnt = Scores()
        for articles, order in parts(tested, rows, given.learn == given.test):
            own = score(articles, Normalizer(lexicon, order))
            for name in ("tp", "fp", "fn", "right", "mentions"):
                setattr(learnt, name, getattr(learnt, name) + getattr(own, name))
        print("learnt", learnt, sep="\t")
    return 0


def parts(
    tested: Sequence[Held], rows: Sequence[Sequence[Tally]], folds: bool
) -> list[tuple[Sequence[Held], tuple[str, ...]]]:
    """Articles to test, and the order that is learnt without them."""
    if not folds:
        return [(tested, by_precision(total(rows)))]
    return [
        (tested[at::FOLDS], by_precision(total([row for number, row in enumerate(rows) if number % FOLDS != at])))
        for at in range(FOLDS)
    ]


def documents(path: str) -> list[BioCDocument]:
    """Gold articles in the order of `read`, with their definitions."""
    found = list(corpora.read([path]))
    AbbreviationStage()(found)
    return found


def total(rows: Sequence[Sequence[Tally]]) -> list[Tally]:
    """The sum of the tallies of articles."""
    summed = [Tally(name) for name in DEFAULT_ORDER]
    for own in rows:
        for whole, one in zip(summed, own, strict=True):
            whole.reached += one.reached
            whole.answered += one.answered
            whole.right += one.right
    return summed


if __name__ == "__main__":
    sys.exit(main())
