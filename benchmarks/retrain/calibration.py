"""Measures the calibration of the learnt decision, and writes it into the file of the decision. The trees stay.

    R="python -m benchmarks.retrain.record --data ../shared/data"
    $R --out SILVER --sets open --tagger STAGE
    $R --out SHORT --sets open --tagger STAGE --passages
    $R --out ABSTRACTS --sets bc5cdr-train,biored-train,chemdner-train,drugprot-dev --number 500
    python -m benchmarks.retrain.calibration SILVER SHORT ABSTRACTS -o nlmchem/deciding/default.json

STAGE: a tagger that has seen no annotation of these articles, as for the decision (`decision.py`). SILVER: whole
articles; SHORT: their passages as texts of their own. The decisions that choose the mentions are trained on the other
articles, as the shipped one, and get the spans of the default rules. ABSTRACTS: of corpora with other guidelines, by
the embedded tagger, which saw them, and the decision of the file, which saw none of them. In the regression for short
texts the passages and each of these corpora count alike. For another tagger: record its stage, train the decision with
`decision.py`, then run this. It prints how the probabilities hold on mentions of articles that decision and regression
did not see; those of abstracts by a regression without their corpus. Time: 2 minutes.
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
from nlmchem.deciding.calibration import OF_ARTICLES, OF_SHORT_TEXTS
from nlmchem.deciding.decision import DecisionModel, read_model, write_model
from nlmchem.deciding.training import Labelled, calibration, fitted, held_out, short_mentions, unseen_mentions

DEFAULT_RULES = "default"
ABSTRACTS = ("bc5cdr-train", "biored-train", "chemdner-train", "drugprot-dev")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("short", type=Path)
    parser.add_argument("abstracts", type=Path)
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
    others = {name: abstracts(given.abstracts, name, model) for name in ABSTRACTS}
    measured = calibration(*recipe, list(others.values()))
    if measured is None:
        raise SystemExit("too few mentions are right or wrong")
    write_model(given.out, replace(model, calibration=measured))
    whole, short = map(Examples.joined, unseen_mentions(*recipe))
    print_set("articles", list(by_article(whole, held_out(whole, OF_ARTICLES))))
    print_set("passages", list(by_article(short, held_out(short, OF_SHORT_TEXTS, list(others.values())))))
    for name, examples in others.items():
        rest = [short, *(source for other, source in others.items() if other != name)]
        probabilities = fitted(rest, OF_SHORT_TEXTS).probabilities(examples.values)
        print_set(f"{name}, fitted without it", list(by_article(examples, probabilities)))
    print(f"short: up to {measured.few:g} mentions; whole articles: {measured.many:g} mentions or more")


def abstracts(records: Path, name: str, model: DecisionModel) -> Examples:
    """The mentions of a corpus that the decision did not see."""
    return short_mentions(list(labelled(records, name, DEFAULT_RULES).values()), model)


def by_article(examples: Examples, probabilities: Floats) -> Iterator[Answers]:
    """The mentions of each article, in all divisions; without the number of gold mentions, so recall is left out."""
    for group in np.unique(examples.groups):
        own = examples.groups == group
        yield Answers(probabilities[own].round(4), examples.labels[own], 0)


if __name__ == "__main__":
    main()
