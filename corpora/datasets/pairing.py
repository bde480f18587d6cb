"""Word-in-context pairs in BioWiC's four groups, from any corpus with concept ids.

A pair is two mentions, each in its sentence, and the answer whether they mean the same concept. It belongs to the
first matching group: `term_identity` (the same term), `abbreviations` (one abbreviates the other), `label_similarity`
(similar names), `synonyms` (both are names of one concept in the corpus). Each group has as many pairs with yes as
with no. Source of the groups: Rouhizadeh et al. 2024, Scientific Data 11:455. The selection of pairs is our own.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from bioc import BioCDocument
from rapidfuzz.distance import Levenshtein

from corpora.datasets.samples import GROUPS, ContextPair
from corpora.model.document import Span, mentions, passage_text

__all__ = ["Contexts", "pairs", "shortens"]

SIMILAR = 0.75
"""Minimum normalised edit similarity of similar names."""
PER_NAME = 4
"""Maximum number of mentions kept for a name with one concept."""

Splitter = Callable[[str], Iterable[Span]]


@dataclass(frozen=True, slots=True)
class _Mention:
    term: str
    sentence: str
    span: Span
    document: str


@dataclass(slots=True)
class Contexts:
    """Mentions by name (in lower case, singular) and concept. Memory grows with distinct names, not with articles.

    Only mentions with one concept, in one piece and inside one sentence are used. `sentences`: splits a text into the
    spans of its sentences.
    """

    sentences: Splitter
    seed: int = 0
    found: dict[str, dict[str, list[_Mention]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def add(self, document: BioCDocument) -> None:
        """Add the mentions of a document, of all types."""
        bounds: dict[int, list[Span]] = {}
        for mention in mentions(document, None):
            if len(mention.identifiers) != 1 or len(mention.spans) != 1:
                continue
            passage = mention.passage
            text = passage_text(passage)
            if id(passage) not in bounds:
                bounds[id(passage)] = list(self.sentences(text))
            start, end = (place - passage.offset for place in mention.spans[0])
            around = next((span for span in bounds[id(passage)] if span[0] <= start and end <= span[1]), None)
            if around is None or text[start:end] != mention.text:
                continue
            kept = self.found[_name(mention.text)][mention.identifiers[0]]
            if len(kept) < PER_NAME:
                span = (start - around[0], end - around[0])
                kept.append(_Mention(mention.text, text[slice(*around)], span, str(document.id)))


def pairs(contexts: Contexts, most: int = 500) -> list[ContextPair]:
    """Pairs of all groups: in each group, as many of each answer as the rarer answer has, and at most `most`.

    The same corpus and seed give the same pairs.
    """
    drawn: dict[tuple[str, bool], dict[ContextPair, None]] = defaultdict(dict)
    for group, one, other in _candidates(contexts.found):
        for concept, left in contexts.found[one].items():
            for concept2, right in contexts.found[other].items():
                same = concept == concept2
                if one == other and concept > concept2:
                    continue
                pair = _pair(group, left, right, same)
                if pair is not None:
                    drawn[group, same][pair] = None
    chosen: list[ContextPair] = []
    for group in GROUPS:
        number = min(most, len(drawn[group, True]), len(drawn[group, False]))
        for same in (True, False):
            ordered = sorted(drawn[group, same], key=lambda pair: _order(pair, contexts.seed))
            chosen += ordered[:number]
    return chosen


def shortens(short: str, long: str) -> bool:
    """Whether `short` looks like an abbreviation of `long`: its capitals begin words of `long`, in order.

    `CD` shortens `cytoplasmic domain` and also `celiac disease`. This makes such pairs difficult.
    """
    letters = [character for character in short if character.isalnum()]
    if not 2 <= len(letters) <= 8 or len(short) * 2 > len(long) or sum(map(str.isupper, letters)) * 2 < len(letters):
        return False
    initials = [word[0].casefold() for word in long.replace("-", " ").split() if word]
    wanted = [letter.casefold() for letter in letters if letter.isalpha()]
    rest = iter(initials)
    return len(wanted) >= 2 and wanted[0] == initials[0] and all(letter in rest for letter in wanted)


def _name(term: str) -> str:
    """The name that is equal for equal terms. In BioWiC, `hematoma` and `hematomas` are equal."""
    folded = " ".join(term.casefold().split())
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss") else folded


def _candidates(found: Mapping[str, Mapping[str, Sequence[_Mention]]]) -> Iterator[tuple[str, str, str]]:
    """(group, name, name) for all names that can form a pair; each pair of names occurs once."""
    names = sorted(found)
    yield from (("term_identity", name, name) for name in names)
    seen: set[tuple[str, str]] = set()
    for one, other in _shortening(found, names):
        seen.add((one, other))
        yield "abbreviations", one, other
    for pair in _similar(names):
        if pair not in seen:
            seen.add(pair)
            yield "label_similarity", *pair
    by_concept: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for concept in found[name]:
            by_concept[concept].append(name)
    for same in by_concept.values():
        for pair in combinations(same, 2):
            if pair not in seen:
                seen.add(pair)
                yield "synonyms", *pair


def _shortening(
    found: Mapping[str, Mapping[str, Sequence[_Mention]]], names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    written = {name: next(iter(next(iter(found[name].values())))).term for name in names}
    long_by_initial: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if " " in name or "-" in name:
            long_by_initial[name[0]].append(name)
    for name in names:
        if len(name) <= 10:
            for long in long_by_initial.get(name[0], ()):
                if shortens(written[name], long):
                    first, second = sorted((name, long))
                    yield first, second


def _similar(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of similar names. Only names with the same first three letters are compared."""
    blocks: dict[str, list[str]] = defaultdict(list)
    for name in names:
        blocks[name[:3]].append(name)
    for block in blocks.values():
        for one, other in combinations(block, 2):
            if Levenshtein.normalized_similarity(one, other, score_cutoff=SIMILAR) >= SIMILAR:
                yield one, other


def _pair(group: str, left: Sequence[_Mention], right: Sequence[_Mention], same: bool) -> ContextPair | None:
    """The first two mentions in different sentences; mentions of different articles are preferred."""
    found: tuple[_Mention, _Mention] | None = None
    for one in left:
        for other in right:
            if one.sentence == other.sentence:
                continue
            if one.document != other.document:
                return _joined(group, one, other, same)
            found = found or (one, other)
    return _joined(group, *found, same) if found else None


def _joined(group: str, one: _Mention, other: _Mention, same: bool) -> ContextPair:
    return ContextPair(one.term, other.term, one.sentence, other.sentence, one.span, other.span, group, same)


def _order(pair: ContextPair, seed: int) -> str:
    text = f"{seed}\n{pair.term1}\n{pair.term2}\n{pair.sentence1}\n{pair.sentence2}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
