"""Looks texts up in a lexicon: as written, folded, in the other number, with the words in another order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sieves.chemistry.elements import ELEMENTS
from sieves.chemistry.variants import qualified, reordered
from sieves.lexicon.keys import bag, plain, plurals, relaxed
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lexicon.store import TRADE
from sieves.sieve import SieveCandidate

SHORTEST_FOLDED = 3
"""Letters and digits; shorter keys are not folded."""
SHORTEST_CASELESS = 5
"""Letters and digits; in shorter keys case counts."""
SHORTEST_IN_CAPITALS = 4
"""Letters of a word that is no element; three letters in capitals are a short form."""


class NameLookup:
    """The lookups of a lexicon that sieves use.

    `external`: whether to include names of external terminologies. These are less reliable than MeSH's own.
    """

    __slots__ = ("_external", "_left_out", "_lexicon")

    def __init__(self, lexicon: Lexicon, external: bool = False) -> None:
        self._lexicon = lexicon
        self._external = external
        self._left_out = frozenset() if external else lexicon.external

    def find(self, text: str) -> Sequence[Match]:
        """The concepts of a text as written or folded, else in the other number; best first."""
        return self._as_spelt(text) or self.other_number(text)

    def exact(self, text: str) -> Sequence[Match]:
        """The concepts with this name (`Lexicon.lookup`)."""
        return self._lexicon.spelt(text, self._external)

    def not_traded(self, text: str) -> Sequence[Match]:
        """The concepts with this name, where it is not a trade name."""
        return [match for match in self.exact(text) if match.layer != TRADE]

    def traded(self, text: str) -> Sequence[Match]:
        """The concepts with this name, where NLM marks it as a trade name."""
        return [match for match in self.exact(text) or self.folded(text) if match.layer == TRADE]

    def folded(self, text: str) -> Sequence[Match]:
        """The concepts with this name in any case and punctuation; the name has at least three letters or digits."""
        # Texts use the German letter for the Greek one.
        key = relaxed(text.replace("ß", "β"))
        if len(key) < SHORTEST_FOLDED:
            return ()
        matches = self._trusted(self._lexicon.with_key(key))
        if len(key) >= SHORTEST_CASELESS:
            return matches
        # `BaS` is not `bas`, `Gly` is not `GL-Y`; a word in capitals is a word: `ZINC`.
        in_capitals = text.isalpha() and text.isupper()
        in_capitals = in_capitals and (len(text) >= SHORTEST_IN_CAPITALS or text.lower() in ELEMENTS.values())
        return [
            match
            for match in matches
            if _letters(match.name) == _letters(text) or (in_capitals and match.name[1:].islower())
        ]

    def other_number(self, text: str) -> Sequence[Match]:
        """The concepts of the plural of a singular, or of the singular of a plural."""
        return next(filter(None, map(self._as_spelt, plurals(text))), ())

    def in_any_order(self, text: str) -> Sequence[Match]:
        """The concepts of names with the same parts (`sieves.lexicon.keys.bag`), or of two or three words reordered."""
        parts = bag(text)
        matches = self._trusted(self._lexicon.with_bag(parts)) if parts else ()
        return matches or next(filter(None, map(self.exact, reordered(text))), ())

    def qualified(self, text: str) -> Sequence[Match]:
        """The concepts of the name with a qualifying word of MeSH, which stands apart: `oligo` is no `Oligopeptide`.

        The word does not make a short text long: `Pt-P` is no `PTP compound`.
        """
        # A text that no name begins with needs no qualifying word: one query instead of eight.
        for form in qualified(text, lambda start: self._lexicon.begins(relaxed(start))):
            word = re.compile(rf"\W{form.rpartition(' ')[2].removesuffix('s')}s?\)?", re.IGNORECASE)
            matches = [match for match in self.find(form) if word.search(match.name)]
            if len(relaxed(text)) < SHORTEST_CASELESS:
                matches = [match for match in matches if match.name.casefold().startswith(text.casefold())]
            if matches:
                return matches
        return ()

    def heading(self, text: str) -> Sequence[Match]:
        """The headings that replace a name in a year without a concept of that name (`Lexicon.headings`)."""
        # `NO ROX`, without a dye, is not the peroxide `norox`; `DMSO-d 6` is `DMSO-d6`.
        blanks = None if any(map(str.isdigit, text)) else text.count(" ")
        matches = self._lexicon.headings(text)
        return self._trusted([match for match in matches if blanks in (None, match.name.count(" "))])

    def candidates(self, sieve: str, *texts: str) -> list[SieveCandidate]:
        """The candidates of texts that a sieve has made from the mention."""
        return [found for text in texts if text for found in answers(sieve, self.find(text), via=text)]

    def _as_spelt(self, text: str) -> Sequence[Match]:
        # Most rewritten texts are no names in any spelling: one query finds that.
        return (self.exact(text) or self.folded(text)) if self._lexicon.has_key(relaxed(text)) else ()

    def _trusted(self, matches: Sequence[Match]) -> Sequence[Match]:
        if not self._left_out or not matches:
            return matches
        return [match for match in matches if match.layer not in self._left_out]


def answers(
    sieve: str, matches: Iterable[Match], score: float | None = None, via: str | None = None
) -> list[SieveCandidate]:
    """The candidates of a sieve for what it has found."""
    return [
        SieveCandidate(match.identifiers, sieve, match.name, match.layer, score=score, via=via) for match in matches
    ]


def _letters(text: str) -> str:
    """Letters and digits; the first in lower case, because MeSH begins names with a capital."""
    letters = "".join(filter(str.isalnum, plain(text)))
    return letters[:1].lower() + letters[1:]
