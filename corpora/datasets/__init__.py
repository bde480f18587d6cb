"""Readers for the corpora of this field.

from corpora import datasets

corpus = datasets.open_corpus("bc5cdr", "downloads/bc5cdr")
for document in corpus.read("test"):
    ...

Annotated text is read as `bioc.BioCDocument` objects with correct offsets and concept ids in one spelling. Acronym
samples are read as the dataclasses of `corpora.datasets.acronyms`.
docs/reference/corpora.md lists all corpora and their readers.
"""

from __future__ import annotations

from corpora.datasets.cards import Card, card, cards
from corpora.datasets.registry import Corpus, open_corpus

__all__ = ["Card", "Corpus", "card", "cards", "open_corpus"]
