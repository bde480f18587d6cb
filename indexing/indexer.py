"""What an indexer is: it takes an article whose mentions have concepts, and chooses those that the article is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bioc import BioCDocument

__all__ = [
    "NO_CONCEPTS",
    "Choice",
    "Concepts",
    "Contribution",
    "Explained",
    "Explanation",
    "Indexer",
    "Named",
    "entry_term",
    "ranked",
]


@dataclass(frozen=True, slots=True)
class Choice:
    """A concept that an article is to be indexed with.

    `identifier` as `MESH:D014867`; `score` in 0..1, comparable within one indexer alone; `entry_term` is what the
    lexicon calls the concept, else the name that the article uses most.
    """

    identifier: str
    score: float
    entry_term: str


class Named(Protocol):
    """What a name stands for."""

    @property
    def identifiers(self) -> tuple[str, ...]:
        """One concept, or several that are named together."""
        ...


class Concepts(Protocol):
    """What an indexer may ask of a lexicon; a lexicon without a tree answers with nothing."""

    def lookup(self, name: str) -> Sequence[Named]:
        """What a name stands for, the best first."""
        ...

    def preferred_name(self, identifier: str) -> str | None:
        """What a concept is called; None for one that is not known."""
        ...

    def trees(self, identifier: str) -> tuple[str, ...]:
        """Its tree numbers (`D02.241.081`); of a supplementary record, those of the headings it maps to."""
        ...


class _NoConcepts:
    def lookup(self, name: str) -> Sequence[Named]:
        return ()

    def preferred_name(self, identifier: str) -> str | None:
        return None

    def trees(self, identifier: str) -> tuple[str, ...]:
        return ()


NO_CONCEPTS: Concepts = _NoConcepts()
"""A lexicon that knows nothing."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a feature says of a candidate: its value, and what that adds to the candidate's log-odds.

    `contribution` is None where an indexer has rules in place of weights.
    """

    feature: str
    value: float
    contribution: float | None


@dataclass(frozen=True, slots=True)
class Explained:
    """A candidate with its score, and why it has it: the strongest contributions first."""

    identifier: str
    entry_term: str
    score: float
    chosen: bool
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every candidate of an article, the best first. `base`: the log-odds before any feature has spoken."""

    document: str
    indexer: str
    version: str
    threshold: float
    base: float | None
    candidates: tuple[Explained, ...]

    def choices(self) -> list[Choice]:
        """Those that are chosen, in the same order."""
        return [Choice(found.identifier, found.score, found.entry_term) for found in self.candidates if found.chosen]


class Indexer(Protocol):
    """Chooses concepts of an article from those of its mentions; keeps nothing from one article to the next.

    `name` is what to say to `indexing.registry.open_indexer`; `version` the sha256 of the model, or the name with
    its parameters.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...

    def __call__(self, document: BioCDocument) -> list[Choice]:
        """The chosen concepts, the best first; of equals by identifier."""
        ...

    def explain(self, document: BioCDocument) -> Explanation:
        """Every candidate, chosen or not, and why."""
        ...


def ranked(candidates: Iterable[Explained]) -> tuple[Explained, ...]:
    """The best first, of equals by identifier."""
    return tuple(sorted(candidates, key=lambda item: (-item.score, item.identifier)))


def entry_term(identifier: str, surfaces: Sequence[str], concepts: Concepts) -> str:
    """What to call a concept: by the lexicon's preferred name, else by the article's most frequent wording."""
    return concepts.preferred_name(identifier) or (surfaces[0] if surfaces else identifier)
