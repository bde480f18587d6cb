"""Whether an article that a model is scored on stands among those that it learns from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from corpora.datasets.fingerprints import describe, fingerprint, leaks
from nlmchem.tagging.training.data import Corpus

__all__ = ["leakage"]


def leakage(learnt: Sequence[Corpus], scored: Sequence[Corpus]) -> list[str]:
    """A sentence for each corpus that is scored on: what of it stands in those that are learnt from.

    Articles are compared by id, DOI and near-identical text (`corpora.datasets.fingerprints`).
    """
    if not learnt:
        return []
    names = ", ".join(corpus.name for corpus in learnt)
    told = []
    for corpus in scored:
        left = [fingerprint(document) for document in corpus.documents]
        right = (fingerprint(document) for document in chain.from_iterable(other.documents for other in learnt))
        told.append(describe(leaks(left, right), corpus.name, names))
    return told
