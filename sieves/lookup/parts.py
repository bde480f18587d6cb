"""The sieve of systematic names: the name with the same parts, in any order and spelling of the parts.

After the idea of team 130 of the NLM-Chem track: names are compared part by part. docs/measurements/normalization.md
has the figures that chose the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sieves.chemistry.nomenclature import SystematicName, parts_of, similarity
from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.names import NameLookup
from sieves.lookup.parts_index import PartsIndex
from sieves.sieve import NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate

ALIKE = 0.8
"""The least similarity of two names with the same parts. What one of the names does not state lowers it."""


@dataclass(slots=True)
class Parts:
    """Finds the names with the parts of the text. No answer if names of several concepts are alike."""

    name: str
    lexicon: Lexicon
    names: NameLookup
    needs: Needs = NOTHING
    _index: PartsIndex | None = field(default=None, repr=False)

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        parts = parts_of(text)
        if parts is None:
            return []
        if self._index is None:
            # Not before the first systematic name: the index is large.
            self._index = PartsIndex.of(self.lexicon)
        best: dict[tuple[str, ...], SieveCandidate] = {}
        for name in self._index.names(parts.skeleton):
            score = _similarity(parts, name)
            for match in self.names.exact(name)[:1] if score >= ALIKE else ():
                known = best.get(match.identifiers)
                if known is None or score > (known.score or 0.0):
                    best[match.identifiers] = SieveCandidate(
                        match.identifiers, self.name, match.name, match.layer, score
                    )
        return list(best.values()) if len(best) == 1 else []


def _similarity(parts: SystematicName, name: str) -> float:
    other = parts_of(name)
    return 0.0 if other is None else similarity(parts, other)
