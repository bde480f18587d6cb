"""The sieve of isotopically labelled compounds."""

from __future__ import annotations

from dataclasses import dataclass

from sieves.chemistry import isotopes
from sieves.lookup.composites import joined
from sieves.lookup.names import Names, candidates
from sieves.sieve import NOTHING, Article, Candidate, Needs, Resolver

__all__ = ["Labels"]


@dataclass(frozen=True, slots=True)
class Labels:
    """A labelled compound has the concepts of its label and of the compound; a deuterated standard, of the compound."""

    name: str
    names: Names
    needs: Needs = NOTHING

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        label = isotopes.label(text)
        if label is None:
            return []

        def part(text: str, whole: bool = False) -> Candidate | None:
            # An earlier sieve may resolve the compound; otherwise its name may have another punctuation.
            return resolve(text, whole) or next(candidates(self.name, self.names, text), None)

        return joined(self.name, filter(None, label), part)
