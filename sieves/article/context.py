"""Chooses among the concepts of a mention by the other mentions of the article.

Of several concepts with the same name, the one that the article mentions by another name is chosen. A short form
without a definition (`PS`, `Dex`) takes a concept that the article writes out. Common branches of the index tree are
not used: measured, they are wrong as often as right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sieves.article.continuation import SIEVE, abbreviated
from sieves.registry import facts
from sieves.sieve import SieveCandidate

SHORTEST_FIRM = 6
"""Characters; a shorter text can be a short form with several meanings."""
_SHORT_FORM = re.compile(r"(?=.*[A-Z])[A-Za-z0-9-]{2,6}")
_LETTERS = re.compile(r"[A-Z][A-Za-z]{1,4}")


def is_short_form(text: str) -> bool:
    """Whether a text looks like an abbreviation: two to six letters, digits and hyphens, with a capital."""
    return _SHORT_FORM.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class ClearSurfaces:
    """The unambiguous surfaces of an article, and their concepts."""

    firm: Mapping[str, SieveCandidate]
    concepts: frozenset[str]

    def apposed(self, beside: Sequence[str], others: Iterable[SieveCandidate]) -> SieveCandidate | None:
        """The candidate with the concept of a name beside the text (`potassium iodide (KI)`); None if there is none.

        `beside`: the mentions beside the text (`sieves.article.apposition`). `others`: the candidates of all sieves,
        best first; where the first one is meant, the name beside it changes nothing.
        """
        meant = {self.firm[text].identifiers: text for text in reversed(beside) if text in self.firm}
        for number, other in enumerate(others if meant else ()):
            if other.identifiers in meant:
                return other if number == 0 else replace(other, via=other.via or meant[other.identifiers])
        return None

    def spelt_out(self, text: str, before: Sequence[str]) -> SieveCandidate | None:
        """The concept of the name before a short form in brackets that no definition explains: `ifosfamide (IFX)`.

        None for another text, and if the names have none or several concepts.
        """
        names = [name for name in before if name in self.firm] if is_short_form(text) else []
        if len({self.firm[name].identifiers for name in names}) != 1:
            return None
        return replace(self.firm[names[0]], sieve=SIEVE, via=names[0], score=None)

    def settle(
        self, text: str, winning: Sequence[SieveCandidate], others: Iterable[SieveCandidate]
    ) -> SieveCandidate | None:
        """The candidate that the article supports, else the first of `winning`; None for a short form without support.

        `winning`: the candidates of the winning sieve, best first. `others`: those of all sieves, for cases of doubt.
        """
        first, sieve = winning[0], facts(winning[0].sieve)
        if len(winning) > 1 and sieve.same_name:
            return next(filter(self._names, winning), first)
        if not sieve.doubted or not is_short_form(text) or self._names(first):
            return first
        named = next((other for other in others if self._names(other)), None)
        if named is not None:
            return replace(named, sieve=SIEVE, via=self._surface(named))
        if not sieve.dropped:
            return first
        # Other terminologies have very many abbreviations; alone they are no evidence.
        return abbreviated(text, self.firm) or (None if _LETTERS.fullmatch(text) else first)

    def _names(self, candidate: SieveCandidate) -> bool:
        return self.concepts.issuperset(candidate.identifiers)

    def _surface(self, candidate: SieveCandidate) -> str:
        return min(text for text, known in self.firm.items() if set(candidate.identifiers) & set(known.identifiers))


def context_of(winning: Mapping[str, Sequence[SieveCandidate]]) -> ClearSurfaces:
    """The context of an article, from the candidates of the winning sieve of each surface."""
    firm = {text: candidates[0] for text, candidates in winning.items() if _is_firm(text, candidates)}
    return ClearSurfaces(firm, frozenset(id for candidate in firm.values() for id in candidate.identifiers))


def _is_firm(text: str, candidates: Sequence[SieveCandidate]) -> bool:
    return (
        len(text) >= SHORTEST_FIRM
        and not is_short_form(text)
        and facts(candidates[0].sieve).firm
        and len({candidate.identifiers for candidate in candidates}) == 1
    )
