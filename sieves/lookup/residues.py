"""The sieve of amino-acid codes."""

from __future__ import annotations

from dataclasses import dataclass

from sieves.chemistry import residues
from sieves.lookup.names import Names, candidates
from sieves.sieve import Article, Candidate, Needs, Resolver

__all__ = ["Residues"]


_NEEDS = Needs(surfaces=residues.DOUBTFUL)


@dataclass(frozen=True, slots=True)
class Residues:
    """Amino-acid codes (`sieves.chemistry.residues`). Some codes count only in an article with other codes."""

    name: str
    names: Names
    needs: Needs = _NEEDS

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        found = residues.names(text, article.surfaces)
        return [candidate for name in found for candidate in candidates(self.name, self.names, name)]
