"""Dataclasses for data that is not annotated articles: sentences and samples of acronyms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AcronymSentence:
    """A sentence with a label for each token: `B-short`, `I-short`, `B-long`, `I-long` or `O`."""

    id: str
    tokens: tuple[str, ...]
    labels: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """What `nlmchem corpora stats` adds up."""
        begins = {"short_forms": "B-short", "long_forms": "B-long"}
        return {"sentences": 1, **{name: self.labels.count(label) for name, label in begins.items()}}


@dataclass(frozen=True, slots=True)
class AcronymSense:
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
    candidates: tuple[AcronymSense, ...] = ()
    masked: bool = False
