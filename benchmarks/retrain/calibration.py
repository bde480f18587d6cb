"""Measures the calibration of the learnt decision, and writes it into the file of the decision. The trees stay.

    R="python -m benchmarks.retrain.record --data ../shared/data --sets open --tagger STAGE"
    $R --out SILVER && $R --out SHORT --passages
    python -m benchmarks.retrain.calibration SILVER SHORT -o nlmchem/deciding/default.json

STAGE: a tagger that has seen no annotation of these articles, as for the decision (`decision.py`). SILVER: whole
articles; SHORT: their passages as texts of their own. The decisions that choose the mentions are trained on the other
articles, as the shipped one, and get the spans of the default rules. For another tagger: record its stage, train the
decision with `decision.py`, then run this. It prints how the probabilities hold on mentions of articles that decision
and regression did not see. Time: 1 minute.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.retrain.decision import OPTIONS, WITHOUT_LISTS, in_32_bits, labelled
from benchmarks.scores.reliability import Answers, print_set
from indexing.learning.crossfit import Examples
from indexing.learning.linear import Floats
from nlmchem.deciding.calibrating import held_out
from nlmchem.deciding.calibration import OF_ARTICLES, OF_SHORT_TEXTS
from nlmchem.deciding.decision import read_model, write_model
from nlmchem.deciding.training import Labelled, calibration, unseen_mentions

DEFAULT_RULES = "default"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("short", type=Path)
    parser.add_argument("--set", default="open")
    parser.add_argument("--rules", default=WITHOUT_LISTS, help="the rules that the decision was trained with")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the file of the decision; it is changed")
    given = parser.parse_args()
    model = read_model(given.out)
    learnt_from = labelled(given.records, given.set, given.rules)
    as_annotated = labelled(given.records, given.set, DEFAULT_RULES)
    parts = defaultdict[str, list[Labelled]](list)
    for id, text in labelled(given.short, given.set, DEFAULT_RULES).items():
        parts[id.rpartition(".")[0]].append(text)
    recipe = (
        [in_32_bits(article) for article in learnt_from.values()],
        model,
        replace(OPTIONS, trees=len(model.trees.trees)),
        list(as_annotated.values()),
        [parts[id] for id in learnt_from],
    )
    measured = calibration(*recipe)
    if measured is None:
        raise SystemExit("too few mentions are right or wrong")
    write_model(given.out, replace(model, calibration=measured))
    whole, short = map(Examples.joined, unseen_mentions(*recipe))
    for name, examples, features in (("articles", whole, OF_ARTICLES), ("passages", short, OF_SHORT_TEXTS)):
        print_set(name, list(by_article(examples, held_out(examples, features))))
    print(f"short: up to {measured.few:g} mentions; whole articles: {measured.many:g} mentions or more")


def by_article(examples: Examples, probabilities: Floats) -> Iterator[Answers]:
    """The mentions of each article, in all divisions; without the number of gold mentions, so recall is left out."""
    for group in np.unique(examples.groups):
        own = examples.groups == group
        yield Answers(probabilities[own].round(4), examples.labels[own], 0)


if __name__ == "__main__":
    main()
