"""Measures the calibration of the learnt decision, and writes it into the file of the decision. The trees stay.

    R="python -m benchmarks.retrain.record --data ../shared/data --sets open --tagger STAGE"
    $R --out SILVER && $R --out SHORT --passages
    python -m benchmarks.retrain.calibration SILVER SHORT -o nlmchem/deciding/default.json

STAGE: a tagger that has seen no annotation of these articles, as for the decision (`decision.py`). SILVER: whole
articles; SHORT: their passages as texts of their own. The decisions that choose the mentions are trained on the other
articles, as the shipped one, and get the spans of the default rules. For another tagger: record its stage, train the
decision with `decision.py`, then run this. Time: 1 minute.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from benchmarks.retrain.decision import OPTIONS, WITHOUT_LISTS, in_32_bits, labelled
from nlmchem.deciding.decision import read_model, write_model
from nlmchem.deciding.training import Labelled, calibration

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
    measured = calibration(
        [in_32_bits(article) for article in learnt_from.values()],
        model,
        replace(OPTIONS, trees=len(model.trees.trees)),
        list(as_annotated.values()),
        [parts[id] for id in learnt_from],
    )
    if measured is None:
        raise SystemExit("too few mentions are right or wrong")
    write_model(given.out, replace(model, calibration=measured))
    print(f"short: up to {measured.few:g} mentions; whole articles: {measured.many:g} mentions or more")


if __name__ == "__main__":
    main()
