"""Dataclasses for data that is not annotated articles: acronyms, context pairs, keyphrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpora.model.document import Span

__all__ = [
    "GROUPS",
    "AcronymSample",
    "AcronymSentence",
    "ContextPair",
    "Expansion",
    "KeyphraseArticle",
    "Sentence",
]

GROUPS = ("term_identity", "abbreviations", "synonyms", "label_similarity")
"""The four groups of pairs in BioWiC, as named in its files."""


@dataclass(frozen=True, slots=True)
class AcronymSentence:
    """A sentence with a label for each token: `B-short`, `I-short`, `B-long`, `I-long` or `O`."""

    id: str
    tokens: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expansion:
    """A long form of an acronym. `popularity`: how often it occurred (1 if unknown)."""

    long_form: str
    popularity: int = 1


@dataclass(frozen=True, slots=True)
class AcronymSample:
    """An acronym in a sentence, with its long form there.

    `position`: index of the acronym's token. `masked`: whether that token is a mask instead of the acronym.
    `candidates`: the long forms in the dictionary; empty if the samples have no dictionary.
    """

    id: str
    tokens: tuple[str, ...]
    position: int
    short_form: str
    long_form: str
    candidates: tuple[Expansion, ...] = ()
    masked: bool = False


@dataclass(frozen=True, slots=True)
class ContextPair:
    """Two terms, each in its sentence. Spans count code points in it. `same`: whether the meanings are equal."""

    term1: str
    term2: str
    sentence1: str
    sentence2: str
    span1: Span
    span2: Span
    group: str
    same: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a prepared text, with `section` and `type` as in the source."""

    tokens: tuple[str, ...]
    section: str
    type: str


@dataclass(frozen=True, slots=True)
class KeyphraseArticle:
    """An article with keyphrases by annotator group; each keyphrase is a tuple of accepted variants.

    `stemmed`: the same keyphrases, Porter-stemmed by the publisher.
    """

    id: str
    sentences: tuple[Sentence, ...]
    keyphrases: Mapping[str, tuple[tuple[str, ...], ...]]
    stemmed: Mapping[str, tuple[tuple[str, ...], ...]]
