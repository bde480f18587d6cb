"""Sieves that look up a mention as it is, or other texts for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sieves.chemistry import residues
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Match
from sieves.lookup.names import NameLookup, candidates
from sieves.sieve import NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate

_TRADE_MARK = re.compile(r"\s*(?:[®™]|\((?:R|TM|r|tm)\)(?=\s|$))")
_RESIDUES = Needs(surfaces=residues.DOUBTFUL)


@dataclass(frozen=True, slots=True)
class Lookup:
    """A sieve that looks the mention up as it is, in one way."""

    name: str
    find: Callable[[str], Sequence[Match]]
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        return [SieveCandidate(match.identifiers, self.name, match.name, match.layer) for match in self.find(text)]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Looks up other texts for a mention.

    `rewrite` returns these texts, best first. `deep`: where the lexicon has none of them, the earlier sieves are tried.
    """

    name: str
    rewrite: Callable[[str], Iterable[str]]
    names: NameLookup
    deep: bool = False
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        variants = list(dict.fromkeys(tidy(variant) for variant in self.rewrite(text)))
        answers = [candidate for variant in variants for candidate in candidates(self.name, self.names, variant)]
        return answers or (list(self._resolved(variants, resolve)) if self.deep else [])

    def _resolved(self, variants: Iterable[str], resolve: PartResolver) -> Iterator[SieveCandidate]:
        for variant in variants:
            candidate = resolve(variant) if variant else None
            if candidate is not None:
                yield SieveCandidate(
                    candidate.identifiers, self.name, candidate.matched_name, candidate.layer, via=variant
                )


@dataclass(frozen=True, slots=True)
class TradeNames:
    """A trade name: NLM marks the name as one, or the text has a trade mark.

    With a trade mark, names of external terminologies count as well (`every`).
    """

    name: str
    names: NameLookup
    every: NameLookup
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        bare = _TRADE_MARK.sub("", text).strip()
        if bare != text:
            return list(candidates(self.name, self.every, bare))
        return [
            SieveCandidate(match.identifiers, self.name, match.name, match.layer) for match in self.names.traded(text)
        ]


@dataclass(frozen=True, slots=True)
class Residues:
    """Amino-acid codes (`sieves.chemistry.residues`). Some codes count only in an article with other codes."""

    name: str
    names: NameLookup
    needs: Needs = _RESIDUES

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        names = residues.names(text, article.surfaces)
        return [candidate for name in names for candidate in candidates(self.name, self.names, name)]
