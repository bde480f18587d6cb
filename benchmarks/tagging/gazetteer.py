"""Counts the gazetteer classes of tokens in gold articles, and the share of tokens of each class in mentions.

    python benchmarks/tagging/gazetteer.py --data ../shared/data [--articles 8]

A class is the number of a class by MeSH (`nlmchem.tagging.gazetteer.classes`), and 0, 1 or 2 for a token that is not in
an annotated name, its first token, or a later one. Time: 5 seconds.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
from bioc import BioCDocument

import corpora
from corpora.model.document import mentions
from corpora.model.passages import passage_text
from nlmchem.tagging.gazetteer.classes import MESH_CLASSES, shipped_gazetteer
from nlmchem.tagging.tokenization.tokens import TOKEN


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--articles", type=int, default=8)
    given = parser.parse_args()
    seen: Counter[int] = Counter()
    marked: Counter[int] = Counter()
    shipped_gazetteer()
    begun = time.process_time()
    for document in islice(corpora.read(given.data / "nlmchem" / "bioc"), given.articles):
        count(document, seen, marked)
    for kind in sorted(seen):
        share = marked[kind] / seen[kind]
        print(f"MeSH {kind % MESH_CLASSES}, annotated {kind // MESH_CLASSES}: {share:.3f} of {seen[kind]:,}")
    print(f"{(time.process_time() - begun) / given.articles:.2f} s of processor time for an article")


def count(document: BioCDocument, seen: Counter[int], marked: Counter[int]) -> None:
    """Add the tokens of an article, and those in mentions, to the counts of their classes."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for mention in mentions(document):
        spans.setdefault(id(mention.passage), []).extend(mention.spans)
    for passage in document.passages:
        text = passage_text(passage)
        tokens = [token.span() for token in TOKEN.finditer(text)]
        starts = np.array([start for start, _ in tokens], dtype=np.int32)
        ends = np.array([end for _, end in tokens], dtype=np.int32)
        inside = np.zeros(len(tokens), dtype=bool)
        for start, end in spans.get(id(passage), ()):
            first = np.searchsorted(ends, start - passage.offset, side="right")
            inside[first : np.searchsorted(starts, end - passage.offset)] = True
        classes = shipped_gazetteer()(text, starts, ends)
        seen.update(classes.tolist())
        marked.update(classes[inside].tolist())


if __name__ == "__main__":
    main()
