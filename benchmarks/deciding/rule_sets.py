"""What a learnt decision is worth after different sets of rules of the tagger, in cross-validation by article.

    python benchmarks/deciding/rule_sets.py RECORDS [--train OTHER] [--set open] [--floor 0.5]

The rule `lexicon` lets the starter names vote. They were chosen while reading the 30 open articles, so the figures of
`default` are optimistic there; those without it show more of what new articles get. The spans are decoded again from
the recorded probabilities (`record.py`). A decision is trained on the records of other articles; with `--train` on
those of OTHER, with the same rules or, in the last rows, without `lexicon`. The figures of decisions are means over
three divisions into five folds.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from learnt import by_knowledge, by_model
from rules import tagged
from scoring import f1, read

from nlmchem.deciding.training import DecisionOptions, Labelled, label, learn
from sieves.lexicon.lexicon import Lexicon

WITHOUT_LISTS = "boundaries,proteins,residues,codes,vote,abbreviations"
SETS = ("default", WITHOUT_LISTS, "none")
FOLDS, DIVISIONS = 5, 3

Articles = Mapping[str, Labelled]
"""The evidence of each article, by its id."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--train", type=Path)
    parser.add_argument("--set", default="open")
    parser.add_argument("--floor", type=float, default=0.5)
    parser.add_argument("--threshold", type=float, default=0.4)
    given = parser.parse_args()
    options = DecisionOptions(threshold=given.threshold, floor=given.floor)
    print("rules\tdecision\tP\tR\tF")
    for rules in SETS:
        articles = labelled(given.records, given.set, rules)
        row(rules, "knowledge", f1(by_knowledge(list(articles.values()))))
        row(rules, "learnt", crossed(articles, articles, options))
        if given.train:
            row(rules, "learnt on OTHER", crossed(articles, labelled(given.train, given.set, rules), options))
            other = labelled(given.train, given.set, WITHOUT_LISTS)
            row(rules, "learnt on OTHER without lists", crossed(articles, other, options))


@cache
def labelled(records: Path, name: str, rules: str) -> Articles:
    """The evidence of a set with these rules."""
    source = records / f"{name}.jsonl.gz"
    ids = [record.document.id for record in read(source)]
    with Lexicon.open(None) as lexicon:
        return dict(zip(ids, label(tagged(source, rules), lexicon), strict=True))


def crossed(articles: Articles, known: Articles, options: DecisionOptions) -> tuple[float, float, float]:
    """P, R and F of decisions that were trained on `known` without the articles of the fold, a mean over divisions."""
    scores = []
    for seed in range(DIVISIONS):
        fold = np.random.default_rng(seed).permutation(len(articles)) % FOLDS
        tallies = []
        for number in range(FOLDS):
            held = {id for id, at in zip(sorted(articles), fold, strict=True) if at == number}
            model = learn([one for id, one in known.items() if id not in held], options, report=lambda _: None)
            tallies += by_model([articles[id] for id in sorted(held)], model)
        scores.append(f1(tallies))
    precision, recall, f = np.mean(scores, axis=0).tolist()
    return precision, recall, f


def row(rules: str, decision: str, scores: Sequence[float]) -> None:
    print(rules, decision, *(f"{score:.4f}" for score in scores), sep="\t", flush=True)


if __name__ == "__main__":
    main()
