"""Fingerprints of articles: they find the same article twice, also on both sides of a split (a leak), and make splits
and folds by article. The same articles and seed always give the same result.

Two articles are the same if they share an id (PMCID, PMID, DOI, document id) or if their texts are nearly identical.
Texts are nearly identical if the longer one contains most word shingles of the shorter one, so an abstract matches its
full text. Shingles are sampled by their hash (Broder 1997, "On the resemblance and containment of documents").
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from zlib import crc32

from bioc import BioCDocument

from corpora.errors import ConfigurationError, OptionError
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
CROWD = 32
"""Articles that are compared with another one because they share a shingle or an id with it."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What identifies an article."""

    id: str
    ids: frozenset[tuple[str, str]]
    """Kind and value of each id."""
    text: str
    """A hash of all words; empty without words."""
    shingles: frozenset[int]
    """The sample of the hashes of shingles."""


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
    starts = range(max(0, len(words) - SHINGLE + 1))
    hashes = (crc32(" ".join(words[i : i + SHINGLE]).encode("utf-8", "surrogatepass")) for i in starts)
    kept = frozenset(value for value in hashes if value % SAMPLE == 0)
    return Fingerprint(str(document.id), _ids(document), whole if words else "", kept)


def leaks(left: Iterable[Fingerprint], right: Iterable[Fingerprint]) -> list[Leak]:
    """Each article that is on both sides, with what it equals on the other side, sorted by the ids.

    N and M copies of one article give N + M - 1 pairs, not N times M: each copy is in one, and the same holds for
    articles with one id. Of several reasons the first counts: id, DOI, text. `left` is kept in memory; `right` may be
    an iterator.
    """
    index, pairing = _Index(left), _Pairing()
    pairs = {
        Leak(index.prints[place].id, other.id, by, share)
        for other in right
        for place, (by, share) in index.find(other, pairing).items()
    }
    return sorted(pairs, key=lambda leak: (leak.left, leak.right, leak.by, -leak.share))


def groups(prints: Sequence[Fingerprint]) -> list[int]:
    """For each article the position of the first article in its group: equal articles must stay on one side."""
    parent = list(range(len(prints)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    index = _Index()
    for place, own in enumerate(prints):
        # Of the places with one id or text only the first: the others are in one group with it already.
        for other in index.find(own, _first):
            first, second = sorted((root(other), root(place)))
            parent[second] = first
        index.add(place, own)
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


_Choice = Callable[..., Iterable[int]]
"""`_Pairing` or `_first`."""


class _Pairing:
    """Which of the places of one key are paired with an article: all that are accepted the first time; then the first
    of these only, and those that were not paired before. So N and M articles give N + M - 1 pairs.
    """

    def __init__(self) -> None:
        self._open: dict[object, Sequence[int]] = {}
        self._paired: dict[object, list[int]] = defaultdict(list)

    def __call__(
        self, key: object, places: Sequence[int], accept: Callable[[int], bool], again: bool = True
    ) -> Iterator[int]:
        """`again`: whether one is yielded that was paired before."""
        paired = self._paired[key]
        yield from islice(filter(accept, paired[:CROWD]), int(again))
        left, refused = self._open.get(key, places), 0
        kept = []
        for at, place in enumerate(left):
            if accept(place):
                paired.append(place)
                yield place
                continue
            kept.append(place)
            refused += 1
            if refused == CROWD:
                # The others wait for an article that is more like them.
                kept += left[at + 1 :]
                break
        self._open[key] = kept


def _first(key: object, places: Sequence[int], accept: Callable[[int], bool], again: bool = True) -> Iterator[int]:
    """The first place only."""
    return islice(filter(accept, places[:CROWD]), int(again))


class _Index:
    """Articles by id, whole text, and shingle.

    A shingle has at most CROWD places. An article most of whose shingles have as many is entered beside the one that is
    most like it: otherwise each of many similar articles would be compared with all others. Of articles with one text
    only the first is found by its shingles, and equal articles are entered once.
    """

    def __init__(self, prints: Iterable[Fingerprint] = ()) -> None:
        self.prints: dict[int, Fingerprint] = {}
        self._known: set[tuple[str, frozenset[tuple[str, str]], str]] = set()
        self._by_id: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_text: dict[str, list[int]] = defaultdict(list)
        # Tuples of numbers: the garbage collector would go through millions of lists again and again.
        self._by_shingle: dict[int, tuple[int, ...]] = {}
        self._alike: dict[int, list[int]] = defaultdict(list)
        for place, own in enumerate(prints):
            self.add(place, own)

    def add(self, place: int, fingerprint: Fingerprint) -> None:
        if fingerprint.text and (fingerprint.id, fingerprint.ids, fingerprint.text) in self._known:
            return
        self._known.add((fingerprint.id, fingerprint.ids, fingerprint.text))
        self.prints[place] = fingerprint
        for key in fingerprint.ids:
            self._by_id[key].append(place)
        if fingerprint.text not in self._by_text:
            self._add_shingles(place, fingerprint)
        if fingerprint.text:
            self._by_text[fingerprint.text].append(place)

    def _add_shingles(self, place: int, fingerprint: Fingerprint) -> None:
        crowded = {value for value in fingerprint.shingles if len(self._by_shingle.get(value, ())) >= CROWD}
        near = self._near(fingerprint) if len(crowded) >= max(LEAST, SAME * len(fingerprint.shingles)) else {}
        if near:
            self._alike[max(near, key=lambda other: (near[other], -other))].append(place)
            return
        # An article that is like none of those with its shingles can be found by all of them.
        is_found = len(crowded) < len(fingerprint.shingles)
        for value in fingerprint.shingles - crowded if is_found else fingerprint.shingles:
            self._by_shingle[value] = (*self._by_shingle.get(value, ()), place)

    def find(self, other: Fingerprint, chosen: _Choice) -> dict[int, tuple[str, float]]:
        """The places of the same article, each with reason and share. `chosen`: which of those with one key count."""
        reasons: dict[int, tuple[str, float]] = {}
        # The DOI comes last: a shared id is the better reason to report.
        for kind, value in sorted(other.ids, key=lambda key: (key[0] == "doi", key)):

            def is_same(place: int, value: str = value) -> bool:
                return not _share_only_a_number(other, self.prints[place], value)

            for place in chosen((kind, value), self._by_id.get((kind, value), ()), is_same):
                reasons.setdefault(place, ("doi" if kind == "doi" else "id", 1.0))
        for place in chosen(other.text, self._by_text.get(other.text, ()), lambda place: True):
            reasons.setdefault(place, ("text", 1.0))
        for first, share in self._near(other).items():
            text = self.prints[first].text
            # The same text was chosen from above.
            for place in chosen(text, self._by_text[text], lambda place: True) if text != other.text else ():
                reasons.setdefault(place, ("text", share))
            for place in chosen(first, self._alike.get(first, ()), partial(self._is_near, other), False):
                for same in self._by_text[self.prints[place].text]:
                    reasons.setdefault(same, ("text", self._share(other, place)))
        return reasons

    def _near(self, other: Fingerprint) -> dict[int, float]:
        """The places in the lists of shingles whose texts are nearly the same, each with the shared part."""
        lists = [self._by_shingle[value] for value in other.shingles if value in self._by_shingle]
        full = sum(len(places) >= CROWD for places in lists)
        counts = Counter(place for places in lists for place in places)
        near = {}
        for place, number in counts.items():
            shorter = min(len(other.shingles), len(self.prints[place].shingles))
            # A place may be missing in the lists that are full.
            if shorter >= LEAST and number + full >= SAME * shorter and self._is_near(other, place):
                near[place] = self._share(other, place)
        return near

    def _share(self, other: Fingerprint, place: int) -> float:
        shingles = self.prints[place].shingles
        return len(other.shingles & shingles) / max(1, min(len(other.shingles), len(shingles)))

    def _is_near(self, other: Fingerprint, place: int) -> bool:
        return self._share(other, place) >= SAME


def _ids(document: BioCDocument) -> frozenset[tuple[str, str]]:
    """Ids by kind. A bare number counts as every kind of number, because corpora use different ones."""
    ids_of_kinds = article_ids(document)
    # A synthetic copy has the id of its original.
    document_id = ids_of_kinds.pop("original", str(document.id or "")).strip()
    ids = {(kind, value.strip().removeprefix("PMC").casefold()) for kind, value in ids_of_kinds.items()}
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


# -- splits and folds ---------------------------------------------------------------------------


def folds(prints: Sequence[Fingerprint], number: int, seed: int = 0) -> list[int]:
    """The fold (0 to `number` - 1) of each article. Copies of an article are in the same fold.

    The result depends on the articles and the seed, not on the order. Fold sizes differ by one article, or by more
    where copies require it. Raises `ConfigurationError` for fewer than 2 folds and for more folds than articles.
    """
    if number < 2:
        raise ConfigurationError(f"the number of folds is {number}; use 2 or more")
    assigned = _deal(prints, [1.0] * number, seed)
    if len(set(assigned)) < number:
        raise ConfigurationError(f"there are fewer articles than folds ({number}); use fewer folds")
    return assigned


def split(prints: Sequence[Fingerprint], shares: Mapping[str, float], seed: int = 0) -> list[str]:
    """The part of each article. Copies of an article are in the same part.

    `shares`: the size of each part by its name, as in `{"train": 0.8, "dev": 0.1, "test": 0.1}`. Raises
    `ConfigurationError` for shares that are not positive.
    """
    if not shares or min(shares.values()) <= 0:
        raise ConfigurationError("the shares of a split must be greater than 0, such as train=0.8,dev=0.2")
    names = list(shares)
    return [names[place] for place in _deal(prints, list(shares.values()), seed)]


def parse_shares(text: str, option: str) -> dict[str, float]:
    """The shares in a text such as `train=0.8,test=0.2`, by the name of the part. Raises `OptionError`."""
    try:
        shares = {part.strip(): float(share) for part, share in (item.split("=") for item in text.split(","))}
    except ValueError:
        raise OptionError(option, f"must be parts with shares, such as train=0.8,test=0.2, not {text!r}") from None
    return shares


def _deal(prints: Sequence[Fingerprint], shares: Sequence[float], seed: int) -> list[int]:
    """Assign groups of copies, in the order of their hash, each to the part that is furthest below its share."""
    members: dict[int, list[int]] = defaultdict(list)
    for place, group in enumerate(groups(prints)):
        members[group].append(place)

    def order(place: int) -> str:
        ids = ",".join(f"{kind}:{value}" for kind, value in sorted(prints[place].ids))
        name = f"{seed}\n{prints[place].id}\n{ids}\n{prints[place].text}"
        return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()

    ordered = sorted(members.values(), key=lambda places: min(map(order, places)))
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
