"""The most confident errors of a learnt decision: false mentions of high, missed mentions of low probability.

    python benchmarks/deciding/confident.py RECORDS FOLDER --set open [--number 25]

FOLDER has the models of the folds (`learnt.py --folds-out`). A text counts once for an article. A missed mention that
was no candidate has no probability, and comes after the others (column `-`).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from identifier_errors import overlap
from scoring import Record, read

from nlmchem.deciding.decision import Considered, Decision
from nlmchem.deciding.evidence import FEATURES
from nlmchem.deciding.trees import read_trees
from sieves.lexicon.lexicon import Lexicon

Row = tuple[float | None, str, str, str]
"""Probability, article, text, text around it."""
AROUND = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--set", default="open")
    parser.add_argument("--number", type=int, default=25)
    given = parser.parse_args()
    false: dict[tuple[str, str], Row] = {}
    missed: dict[tuple[str, str], Row] = {}
    times: Counter[tuple[str, str]] = Counter()
    with Lexicon.open(None) as lexicon:
        decisions = [Decision(lexicon, read_trees(path, FEATURES)) for path in sorted(given.model.glob("fold-*.json"))]
        for at, record in enumerate(read(given.records / f"{given.set}.jsonl.gz")):
            considered = decisions[at % len(decisions)].consider(record.document, record.copy())
            for is_false, row in errors(record, considered):
                key = row[1], row[2]
                times[key] += 1
                held = false if is_false else missed
                if key not in held or _rank(row, is_false) < _rank(held[key], is_false):
                    held[key] = row
    for name, held in (("false", false), ("missed", missed)):
        print(f"{name}: {len(held)} texts of articles")
        for row in sorted(held.values(), key=lambda row: _rank(row, name == "false"))[: given.number]:
            shown = "-" if row[0] is None else f"{row[0]:.4f}"
            print(name, shown, row[1], times[row[1], row[2]], row[2], row[3], sep="\t")


def _rank(row: Row, is_false: bool) -> tuple[float, str]:
    return (2.0 if row[0] is None else -row[0] if is_false else row[0]), row[2]


def errors(record: Record, considered: Considered) -> Iterator[tuple[bool, Row]]:
    """The false and the missed mentions of an article."""
    passages = record.document.passages
    places, probabilities = {}, considered.probabilities
    for at, (number, start, end) in enumerate(considered.evidence.spans):
        offset = passages[number].offset
        places[offset + start, offset + end] = at
    gold = {(spans[0][0], spans[-1][1]) for spans in record.gold}
    for place, at in places.items():
        if at in considered.chosen and place not in gold:
            touches = any(overlap(place, other) for other in gold)
            yield True, _row(record, place, float(probabilities[at]), "boundary" if touches else "")
    chosen = [place for place, at in places.items() if at in considered.chosen]
    for place in sorted(gold - set(chosen)):
        touches = any(overlap(place, other) for other in chosen)
        at = places.get(place, -1)
        probability = float(probabilities[at]) if at >= 0 else None
        yield False, _row(record, place, probability, "boundary" if touches else "")


def _row(record: Record, place: tuple[int, int], probability: float | None, note: str) -> Row:
    start, end = place
    passage = next(p for p in record.document.passages if p.offset <= start <= p.offset + len(p.text))
    first, last = start - passage.offset, end - passage.offset
    around = passage.text[max(0, first - AROUND) : first], passage.text[last : last + AROUND]
    return probability, str(record.document.id), passage.text[first:last], f"[{note}] {around[0]}«»{around[1]}"


if __name__ == "__main__":
    main()
