"""Sieves that look up a mention as it is, other texts for it, or its parts: lists, combinations, labelled compounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sieves.chemistry.amino_acids import DOUBTFUL, residue_names
from sieves.chemistry.composites import combinations, splits
from sieves.chemistry.elements import label
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Match
from sieves.lookup.names import NameLookup, answers
from sieves.sieve import NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate

_TRADE_MARK = re.compile(r"\s*(?:[®™]|\((?:R|TM|r|tm)\)(?=\s|$))")
_RESIDUES = Needs(surfaces=DOUBTFUL)


@dataclass(frozen=True, slots=True)
class Lookup:
    """A sieve that looks the mention up as it is, in one way."""

    name: str
    find: Callable[[str], Sequence[Match]]
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        return answers(self.name, self.find(text))


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Looks up other texts for a mention."""

    name: str
    rewrite: Callable[[str], Iterable[str]]
    """Returns these texts, best first."""
    names: NameLookup
    deep: bool = False
    """Whether the earlier sieves are tried where the lexicon has none of the texts."""
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        variants = list(dict.fromkeys(tidy(variant) for variant in self.rewrite(text)))
        found = self.names.candidates(self.name, *variants)
        if found or not self.deep:
            return found
        resolved = ((variant, resolve(variant)) for variant in variants if variant)
        return [
            SieveCandidate(known.identifiers, self.name, known.matched_name, known.layer, via=variant)
            for variant, known in resolved
            if known is not None
        ]


@dataclass(frozen=True, slots=True)
class TradeNames:
    """A trade name: NLM marks the name as one, or the text has a trade mark."""

    name: str
    names: NameLookup
    every: NameLookup
    """The names for a text with a trade mark: those of external terminologies count as well."""
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        bare = _TRADE_MARK.sub("", text).strip()
        if bare != text:
            return self.every.candidates(self.name, bare)
        return answers(self.name, self.names.traded(text))


@dataclass(frozen=True, slots=True)
class Residues:
    """Amino-acid codes (`sieves.chemistry.amino_acids`). Some codes count only in an article with other codes."""

    name: str
    names: NameLookup
    needs: Needs = _RESIDUES

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        return self.names.candidates(self.name, *residue_names(text, article.surfaces))


@dataclass(frozen=True, slots=True)
class Composites:
    """A mention that names several concepts has the identifiers of all, if every part has one."""

    name: str
    names: NameLookup
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        for parts in splits(text):
            combined = joined(self.name, parts, resolve)
            if combined:
                # A combination with a record of its own is that record; a list with a shared word is none.
                names = combinations(parts) if all(part in text for part in parts) else ()
                return self.names.candidates(self.name, *names) or combined
        return []


@dataclass(frozen=True, slots=True)
class Labels:
    """A labelled compound has the concepts of its label and of the compound; a deuterated standard, of the compound."""

    name: str
    names: NameLookup
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        # An earlier sieve may resolve the compound; otherwise its name may have another punctuation.
        return joined(
            self.name,
            filter(None, label(text) or ()),
            lambda part: resolve(part) or next(iter(self.names.candidates(self.name, part)), None),
        )


def joined(sieve: str, parts: Iterable[str], resolve: Callable[[str], SieveCandidate | None]) -> list[SieveCandidate]:
    """One candidate with the identifiers of all parts, in their order; empty if a part is not resolved."""
    known: list[SieveCandidate] = []
    for part in parts:
        candidate = resolve(part)
        if candidate is None:
            return []
        known.append(candidate)
    if not known:
        return []
    identifiers = tuple(dict.fromkeys(identifier for part in known for identifier in part.identifiers))
    return [SieveCandidate(identifiers, sieve, " | ".join(part.matched_name for part in known), known[0].layer)]
