"""Fingerprints of articles: they find the same article twice, also on both sides of a split (a leak).

Two articles are the same if they share an id (PMCID, PMID, DOI, document id) or if their texts are nearly identical.
Texts are nearly identical if the longer one contains most word shingles of the shorter one, so an abstract matches its
full text. Shingles are sampled by their hash (Broder 1997, "On the resemblance and containment of documents").
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from bioc import BioCDocument

from corpora.model.metadata import article_ids
from corpora.model.passages import passage_text
from corpora.words.quantities import quantity

SHINGLE = 5
"""Words in a shingle."""
SAMPLE = 4
"""One shingle in this many is kept: those with a hash that is divisible by it."""
SAME = 0.6
"""Two texts are one article if they share at least this part of the shorter text's shingles."""
DIFFERENT = 0.1
"""Two texts are different articles if they share less than this part, even with the same number as id."""
LEAST = 8
"""Texts with fewer kept shingles are compared only as a whole."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What identifies an article: (kind, value) ids, a hash of all words (empty without words), sampled shingles."""

    id: str
    ids: frozenset[tuple[str, str]]
    text: str
    shingles: frozenset[int]


@dataclass(frozen=True, slots=True)
class Leak:
    """An article on both sides, with its id on each. `by` is `id`, `doi` or `text`.

    `share`: the shared part of the shorter text's shingles, 0 to 1; 1 for ids.
    """

    left: str
    right: str
    by: str
    share: float = 1.0

    def __str__(self) -> str:
        how = f"{self.share:.0%} of the text" if self.by == "text" else f"the same {self.by}"
        both = self.left if self.left == self.right else f"{self.left} and {self.right}"
        return f"{both} ({how})"


def fingerprint(document: BioCDocument) -> Fingerprint:
    """The fingerprint of a document. It needs about 8 bytes for every 4 words."""
    words = [word for passage in document.passages for word in _WORD.findall(passage_text(passage).casefold())]
    whole = hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    hashes = (crc32(" ".join(words[i : i + SHINGLE]).encode("utf-8", "surrogatepass")) for i in _starts(words))
    kept = frozenset(value for value in hashes if value % SAMPLE == 0)
    return Fingerprint(str(document.id), _ids(document), whole if words else "", kept)


def leaks(left: Iterable[Fingerprint], right: Iterable[Fingerprint]) -> list[Leak]:
    """Each article that is on both sides, with what it equals on the other side, sorted by the ids.

    N and M copies of one article give N + M - 1 pairs, not N times M: each copy is in one. Of several reasons the first
    counts: id, DOI, text. `left` is kept in memory; `right` may be an iterator.
    """
    index = _Index(left)
    first = _FirstTime()
    pairs = [leak for other in right for leak in index.matches(other, first)]
    return sorted(set(pairs), key=lambda leak: (leak.left, leak.right, leak.by))


def groups(prints: Sequence[Fingerprint]) -> list[int]:
    """For each article the position of the first article in its group: equal articles must stay on one side."""
    parent = list(range(len(prints)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    index = _Index(())
    for place, fingerprint in enumerate(prints):
        for other in index.places(fingerprint):
            first, second = sorted((root(other), root(place)))
            parent[second] = first
        index.add(place, fingerprint)
    return [root(place) for place in range(len(prints))]


def describe(leaks: Sequence[Leak], left: str, right: str) -> str:
    """One sentence for the model card: the comparison and its result."""
    if not leaks:
        return f"No article of {left} is in {right} (compared by id, DOI and near-identical text)."
    kinds = Counter(leak.by for leak in leaks)
    counts = ", ".join(f"{number} by {kind}" for kind, number in sorted(kinds.items()))
    return (
        f"{quantity(len(leaks), 'article')} of {left} {'is' if len(leaks) == 1 else 'are'} also in "
        f"{right} ({counts}), such as {leaks[0]}."
    )


_Choice = Callable[[str, Sequence[int]], Sequence[int]]


class _FirstTime:
    """Chooses all places with one text the first time, then the first of them only."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def __call__(self, text: str, places: Sequence[int]) -> Sequence[int]:
        chosen = places[:1] if text in self._texts else places
        if places:
            self._texts.add(text)
        return chosen


class _Index:
    """Articles by id, whole text, and shingle.

    Of articles with one text only the first is found by its shingles, and equal articles are entered once: otherwise
    each of many copies would be compared with all others.
    """

    def __init__(self, prints: Iterable[Fingerprint]) -> None:
        self._prints: dict[int, Fingerprint] = {}
        self._known: set[tuple[str, frozenset[tuple[str, str]], str]] = set()
        self._by_id: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_text: dict[str, list[int]] = defaultdict(list)
        self._by_shingle: dict[int, list[int]] = defaultdict(list)
        for place, fingerprint in enumerate(prints):
            self.add(place, fingerprint)

    def add(self, place: int, fingerprint: Fingerprint) -> None:
        if fingerprint.text and (fingerprint.id, fingerprint.ids, fingerprint.text) in self._known:
            return
        self._known.add((fingerprint.id, fingerprint.ids, fingerprint.text))
        self._prints[place] = fingerprint
        for key in fingerprint.ids:
            self._by_id[key].append(place)
        if fingerprint.text not in self._by_text:
            for value in fingerprint.shingles:
                self._by_shingle[value].append(place)
        if fingerprint.text:
            self._by_text[fingerprint.text].append(place)

    def matches(self, other: Fingerprint, of_same: _Choice) -> Iterator[Leak]:
        for place, (by, share) in self._found(other, of_same).items():
            yield Leak(self._prints[place].id, other.id, by, share)

    def places(self, other: Fingerprint) -> Iterable[int]:
        """The places of the same article; of those with one text the first, with which all others are grouped."""
        return self._found(other, lambda _, places: places[:1])

    def _found(self, other: Fingerprint, of_same: _Choice) -> dict[int, tuple[str, float]]:
        """`of_same`: which of the places with one text count."""
        reasons: dict[int, tuple[str, float]] = {}
        # The DOI comes last: a shared id is the better reason to report.
        for kind, value in sorted(other.ids, key=lambda key: (key[0] == "doi", key)):
            for place in self._by_id.get((kind, value), ()):
                if not _share_only_a_number(other, self._prints[place], value):
                    reasons.setdefault(place, ("doi" if kind == "doi" else "id", 1.0))
        for place in of_same(other.text, self._by_text.get(other.text, ())):
            reasons.setdefault(place, ("text", 1.0))
        shared = Counter(place for value in other.shingles for place in self._by_shingle.get(value, ()))
        for first, number in shared.items():
            shorter = min(len(other.shingles), len(self._prints[first].shingles))
            if shorter >= LEAST and number / shorter >= SAME:
                text = self._prints[first].text
                # The same text was chosen from above.
                for place in of_same(text, self._by_text[text]) if text != other.text else ():
                    reasons.setdefault(place, ("text", number / shorter))
        return reasons


def _ids(document: BioCDocument) -> frozenset[tuple[str, str]]:
    """Ids by kind. A bare number counts as every kind of number, because corpora use different ones."""
    stated = article_ids(document)
    # A synthetic copy has the id of its original.
    document_id = stated.pop("original", str(document.id or "")).strip()
    ids = {(kind, value.strip().removeprefix("PMC").casefold()) for kind, value in stated.items()}
    if document_id.startswith("10."):
        ids.add(("doi", document_id.casefold()))
    elif document_id.upper().startswith("PMC"):
        ids.add(("pmc", document_id[3:]))
    elif document_id and not ids:
        # 7654321 can be a PMCID or a PMID.
        ids |= (
            {("pmid", document_id.casefold()), ("pmc", document_id.casefold())}
            if document_id.isdecimal()
            else {("id", document_id.casefold())}
        )
    return frozenset((kind, value) for kind, value in ids if value)


def _share_only_a_number(first: Fingerprint, other: Fingerprint, value: str) -> bool:
    """Whether the PMID of one article may be the PMCID of the other: the kind is not stated and the texts differ."""
    bare = {("pmid", value), ("pmc", value)}
    if not (bare <= first.ids or bare <= other.ids) or min(len(first.shingles), len(other.shingles)) < LEAST:
        return False
    return len(first.shingles & other.shingles) < DIFFERENT * min(len(first.shingles), len(other.shingles))


def _starts(words: Sequence[str]) -> range:
    return range(max(0, len(words) - SHINGLE + 1))
