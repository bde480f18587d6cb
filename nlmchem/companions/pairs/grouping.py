"""Steps 2 to 4 of making pairs: names that form a pair, their group, the answer, and pairs that are left out.

A pair belongs to the first matching group: `term_identity` (the same term), `abbreviations` (one abbreviates the
other), `synonyms` (both are names of one concept), `label_similarity` (similar names). The answer is yes if both
mentions have the same concept. Pairs of a broader and a narrower concept have no clear answer and are left out.
Source of the groups and their order: Rouhizadeh et al. 2024, Scientific Data 11:455, which takes names and relations
from UMLS. Here they come from a lexicon and from the corpus itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Protocol

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from nlmchem.companions.pairs.occurrences import SentenceMention
from nlmchem.companions.pairs.pair import ContextPair

SIMILAR = 0.75
"""Similar names have a higher ratio: 1 - (insertions and deletions) / (sum of lengths)."""
_BLOCK = 256
"""Names that are compared with all others at a time."""

Found = Mapping[str, Mapping[str, Sequence[SentenceMention]]]
"""Occurrences by name and concept."""


class KnownNames(Protocol):
    """What is known about names and concepts beside the corpus."""

    def concepts(self, name: str) -> frozenset[str]:
        """The concepts with a name."""
        ...

    def related(self, concept1: str, concept2: str) -> bool:
        """Whether one of two different concepts is broader than the other, or both are the same under two ids."""
        ...


class NoNames:
    """No knowledge: names are synonyms only if the corpus gives them the same concept."""

    def concepts(self, name: str) -> frozenset[str]:
        return frozenset()

    def related(self, concept1: str, concept2: str) -> bool:
        return False


def candidates(mentions: Found, names: KnownNames) -> Iterator[ContextPair]:
    """Every pair of two occurrences in different sentences that belongs to a group. Each occurs once."""
    for group, name1, name2 in _groups(mentions, names):
        for concept1, left in mentions[name1].items():
            for concept2, right in mentions[name2].items():
                # Of a name with itself, each pair of concepts is taken once.
                if name1 == name2 and concept1 > concept2:
                    continue
                if concept1 == concept2 or not names.related(concept1, concept2):
                    yield from _pairs(group, left, right, itself=name1 == name2 and concept1 == concept2)


def initials(name: str) -> str:
    """The first letters of the words of a name, which are separated by blanks or hyphens."""
    return "".join(word[0] for word in name.replace("-", " ").split())


def shortens(short: str, long: str) -> bool:
    """Whether `short` looks like an abbreviation of `long`: its letters begin words of `long`, in order.

    `CD` shortens `cytoplasmic domain` and also `celiac disease`. This makes such pairs difficult. In the source, the
    letters must be the initials of all words; here words may be left out, such as `of`.
    """
    letters = [character for character in short if character.isalnum()]
    if not 2 <= len(letters) <= 8 or len(short) * 2 > len(long) or sum(map(str.isupper, letters)) * 2 < len(letters):
        return False
    wanted = [letter.casefold() for letter in letters if letter.isalpha()]
    first = initials(long).casefold()
    rest = iter(first)
    return len(wanted) >= 2 and wanted[0] == first[:1] and all(letter in rest for letter in wanted)


def _pairs(
    group: str, left: Sequence[SentenceMention], right: Sequence[SentenceMention], itself: bool
) -> Iterator[ContextPair]:
    both = combinations(left, 2) if itself else ((mention1, mention2) for mention1 in left for mention2 in right)
    for mention1, mention2 in both:
        if mention1.sentence != mention2.sentence:
            yield _pair(group, mention1, mention2)


def _pair(group: str, mention1: SentenceMention, mention2: SentenceMention) -> ContextPair:
    first, second = sorted((mention1, mention2))
    return ContextPair(
        first.term,
        second.term,
        first.sentence,
        second.sentence,
        first.span,
        second.span,
        group,
        first.concept == second.concept,
        documents=(first.document, second.document),
        places=(first.place, second.place),
        concepts=(first.concept, second.concept),
    )


def _groups(mentions: Found, names: KnownNames) -> Iterator[tuple[str, str, str]]:
    """(group, name, name) for all names that can form a pair; each pair of names occurs once."""
    known = sorted(mentions)
    yield from (("term_identity", name, name) for name in known)
    seen: set[tuple[str, str]] = set()
    for group, pairs in (
        ("abbreviations", _abbreviations(mentions, known)),
        ("synonyms", _synonyms(mentions, known, names)),
        ("label_similarity", _similar(known)),
    ):
        for pair in pairs:
            if pair not in seen:
                seen.add(pair)
                yield group, *pair


def _abbreviations(mentions: Found, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    written = {name: next(iter(next(iter(mentions[name].values())))).term for name in names}
    long_by_initial: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if " " in name or "-" in name:
            long_by_initial[name[0]].append(name)
    for name in names:
        if len(name) <= 10:
            for long in long_by_initial.get(name[0], ()):
                if shortens(written[name], long):
                    yield _ordered(name, long)


def _synonyms(mentions: Found, names: Sequence[str], knowledge: KnownNames) -> Iterator[tuple[str, str]]:
    by_concept: dict[str, list[str]] = defaultdict(list)
    for name in names:
        written = next(iter(next(iter(mentions[name].values())))).term
        # Without a lexicon the corpus is the only source of synonyms. Similar names of one concept then count as
        # synonyms, too.
        for concept in sorted(mentions[name] if isinstance(knowledge, NoNames) else knowledge.concepts(written)):
            by_concept[concept].append(name)
    for same in by_concept.values():
        yield from combinations(same, 2)


def _similar(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of similar names. Every name is compared with all names of similar length."""
    by_length = sorted(names, key=lambda name: (len(name), name))
    lengths = np.array([len(name) for name in by_length])
    for start in range(0, len(by_length), _BLOCK):
        block = by_length[start : start + _BLOCK]
        # A ratio above SIMILAR is impossible for a name that is longer by this factor.
        end = int(np.searchsorted(lengths, len(block[-1]) * (2 - SIMILAR) / SIMILAR, side="right"))
        others = by_length[start:end]
        scores = cdist(block, others, scorer=Indel.normalized_similarity, score_cutoff=SIMILAR, dtype=np.float32)
        for row, column in np.argwhere(scores > SIMILAR).tolist():
            if row < column:
                yield _ordered(block[row], others[column])


def _ordered(name1: str, name2: str) -> tuple[str, str]:
    return (name1, name2) if name1 < name2 else (name2, name1)
