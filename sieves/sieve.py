"""The protocol of sieves: a sieve receives a mention in its article and returns candidate concepts with evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SieveCandidate:
    """One answer of a sieve.

    `identifiers`: the concepts, in the order of the text. `matched_name`: the name of the lexicon that matched, and
    `layer` the source of that name. `via`: the text that the sieve looked up, None where it is the mention itself.
    `score` lies in 0..1 where the sieve has degrees (edit distance, cosine).
    """

    identifiers: tuple[str, ...]
    sieve: str
    matched_name: str
    layer: str = ""
    score: float | None = None
    via: str | None = None


@dataclass(frozen=True, slots=True)
class ArticleContext:
    """The part of an article that sieves can read.

    `definitions`: short form -> long forms, in the order of the article. `surfaces`: the texts of all mentions, tidied
    (`sieves.lexicon.keys.tidy`). `inferred`: short form without definition -> its long form in a dictionary of short
    forms, and the probability. `appositions`: text of a mention -> texts of the mentions beside it that are divided
    from it by a bracket only, as in `potassium iodide (KI)`. `names_before`: text of a mention that begins a bracket ->
    texts of the mentions before it.
    """

    definitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    surfaces: frozenset[str] = frozenset()
    inferred: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    appositions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Needs:
    """The parts of an article that a sieve reads.

    `definitions`: the sieve reads the definitions whose short form occurs in the text. `surfaces`: the sieve reads the
    other mentions, for the texts in which this pattern is found; None if it never reads them. `inferred`: the sieve
    reads the inferred long forms whose short form occurs in the text.
    """

    definitions: bool = False
    surfaces: re.Pattern[str] | None = None
    inferred: bool = False

    def of(self, text: str, article: ArticleContext) -> bool:
        """Whether the answer to a text, or to a part of it, can depend on this article."""
        if self.definitions and any(short in text for short in article.definitions):
            return True
        if self.inferred and any(short in text for short in article.inferred):
            return True
        return self.surfaces is not None and self.surfaces.search(text) is not None


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
