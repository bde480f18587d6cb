"""The sieve of trade names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sieves.lookup.names import Names, candidates
from sieves.sieve import NOTHING, Article, Candidate, Needs, Resolver

__all__ = ["TradeNames"]

_TRADE_MARK = re.compile(r"\s*(?:[®™]|\((?:R|TM|r|tm)\)(?=\s|$))")


@dataclass(frozen=True, slots=True)
class TradeNames:
    """A trade name: NLM marks the name as one, or the text has a trade mark.

    With a trade mark, names of external terminologies count as well (`every`).
    """

    name: str
    names: Names
    every: Names
    needs: Needs = NOTHING

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        bare = _TRADE_MARK.sub("", text).strip()
        if bare != text:
            return list(candidates(self.name, self.every, bare))
        return [Candidate(found.identifiers, self.name, found.name, found.layer) for found in self.names.traded(text)]
