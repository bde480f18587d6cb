"""Dataclasses for data that is not annotated articles: acronyms, keyphrases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
