"""Strict scores of the index terms of annotated articles, and the share of gold terms among the candidates.

    python benchmarks/indexing/shipped.py ANNOTATED... --gold ../shared/data/indexing/gold.jsonl

One line for each folder of articles that `nlmchem annotate` has tagged, normalized and indexed. Nothing is fitted:
articles that the indexer was trained on score better than others.
"""

from __future__ import annotations

import argparse
import json

import corpora
from corpora.datasets.gold_terms import read_gold_terms
from corpora.model.document import index_terms, mentions
from corpora.model.metadata import join_key


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", nargs="+")
    parser.add_argument("--gold", required=True)
    given = parser.parse_args()
    gold = {
        join_key(document): {t.identifier for t in index_terms(document)} for document in read_gold_terms(given.gold)
    }
    for folder in given.annotated:
        print(json.dumps({"run": folder, **scores(folder, gold)}))


def scores(folder: str, gold: dict[str, set[str]]) -> dict[str, float]:
    """Micro-averaged over the articles of a folder."""
    wanted = chosen = right = candidates = articles = 0
    for document in corpora.read(folder):
        own, found = gold[join_key(document)], {term.identifier for term in index_terms(document)}
        named = {identifier for mention in mentions(document) for identifier in mention.identifiers}
        articles += 1
        wanted, chosen, right = wanted + len(own), chosen + len(found), right + len(own & found)
        candidates += len(own & named)
    return {
        "articles": articles,
        "precision": round(right / max(1, chosen), 4),
        "recall": round(right / max(1, wanted), 4),
        "f1": round(2 * right / max(1, wanted + chosen), 4),
        "among candidates": round(candidates / max(1, wanted), 4),
    }


if __name__ == "__main__":
    main()
