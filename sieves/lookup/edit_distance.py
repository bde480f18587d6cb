"""Edit distance at 90% over blocked candidates: names that begin alike and are about as long; never all names."""

from __future__ import annotations

import re

from rapidfuzz import process
from rapidfuzz.distance import Indel

from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon
from sieves.sieve import Article, Candidate, Resolver

__all__ = ["ALIKE", "EditDistance"]

ALIKE = 0.9
"""The least similarity: 1 less insertions and deletions by characters of both keys (rapidfuzz's Indel)."""
SHORTEST = 8
"""A letter more or less makes another chemical of shorter keys."""
SAME_START = 4
LONGEST = 120

_PARTS = re.compile(
    r"mono|di|tri|tetra|penta|hexa|hepta|octa|meth|eth|prop|but|phen|benz|hydro|oxo|nor|iso|homo|thio|az|amid|imid|"
    r"amin|imin|ester|ether|ol$|one$|al$|ase$|acid|chlor|brom|fluor|iod|nitr|sulf|phosph|ylene|ane$|ene$|hormone"
)
"""Parts of names that make another chemical: how many, which group, which class. One more or less is no misspelling."""
LONGEST_COUNTED = 20
"""Letters and digits; in longer names a lost part is a slip more often than another chemical."""


class EditDistance:
    """The name whose key is nearest to the text's, with the same digits and the same first four characters."""

    name = "edit"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def __call__(self, text: str, article: Article, resolve: Resolver) -> list[Candidate]:
        key = relaxed(text)
        if not SHORTEST <= len(key) <= LONGEST:
            return []
        slack = int(len(key) * (1 - ALIKE) * 2) or 1
        block = self._lexicon.keys_like(key[:SAME_START], len(key) - slack, len(key) + slack)
        digits = _digits(key)
        near = process.extract(key, block, scorer=Indel.normalized_similarity, score_cutoff=ALIKE, limit=None)
        # Locants, chain lengths and what tells two chemicals apart are no misspellings. Ties: the key that comes first
        # in the alphabet.
        alike = sorted(
            (-score, other) for other, score, _ in near if _digits(other) == digits and _same_parts(key, other)
        )
        if not alike:
            return []
        score, other = alike[0]
        matches = self._lexicon.with_key(other)
        return [Candidate(m.identifiers, self.name, m.name, m.layer, score=-score) for m in matches[:1]]


def _same_parts(one: str, other: str) -> bool:
    return len(one) > LONGEST_COUNTED or sorted(_PARTS.findall(one)) == sorted(_PARTS.findall(other))


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
