"""A sample of a tagger's errors with the text around them, to be read: missed, cut wrongly, false.

    python benchmarks/tagger_errors.py GOLD PREDICTED [--number 100] [--around 60]

The same sample for the same files. Each line: kind, article, what is right, what was predicted, the text around it.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.model.document import join_key, mentions, passage_text

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fault:
    """`gold` and `predicted` are texts, empty where there is none."""

    kind: str
    article: str
    gold: str
    predicted: str
    around: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("predicted", type=Path)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--around", type=int, default=60, help="characters on each side")
    given = parser.parse_args()
    predicted = {join_key(document): document for document in corpora.read(given.predicted)}
    found = [
        fault
        for gold in corpora.read(given.gold)
        for fault in faults(gold, predicted[join_key(gold)], given.around)
    ]  # fmt: skip
    print(dict(Counter(fault.kind for fault in found)))
    for fault in sorted(found, key=by_chance)[: given.number]:
        print("\t".join((fault.kind, fault.article, fault.gold or "-", fault.predicted or "-", fault.around)))


def faults(gold: BioCDocument, predicted: BioCDocument, around: int) -> list[Fault]:
    """Every gold mention that was not found as it is, and every predicted one that touches no gold mention."""
    right, told = places(gold), places(predicted)
    text = {p.offset: passage_text(p) for p in gold.passages}

    def fault(kind: str, place: Place, one: str, other: str) -> Fault:
        offset = max(start for start in text if start <= place[0])
        own = text[offset]
        start, end = place[0] - offset, place[1] - offset
        context = f"{own[max(0, start - around) : start]}[[{own[start:end]}]]{own[end : end + around]}"
        return Fault(kind, join_key(gold), one, other, " ".join(context.split()))

    found = []
    for place, name in sorted(right.items()):
        if place not in told:
            touching = [other for span, other in sorted(told.items()) if touches(place, span)]
            found.append(fault("cut wrongly" if touching else "missed", place, name, " | ".join(touching)))
    for place, name in sorted(told.items()):
        if not any(touches(place, span) for span in right):
            found.append(fault("false", place, "", name))
    return found


def places(document: BioCDocument) -> dict[Place, str]:
    return {(mention.spans[0][0], mention.spans[-1][1]): mention.text for mention in mentions(document)}


def touches(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def by_chance(fault: Fault) -> str:
    return hashlib.sha256(repr(fault).encode()).hexdigest()


if __name__ == "__main__":
    main()
