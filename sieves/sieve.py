"""The protocol of sieves: a sieve receives a mention in its article and returns candidate concepts with evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SieveCandidate:
    """One answer of a sieve."""

    identifiers: tuple[str, ...]
    """The concepts, in the order of the text."""
    sieve: str
    matched_name: str
    """The name of the lexicon that matched."""
    layer: str = ""
    """The source of that name."""
    score: float | None = None
    """0..1, where the sieve has degrees (edit distance, cosine)."""
    via: str | None = None
    """The text that the sieve looked up; None where it is the mention itself."""


@dataclass(frozen=True, slots=True)
class ArticleContext:
    """The part of an article that sieves can read. All texts are tidied (`sieves.lexicon.keys.tidy`)."""

    definitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Short form -> long forms, in the order of the article."""
    surfaces: frozenset[str] = frozenset()
    """The texts of all mentions."""
    inferred: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """Short form without definition -> its long form in a dictionary of short forms, and the probability."""
    appositions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Text of a mention -> texts of the mentions that only a bracket divides from it: `potassium iodide (KI)`."""
    names_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Text of a mention that begins a bracket -> texts of the mentions before it."""


@dataclass(frozen=True, slots=True)
class Needs:
    """The parts of an article that a sieve reads."""

    definitions: bool = False
    """The definitions whose short form occurs in the text."""
    surfaces: re.Pattern[str] | None = None
    """The other mentions, for the texts in which this pattern is found; None if it never reads them."""
    inferred: bool = False
    """The inferred long forms whose short form occurs in the text."""

    def of(self, text: str, article: ArticleContext) -> bool:
        """Whether the answer to a text, or to a part of it, can depend on this article."""
        return (
            (self.definitions and any(short.removesuffix("s") in text for short in article.definitions))
            or (self.inferred and any(short in text for short in article.inferred))
            or (self.surfaces is not None and self.surfaces.search(text) is not None)
        )


NOTHING = Needs()
DEFINITIONS = Needs(definitions=True)


class PartResolver(Protocol):
    """Resolves a part or another form of a mention; returns None where no sieve has an answer."""

    def __call__(self, text: str, whole: bool = False) -> SieveCandidate | None:
        """Try the sieves before the calling one. `whole`: try all sieves, without the definitions of the article."""
        ...


class Sieve(Protocol):
    """One way to find the concepts of a mention."""

    @property
    def name(self) -> str:
        """The name in the evidence, in the order of sieves and in the registry."""
        ...

    @property
    def needs(self) -> Needs:
        """What the sieve reads of the article. Answers that need nothing are cached and shared by all articles.

        A sieve that declares `NOTHING` receives an empty article.
        """
        ...

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> Sequence[SieveCandidate]:
        """Candidates for a tidied text, best first; empty where the sieve has no answer."""
        ...
