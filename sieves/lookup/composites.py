"""Sieves of mentions that name several concepts: lists, combinations, labelled compounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sieves.chemistry import isotopes
from sieves.lookup.names import NameLookup, candidates
from sieves.rewriting import composites
from sieves.sieve import NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate


@dataclass(frozen=True, slots=True)
class Composites:
    """A mention that names several concepts has the identifiers of all, if every part has one."""

    name: str
    names: NameLookup
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        for parts in composites.splits(text):
            combined = joined(self.name, parts, resolve)
            if combined:
                # A combination with a record of its own is that record; a list with a shared word is none.
                written_out = all(part in text for part in parts)
                names = composites.combinations(parts) if written_out else ()
                whole = [candidate for name in names for candidate in candidates(self.name, self.names, name)]
                return whole or combined
        return []


@dataclass(frozen=True, slots=True)
class Labels:
    """A labelled compound has the concepts of its label and of the compound; a deuterated standard, of the compound."""

    name: str
    names: NameLookup
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        label = isotopes.label(text)
        if label is None:
            return []

        def part(text: str, whole: bool = False) -> SieveCandidate | None:
            # An earlier sieve may resolve the compound; otherwise its name may have another punctuation.
            return resolve(text, whole) or next(candidates(self.name, self.names, text), None)

        return joined(self.name, filter(None, label), part)


def joined(sieve: str, parts: Iterable[str], resolve: PartResolver) -> list[SieveCandidate]:
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
