"""Splits and folds by article, the same for everyone, and the check that no article stands on both sides.

An article is known again by its ids (PMCID, PMID, DOI, document id) and by its text: two texts are nearly
identical when most word shingles of the shorter one stand in the longer one, so that an abstract is found in its full
text. Shingles are sampled by their hash (Broder 1997, "On the resemblance and containment of documents").
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.document import article_ids, passage_text

__all__ = [
    "NEARLY",
    "SHINGLE",
    "Fingerprint",
    "Leak",
    "describe",
    "fingerprint",
    "folds",
    "groups",
    "leaks",
    "split",
]

SHINGLE = 5
"""Words of a shingle."""
SAMPLE = 4
"""One shingle of so many is kept: those whose hash is divisible by it."""
NEARLY = 0.6
"""Share of the shorter text's shingles from which on two texts are one article."""
UNLIKE = 0.1
"""Share under which two texts are of different articles, whatever their numbers."""
LEAST = 8
"""Kept shingles under which a text is too short to be compared but as a whole."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What an article is known by: (kind, value) ids, a hash of all its words, and sampled shingles."""

    id: str
    ids: frozenset[tuple[str, str]]
    text: str
    shingles: frozenset[int]


@dataclass(frozen=True, slots=True)
class Leak:
    """An article that stands on both sides: `by` is `id`, `doi` or `text`; `share` of the shorter text (1 for ids)."""

    left: str
    right: str
    by: str
    share: float = 1.0

    def __str__(self) -> str:
        how = f"{self.share:.0%} of the text" if self.by == "text" else f"the same {self.by}"
        both = self.left if self.left == self.right else f"{self.left} and {self.right}"
        return f"{both} ({how})"


# -- knowing an article again -------------------------------------------------------------------


def fingerprint(document: BioCDocument) -> Fingerprint:
    """What a document is known by; its memory is about 8 bytes for every 4 words."""
    words = [word for passage in document.passages for word in _WORD.findall(passage_text(passage).casefold())]
    whole = hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    hashes = (crc32(" ".join(words[i : i + SHINGLE]).encode("utf-8", "surrogatepass")) for i in _starts(words))
    kept = frozenset(value for value in hashes if value % SAMPLE == 0)
    return Fingerprint(str(document.id), _ids(document), whole if words else "", kept)


def leaks(left: Iterable[Fingerprint], right: Iterable[Fingerprint], nearly: float = NEARLY) -> list[Leak]:
    """Every pair of the same article, one from each side; sorted by the ids.

    `left` is kept in memory, `right` is walked through. Of several reasons the first counts: id, DOI, text.
    """
    index = _Index(left)
    found = [leak for other in right for leak in index.matches(other, nearly)]
    return sorted(set(found), key=lambda leak: (leak.left, leak.right, leak.by))


def groups(prints: Sequence[Fingerprint], nearly: float = NEARLY) -> list[int]:
    """For each article the position of the first one that is the same: what must stay on one side."""
    parent = list(range(len(prints)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    index = _Index(())
    for place, one in enumerate(prints):
        for other in index.places(one, nearly):
            first, second = sorted((root(other), root(place)))
            parent[second] = first
        index.add(one)
    return [root(place) for place in range(len(prints))]


def describe(found: Sequence[Leak], left: str, right: str) -> str:
    """One sentence for the model card: what was compared and what was found."""
    if not found:
        return f"No article of {left} stands in {right} (compared by id, DOI and near-identical text)."
    kinds = Counter(leak.by for leak in found)
    counts = ", ".join(f"{number} by {kind}" for kind, number in sorted(kinds.items()))
    return f"{len(found)} articles of {left} stand in {right} too ({counts}), such as {found[0]}."


# -- splits and folds ---------------------------------------------------------------------------


def folds(prints: Sequence[Fingerprint], number: int, seed: int = 0) -> list[int]:
    """The fold (0 to `number` - 1) of each article; copies of an article share one.

    It depends on the articles and the seed alone, not on their order. Folds differ in size by one article, or
    by as much as copies force. Raises `ConfigurationError` where there are fewer articles than folds.
    """
    if number < 2:
        raise ConfigurationError(f"{number} folds are none; ask for 2 or more")
    assigned = _deal(prints, [1.0] * number, seed)
    if len(set(assigned)) < number:
        raise ConfigurationError(f"there are fewer articles than folds ({number}); ask for fewer folds")
    return assigned


def split(prints: Sequence[Fingerprint], shares: Mapping[str, float], seed: int = 0) -> list[str]:
    """The part of each article, as in `{"train": 0.8, "dev": 0.1, "test": 0.1}`; copies share one.

    Raises `ConfigurationError` for shares that are not positive.
    """
    if not shares or min(shares.values()) <= 0:
        raise ConfigurationError("the shares of a split must be greater than 0, such as train=0.8,dev=0.2")
    names = list(shares)
    return [names[place] for place in _deal(prints, list(shares.values()), seed)]


def _deal(prints: Sequence[Fingerprint], shares: Sequence[float], seed: int) -> list[int]:
    """Groups of copies in the order of their hash, each to the part that lacks most of its share."""
    members: dict[int, list[int]] = defaultdict(list)
    for place, group in enumerate(groups(prints)):
        members[group].append(place)
    ordered = sorted(members.values(), key=lambda places: min(_order(prints[place], seed) for place in places))
    total = sum(shares)
    wanted = [share / total * len(prints) for share in shares]
    assigned = [0] * len(prints)
    held = [0] * len(shares)
    for places in ordered:
        part = max(range(len(shares)), key=lambda part: (wanted[part] - held[part], -part))
        held[part] += len(places)
        for place in places:
            assigned[place] = part
    return assigned


def _order(one: Fingerprint, seed: int) -> str:
    ids = ",".join(f"{kind}:{value}" for kind, value in sorted(one.ids))
    return hashlib.sha256(f"{seed}\n{one.id}\n{ids}\n{one.text}".encode("utf-8", "surrogatepass")).hexdigest()


# -- how ----------------------------------------------------------------------------------------


class _Index:
    """Articles by what they are known by."""

    def __init__(self, prints: Iterable[Fingerprint]) -> None:
        self._prints: list[Fingerprint] = []
        self._by_id: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_text: dict[str, list[int]] = defaultdict(list)
        self._by_shingle: dict[int, list[int]] = defaultdict(list)
        for one in prints:
            self.add(one)

    def add(self, one: Fingerprint) -> None:
        place = len(self._prints)
        self._prints.append(one)
        for key in one.ids:
            self._by_id[key].append(place)
        if one.text:
            self._by_text[one.text].append(place)
        for value in one.shingles:
            self._by_shingle[value].append(place)

    def matches(self, other: Fingerprint, nearly: float) -> Iterator[Leak]:
        for place, (by, share) in self._found(other, nearly).items():
            yield Leak(self._prints[place].id, other.id, by, share)

    def places(self, other: Fingerprint, nearly: float) -> Iterable[int]:
        return self._found(other, nearly)

    def _found(self, other: Fingerprint, nearly: float) -> dict[int, tuple[str, float]]:
        found: dict[int, tuple[str, float]] = {}
        # `doi` sorts before the other kinds, but an id says more than it.
        for kind, value in sorted(other.ids, key=lambda key: (key[0] == "doi", key)):
            for place in self._by_id.get((kind, value), ()):
                if not _merely_numbered_alike(other, self._prints[place], value):
                    found.setdefault(place, ("doi" if kind == "doi" else "id", 1.0))
        for place in self._by_text.get(other.text, ()):
            found.setdefault(place, ("text", 1.0))
        shared = Counter(place for value in other.shingles for place in self._by_shingle.get(value, ()))
        for place, number in shared.items():
            shorter = min(len(other.shingles), len(self._prints[place].shingles))
            if shorter >= LEAST and number / shorter >= nearly:
                found.setdefault(place, ("text", number / shorter))
        return found


def _ids(document: BioCDocument) -> frozenset[tuple[str, str]]:
    """Ids by kind. A document's own id is compared with every kind of number: corpora differ in which they use."""
    stated = article_ids(document)
    # A synthetic copy is its original, whatever its own id.
    own = stated.pop("original", str(document.id or "")).strip()
    found = {(kind, value.strip().removeprefix("PMC").casefold()) for kind, value in stated.items()}
    if own.startswith("10."):
        found.add(("doi", own.casefold()))
    elif own.upper().startswith("PMC"):
        found.add(("pmc", own[3:]))
    elif own and not found:
        # Nothing says whether 7654321 is a PMCID or a PMID.
        found |= {("pmid", own.casefold()), ("pmc", own.casefold())} if own.isdecimal() else {("id", own.casefold())}
    return frozenset((kind, value) for kind, value in found if value)


def _merely_numbered_alike(one: Fingerprint, other: Fingerprint, value: str) -> bool:
    """Whether a PMID of one article may be the PMCID of another: nothing says what the number is, and texts differ."""
    bare = {("pmid", value), ("pmc", value)}
    if not (bare <= one.ids or bare <= other.ids) or min(len(one.shingles), len(other.shingles)) < LEAST:
        return False
    return len(one.shingles & other.shingles) < UNLIKE * min(len(one.shingles), len(other.shingles))


def _starts(words: Sequence[str]) -> range:
    return range(max(0, len(words) - SHINGLE + 1))
