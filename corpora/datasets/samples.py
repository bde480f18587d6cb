"""The small shapes of data that is not annotated articles."""

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
"""BioWiC's four groups of pairs, as its files name them."""


@dataclass(frozen=True, slots=True)
class AcronymSentence:
    """A sentence whose tokens are tagged `B-short`, `I-short`, `B-long`, `I-long` or `O`."""

    id: str
    tokens: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expansion:
    """A long form of an acronym; `popularity`: how often it was counted (1 where nobody counted)."""

    long_form: str
    popularity: int = 1


@dataclass(frozen=True, slots=True)
class AcronymSample:
    """An acronym in a sentence, and what it stands for there.

    `position` is the acronym's token. `masked`: the token there is a mask, not the acronym. `candidates` are the
    dictionary's long forms of it; empty where there is no dictionary beside the samples.
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
    """Two terms, each in its sentence: do they mean the same? Spans are code points in the sentence."""

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
    """A sentence of a prepared text; `section` and `type` as the source names them."""

    tokens: tuple[str, ...]
    section: str
    type: str


@dataclass(frozen=True, slots=True)
class KeyphraseArticle:
    """An article with keyphrases by who gave them; each keyphrase is a tuple of accepted variants.

    `stemmed` holds the same keyphrases, Porter-stemmed by the publisher.
    """

    id: str
    sentences: tuple[Sentence, ...]
    keyphrases: Mapping[str, tuple[tuple[str, ...], ...]]
    stemmed: Mapping[str, tuple[tuple[str, ...], ...]]
