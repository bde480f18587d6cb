"""Every data set of this field through one door.

from corpora import datasets

corpus = datasets.open_corpus("bc5cdr", "downloads/bc5cdr")
for document in corpus.read("test"):
    ...

Annotated text comes as `bioc.BioCDocument`s with the offset invariant held and concept ids in one spelling;
acronym samples, word-in-context pairs and keyphrases come as the small dataclasses of
`corpora.datasets.samples`. docs/corpora.md lists what is read and how.
"""

from __future__ import annotations

from corpora.datasets.cards import Card, card, cards
from corpora.datasets.registry import Corpus, open_corpus

__all__ = ["Card", "Corpus", "card", "cards", "open_corpus"]
