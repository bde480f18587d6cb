"""Prints a sample of the errors of a tagger with their context: missed, wrong boundaries, false.

    python benchmarks/tagging/errors.py GOLD PREDICTED [--number 100] [--around 60]

Each line has the kind, the article, the gold text, the predicted text and the context. The same files give the same
sample. GOLD and PREDICTED are files or folders with mentions.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.model.document import mentions
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fault:
    """An error. `gold` and `predicted` are texts, empty if there is none."""

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
    """Every gold mention without an equal prediction, and every prediction that overlaps no gold mention."""
    right, predictions = places(gold), places(predicted)
    text = {p.offset: passage_text(p) for p in gold.passages}

    def fault(kind: str, place: Place, one: str, other: str) -> Fault:
        offset = max(start for start in text if start <= place[0])
        own = text[offset]
        start, end = place[0] - offset, place[1] - offset
        context = f"{own[max(0, start - around) : start]}[[{own[start:end]}]]{own[end : end + around]}"
        return Fault(kind, join_key(gold), one, other, " ".join(context.split()))

    found = []
    for place, name in sorted(right.items()):
        if place not in predictions:
            touching = [other for span, other in sorted(predictions.items()) if touches(place, span)]
            found.append(fault("wrong boundaries" if touching else "missed", place, name, " | ".join(touching)))
    for place, name in sorted(predictions.items()):
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
