"""Sieves that rewrite a mention and look the result up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sieves.lexicon.keys import tidy
from sieves.lookup.names import Names, candidates
from sieves.sieve import NOTHING, Article, Candidate, Needs, Resolver

__all__ = ["Rewriting"]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Looks up other texts for a mention.

    `rewrite` returns these texts, best first. `deep`: where the lexicon has none of them, the earlier sieves are tried.
    """

    name: str
    rewrite: Callable[[str], Iterable[str]]
    names: Names
    deep: bool = False
    needs: Needs = NOTHING

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        variants = list(dict.fromkeys(tidy(variant) for variant in self.rewrite(text)))
        found = [candidate for variant in variants for candidate in candidates(self.name, self.names, variant)]
        return found or (list(self._resolved(variants, resolve)) if self.deep else [])

    def _resolved(self, variants: Iterable[str], resolve: Resolver) -> Iterator[Candidate]:
        for variant in variants:
            found = resolve(variant) if variant else None
            if found is not None:
                yield Candidate(found.identifiers, self.name, found.matched_name, found.layer, via=variant)
