"""The sieve of misspellings: the nearest name, of those that begin alike and are about as long.

Only a text with a word that no name begins with is a misspelling.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA, Indel, Levenshtein, Postfix, Prefix

from corpora.model.mesh_ids import is_descriptor
from sieves.lexicon.keys import digits, relaxed
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lookup.names import answers
from sieves.sieve import NOTHING, ArticleContext, Needs, PartResolver, SieveCandidate

ALIKE = 0.9
"""The least similarity: 1 less insertions and deletions by characters of both keys (rapidfuzz's Indel)."""
SHORTEST = 8
"""Letters and digits; in shorter keys a changed letter usually makes another chemical."""
SAME_START = 4
LONGEST = 120
SHORTEST_WORD, LONGEST_WORD = 6, 16
SAME_START_OF_WORD = 2
MOST_LONGER = 2
"""Names that begin with a misspelt word at most. A stem such as `methyl` begins more."""

_WORD = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(
    r"mono|di|tri|tetra|penta|hexa|hepta|octa|meth|eth|prop|but|phen|benz|hydro|oxo|nor|iso|homo|thio|az|amid|imid|"
    r"amin|imin|ester|ether|ol$|one$|al$|ase$|acid|chlor|brom|fluor|iod|nitr|sulf|phosph|ylene|ane$|ene$|an(?:ol|one)s?$|en(?:ol|one)s?$|hormone"
)
"""Parts of names that make another chemical (a number, a group, a class). An added or missing one is no misspelling."""
_EVERY_PART = re.compile(rf"(?=({_PARTS.pattern}))")
"""Parts that overlap, too: `pyrimdines` does not get its `di` from pyridines alone."""
SHORTEST_PART = 5
"""Letters of a part of a name that is a name itself."""
MOST_REPLACED = 3
"""Letters at one place of a key that are others in another key."""
LONGEST_COMPARED = 20
"""Letters and digits; in longer names a missing part is more often a misspelling than another chemical."""


@dataclass(frozen=True, slots=True)
class EditDistance:
    """Finds the name with the key nearest to that of the text, with the same digits and first four characters."""

    name: str
    lexicon: Lexicon
    needs: Needs = NOTHING

    def __call__(self, text: str, article: ArticleContext, resolve: PartResolver) -> list[SieveCandidate]:
        key = relaxed(text)
        slip = self._one_slip(text, key)
        if slip:
            return slip
        if not SHORTEST <= len(key) <= LONGEST:
            return []
        slack = int(len(key) * (1 - ALIKE) * 2) or 1
        block = self.lexicon.keys_like(key[:SAME_START], len(key) - slack, len(key) + slack)
        near = process.extract(key, block, scorer=Indel.normalized_similarity, score_cutoff=ALIKE, limit=None)
        # Other locants, chain lengths or parts make another chemical. Of equals the first in the alphabet wins.
        alike = sorted(
            (-score, other)
            for other, score, _ in near
            if digits(other) == digits(key) and (_same_parts(key, other) or _is_slip(key, other))
        )
        if not alike:
            return []
        score, other = alike[0]
        if names_differ(key, other, self.lexicon):
            return []
        matches = [match for match in self.lexicon.with_key(other)[:1] if self._is_misspelt(text, match.name)]
        return answers(self.name, matches, -score)

    def _one_slip(self, text: str, key: str) -> list[SieveCandidate]:
        """The heading of which a word differs by one slip: a letter that is left out, added, changed or exchanged.

        Only if one heading does, since a word of few letters can be near to several names.
        """
        if not (SHORTEST_WORD <= len(key) < LONGEST_WORD and text.isalpha()) or self.lexicon.has_key(key):
            return []
        if self.lexicon.begins(key):
            cut = self._cut_off(key)
            if cut is None or cut:
                return cut or []
        near = {
            match.identifier: match
            for other in self.lexicon.keys_like(key[:SAME_START_OF_WORD], len(key) - 1, len(key) + 1)
            if other.isalpha() and _is_slip(key, other)
            for match in self.lexicon.with_key(other)[:1]
            if is_descriptor(match.identifier) and _is_heading(match)
        }
        return answers(self.name, near.values(), ALIKE) if len(near) == 1 else []

    def _cut_off(self, key: str) -> list[SieveCandidate] | None:
        """The name of which a key lacks the last letter; empty if there is none, None if the key is a stem.

        A stem begins more names than `MOST_LONGER`, which go on with different letters: `methyl`. All names that begin
        with `glibenclamid` go on with `e`.
        """
        longer = self.lexicon.keys_like(key, len(key), LONGEST)
        nearest = {other[: len(key) + 1] for other in longer}
        if len(nearest) != 1:
            return None if len(longer) > MOST_LONGER else []
        matches = [match for match in self.lexicon.with_key(nearest.pop())[:1] if is_descriptor(match.identifier)]
        return answers(self.name, matches, ALIKE)

    def _is_misspelt(self, text: str, name: str) -> bool:
        """Whether a word of the text that the name does not have begins no name of the lexicon.

        If all its words are words of names, the text is spelt correctly and means another chemical (`glucose` for
        `galactose`). Such a misspelling is a non-word error (K. Kukich, Techniques for automatically correcting words
        in text, 1992, section 1).
        """
        words, known = ({relaxed(word) for word in _WORD.findall(written)} for written in (text, name))
        return not all(map(self.lexicon.begins, words - known))


def names_differ(key: str, other: str, lexicon: Lexicon) -> bool:
    """Whether two similar keys name two compounds, so that neither is a misspelling of the other.

    At one place several letters are replaced by others (`pelargonidin 3-...`, `petunidin 3-...`), or what differs is a
    part of both keys that names another concept in each: `trimethylglycine` and `trimethyllysine`,
    `aminocyclopropane...` and `aminocyclopentane...`.
    """
    for same, following in pairwise(Levenshtein.opcodes(key, other).as_matching_blocks()):
        removed, added = following.a - same.a - same.size, following.b - same.b - same.size
        if min(removed, added) > 0 and max(removed, added) > MOST_REPLACED:
            return True
    start = Prefix.similarity(key, other)
    end = min(Postfix.similarity(key, other), min(len(key), len(other)) - start)
    for first in range(max(0, start - LONGEST_WORD), start + 1):
        for last in range(end, -1, -1):
            parts = key[first : len(key) - last], other[first : len(other) - last]
            if all(SHORTEST_PART <= len(part) <= LONGEST_WORD for part in parts):
                concepts = [{match.identifier for match in lexicon.with_key(part)} for part in parts]
                if all(concepts) and concepts[0].isdisjoint(concepts[1]):
                    return True
    return False


def _is_heading(match: Match) -> bool:
    """Whether the name is the heading itself or its singular. Entry terms are near to too many words."""
    return match.preferred_name.casefold().removesuffix("s") == match.name.casefold().removesuffix("s")


def _is_slip(key: str, name: str) -> bool:
    """Whether one slip in a name gives a word. A slip may spoil a part of the name (`omeprezole`), but not make one."""
    # One letter for one sound.
    key, name = key.replace("ph", "f"), name.replace("ph", "f")
    made = Counter(_EVERY_PART.findall(key)) - Counter(_EVERY_PART.findall(name))
    return OSA.distance(key, name, score_cutoff=1) <= 1 and not made


def _same_parts(first: str, other: str) -> bool:
    return len(first) > LONGEST_COMPARED or sorted(_PARTS.findall(first)) == sorted(_PARTS.findall(other))
