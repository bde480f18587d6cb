"""The protocol of indexers: an indexer chooses the concepts of an article's mentions that the article is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bioc import BioCDocument


@dataclass(frozen=True, slots=True)
class ChosenTerm:
    """A chosen concept: an index term of the article.

    `identifier`: for example `MESH:D014867`. `score`: 0..1, comparable only within one indexer. `entry_term`: the
    preferred name in the lexicon; if it has none, the most frequent text in the article.
    """

    identifier: str
    score: float
    entry_term: str


class Meaning(Protocol):
    """The meaning of a name."""

    @property
    def identifiers(self) -> tuple[str, ...]:
        """One concept, or several for a mixture."""
        ...


class Concepts(Protocol):
    """The part of a lexicon that indexers use.

    A lexicon without tree numbers returns empty tuples for them, and one without mappings for the headings of records.
    """

    def lookup(self, name: str) -> Sequence[Meaning]:
        """The meanings of a name, best first."""
        ...

    def preferred_name(self, identifier: str) -> str | None:
        """The preferred name of a concept; None for an unknown one."""
        ...

    def trees(self, identifier: str) -> tuple[str, ...]:
        """The tree numbers of a concept (`D02.241.081`); for a supplementary record, those of its headings."""
        ...

    def parents(self, identifier: str) -> tuple[str, ...]:
        """The broader concepts; for a supplementary record, the headings that it maps to."""
        ...

    def translate(self, identifier: str) -> str | None:
        """An identifier of any year as the year in use has it; None if that year does not have the concept."""
        ...


class _NoConcepts:
    def lookup(self, name: str) -> Sequence[Meaning]:
        return ()

    def preferred_name(self, identifier: str) -> str | None:
        return None

    def trees(self, identifier: str) -> tuple[str, ...]:
        return ()

    def parents(self, identifier: str) -> tuple[str, ...]:
        return ()

    def translate(self, identifier: str) -> str | None:
        return identifier


NO_CONCEPTS: Concepts = _NoConcepts()
"""An empty lexicon."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """The value of a feature for a candidate, and what it adds to the candidate's log-odds.

    `contribution` is None for indexers with rules instead of weights.
    """

    feature: str
    value: float
    contribution: float | None


def by_strength(contributions: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """Contributions, the strongest first; equal ones by the name of the feature."""
    return tuple(sorted(contributions, key=lambda item: (-abs(item.contribution or 0.0), item.feature)))


@dataclass(frozen=True, slots=True)
class ExplainedTerm:
    """A candidate with its score and the contributions to it, the strongest first."""

    identifier: str
    entry_term: str
    score: float
    chosen: bool
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class TermExplanation:
    """Every candidate of an article, best first. `base`: the log-odds without any feature."""

    document: str
    indexer: str
    version: str
    threshold: float
    base: float | None
    candidates: tuple[ExplainedTerm, ...]

    def choices(self) -> list[ChosenTerm]:
        """The chosen candidates, in the same order."""
        return [ChosenTerm(term.identifier, term.score, term.entry_term) for term in self.candidates if term.chosen]


class Indexer(Protocol):
    """Chooses concepts of an article. An indexer stores nothing between articles.

    `name`: its name in `indexing.terms.registry.open_indexer`. `version`: the sha256 of the model, or the name with its
    parameters.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...

    def __call__(self, document: BioCDocument) -> list[ChosenTerm]:
        """The chosen concepts, best first; equal scores are ordered by identifier."""
        ...

    def explain(self, document: BioCDocument) -> TermExplanation:
        """Every candidate, chosen or not, with the reasons."""
        ...


def ranked(candidates: Iterable[ExplainedTerm]) -> tuple[ExplainedTerm, ...]:
    """Candidates ordered by score, then by identifier."""
    return tuple(sorted(candidates, key=lambda item: (-item.score, item.identifier)))


def entry_term(identifier: str, surfaces: Sequence[str], concepts: Concepts) -> str:
    """The preferred name of a concept in the lexicon; if it has none, the most frequent text in the article."""
    return concepts.preferred_name(identifier) or (surfaces[0] if surfaces else identifier)
