"""Finds articles that are both trained on and scored on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from corpora.tools.leaks import describe, fingerprint, leaks
from nlmchem.tagging.training.data import Corpus

__all__ = ["leakage"]


def leakage(trained: Sequence[Corpus], scored: Sequence[Corpus]) -> list[str]:
    """One sentence per scored corpus: how many of its articles are in the training corpora.

    Articles are compared by id, DOI and near-identical text (`corpora.tools.leaks`).
    """
    if not trained:
        return []
    names = ", ".join(corpus.name for corpus in trained)
    sentences = []
    for corpus in scored:
        left = [fingerprint(document) for document in corpus.documents]
        right = (fingerprint(document) for document in chain.from_iterable(other.documents for other in trained))
        sentences.append(describe(leaks(left, right), corpus.name, names))
    return sentences
