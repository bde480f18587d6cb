"""Compares distant labels (`nlmchem corpora distant`) with the mentions of annotators.

    D=../shared/data
    python benchmarks/tagging/distant_labels.py $D/nlmchem/bioc chemdner/test=$D/chemdner [--articles 300]

For each corpus: the precision of the labels (exact spans), and the shares of the mentions that are labelled exactly,
that only overlap a label, that are masked, and that count as outside. Time: 10 seconds for 30 articles.
"""

from __future__ import annotations

import argparse
import copy
from collections import Counter
from collections.abc import Iterable

from bioc import BioCDocument

from corpora.model.document import Mention, Span, mentions
from nlmchem.tagging.gazetteer.classes import shipped_gazetteer
from nlmchem.tagging.training.data import read_corpus
from nlmchem.tagging.training.distant import distantly_labelled, masked

SHARES = ("exact", "overlaps", "masked", "outside")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--articles", type=int, default=300)
    given = parser.parse_args()
    for name in given.corpora:
        documents = read_corpus(name, report=lambda _: None).documents[: given.articles]
        total: Counter[str] = Counter()
        for document in documents:
            total += counted(document)
        gold = sum(total[share] for share in SHARES)
        shares = ", ".join(f"{share} {total[share] / gold:.3f}" for share in SHARES)
        precision = total["exact"] / total["labels"]
        print(f"{name}: {len(documents)} articles, {total['labels']} labels, precision {precision:.3f}; {shares}")


def counted(document: BioCDocument) -> Counter[str]:
    """The labels of an article, and its gold mentions by what distant labels make of them."""
    labelled = copy.deepcopy(document)
    distantly_labelled(labelled, shipped_gazetteer(strict=True))
    labels, hidden = spans(mentions(labelled)), spans(masked(labelled))
    found = Counter(share(span, labels, hidden) for span in sorted(spans(mentions(document))))
    found["labels"] = len(labels)
    return found


def spans(found: Iterable[Mention]) -> set[Span]:
    """First and last offset of each mention."""
    return {(mention.spans[0][0], mention.spans[-1][1]) for mention in found}


def share(span: Span, labels: set[Span], hidden: set[Span]) -> str:
    """What distant labels make of a gold mention: one of `SHARES`."""
    if span in labels:
        return "exact"
    if overlaps(span, labels):
        return "overlaps"
    return "masked" if overlaps(span, hidden) else "outside"


def overlaps(span: Span, others: set[Span]) -> bool:
    """Whether a span has a character in common with one of `others`."""
    return any(start < span[1] and span[0] < end for start, end in others)


if __name__ == "__main__":
    main()
