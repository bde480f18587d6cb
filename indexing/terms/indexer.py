"""Indexers: what they choose among the concepts of an article, why, and the pipeline stage that adds it to articles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from corpora.errors import Argument, ArticleError, OptionError
from corpora.words.quantities import quantity

if TYPE_CHECKING:
    from bioc import BioCDocument

EXISTING = ("keep", "replace", "error")


@dataclass(frozen=True, slots=True)
class ChosenTerm:
    """A chosen concept: an index term of the article."""

    identifier: str
    """For example `MESH:D014867`."""
    score: float
    """0..1, comparable only within one indexer."""
    entry_term: str
    """The preferred name in the lexicon; if it has none, the most frequent text in the article."""


class NameMeaning(Protocol):
    @property
    def identifiers(self) -> tuple[str, ...]:
        """One concept, or several for a mixture."""
        ...


class Concepts(Protocol):
    """The part of a lexicon that indexers use.

    A lexicon without tree numbers returns empty tuples for them, and one without mappings for the headings of records.
    """

    def lookup(self, name: str) -> Sequence[NameMeaning]:
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
    def lookup(self, name: str) -> Sequence[NameMeaning]:
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


def entry_term(identifier: str, surfaces: Sequence[str], concepts: Concepts) -> str:
    """The preferred name of a concept in the lexicon; if it has none, the most frequent text in the article."""
    return concepts.preferred_name(identifier) or (surfaces[0] if surfaces else identifier)


# -- explanations -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contribution:
    """The value of a feature for a candidate, and what it adds to the candidate's log-odds.

    `contribution` is None for indexers with rules instead of weights.
    """

    feature: str
    value: float
    contribution: float | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: `{feature, value, contribution}`; numbers have 4 decimals."""
        return {"feature": self.feature, "value": round(self.value, 4), "contribution": _rounded(self.contribution)}


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

    def as_dict(self) -> dict[str, Any]:
        """For JSON: `{identifier, entry_term, score, chosen, contributions}`."""
        return {
            "identifier": self.identifier,
            "entry_term": self.entry_term,
            "score": round(self.score, 4),
            "chosen": self.chosen,
            "contributions": [item.as_dict() for item in self.contributions],
        }


def ranked(candidates: Iterable[ExplainedTerm]) -> tuple[ExplainedTerm, ...]:
    """Candidates ordered by score, then by identifier."""
    return tuple(sorted(candidates, key=lambda item: (-item.score, item.identifier)))


@dataclass(frozen=True, slots=True)
class TermExplanation:
    """Every candidate of an article, best first.

    The log-odds of a logistic score are the sum of `base` and all contributions. `base` is None for indexers with rules
    instead of weights.
    """

    document: str
    indexer: str
    version: str
    threshold: float
    base: float | None
    candidates: tuple[ExplainedTerm, ...]

    def choices(self) -> list[ChosenTerm]:
        """The chosen candidates, in the same order."""
        return [ChosenTerm(term.identifier, term.score, term.entry_term) for term in self.candidates if term.chosen]

    def as_dict(self) -> dict[str, Any]:
        """For JSON: `{document, indexer, version, threshold, base, candidates}`; numbers have 4 decimals."""
        return {
            "document": self.document,
            "indexer": self.indexer,
            "version": self.version,
            "threshold": round(self.threshold, 4),
            "base": _rounded(self.base),
            "candidates": [candidate.as_dict() for candidate in self.candidates],
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


# -- indexers and their stage -------------------------------------------------------------------


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


class IndexStage:
    """A stage that adds an index term for each chosen concept to the first passage of an article.

    `existing` controls index terms in the input. `keep`: they stay, and new terms are added. `replace`: they are
    removed first. `error`: the article fails. An article without passages has no mentions and gets no terms. `top`: at
    most so many of the chosen concepts, the best ones, are added.
    """

    def __init__(self, indexer: Indexer, existing: str = "keep", top: int | None = None) -> None:
        """Raises `ConfigurationError` for another value of `existing`."""
        if existing not in EXISTING:
            raise OptionError("existing", f"is {existing!r}; choose one of {', '.join(EXISTING)}")
        self._indexer = indexer
        self._existing = existing
        self._top = top

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        """Raises `ArticleError` for an article with index terms if `existing` is `error`."""
        from corpora.model.document import IndexTerm, add_index_terms, index_terms, remove_index_terms

        for document in documents:
            before = {term.identifier for term in index_terms(document)}
            if before and self._existing == "error":
                raise ArticleError(
                    f"document {document.id!r} has {quantity(len(before), 'index term')} already; use ",
                    Argument("existing", "keep"),
                    " or ",
                    Argument("existing", "replace"),
                )
            if before and self._existing == "replace":
                remove_index_terms(document)
                before = set()
            choices = [choice for choice in self._indexer(document)[: self._top] if choice.identifier not in before]
            add_index_terms(document, [IndexTerm(term.identifier, term.entry_term, term.score) for term in choices])
