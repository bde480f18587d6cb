"""What a learnt decision is worth after different sets of rules of the tagger, in cross-validation by article.

    python benchmarks/deciding/rule_sets.py RECORDS [--set open] [--floors 0.7,0.01]

The rule `lexicon` lets the starter names vote. They were chosen while reading the 30 open articles, so the figures of
`default` are optimistic there; those without it show more of what new articles get. The spans are decoded again from
the recorded probabilities (`record.py`). The figures are means over three divisions into five folds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from learnt import by_knowledge, by_model
from rules import tagged
from scoring import f1

from nlmchem.deciding.training import DecisionOptions, Labelled, label, learn
from sieves.lexicon.lexicon import Lexicon

SETS = ("default", "boundaries,proteins,residues,codes,vote,abbreviations", "boundaries,proteins", "none")
FOLDS, DIVISIONS = 5, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--set", default="open")
    parser.add_argument("--floors", default="0.7,0.01")
    parser.add_argument("--threshold", type=float, default=0.4)
    given = parser.parse_args()
    floors = [float(floor) for floor in given.floors.split(",")]
    print("rules\tdecision\tP\tR\tF")
    for rules in SETS:
        with Lexicon.open(None) as lexicon:
            articles = list(label(tagged(given.records / f"{given.set}.jsonl.gz", rules), lexicon))
        row(rules, "knowledge", f1(by_knowledge(articles)))
        for floor in floors:
            options = DecisionOptions(threshold=given.threshold, floor=floor)
            row(rules, f"learnt, floor {floor:g}", crossed(articles, options))


def crossed(articles: Sequence[Labelled], options: DecisionOptions) -> tuple[float, float, float]:
    """P, R and F of decisions that were trained on the other folds, a mean over divisions."""
    scores = []
    for seed in range(DIVISIONS):
        fold = np.random.default_rng(seed).permutation(len(articles)) % FOLDS
        tallies = []
        for number in range(FOLDS):
            train = [one for one, at in zip(articles, fold, strict=True) if at != number]
            model = learn(train, options, report=lambda _: None)
            tallies += by_model([one for one, at in zip(articles, fold, strict=True) if at == number], model)
        scores.append(f1(tallies))
    precision, recall, f = np.mean(scores, axis=0).tolist()
    return precision, recall, f


def row(rules: str, decision: str, scores: Sequence[float]) -> None:
    print(rules, decision, *(f"{score:.4f}" for score in scores), sep="\t", flush=True)


if __name__ == "__main__":
    main()
