"""Finds the names of a lexicon in a text: at each word the longest one.

A text is read once. The hashes of its parts (`sieves.lexicon.key_hashes`) tell which of them can be names; only these
are looked up. Time is linear in the length of the text, because a name has at most 200 characters.

A found text can still be something else: a common word, or a text with the `relaxed` key of a name that is not a
spelling of it. This key ignores punctuation, blanks and case: `benzene.`, `diet or` (the name `Dietor`), `Musk` (the
name `MuSK`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpora.words.english import word_counts
from corpora.words.short_texts import cached
from nlmchem.tagging.tokenization.tokens import PAIRS, TOKEN, at_word_bounds, is_balanced, token_places
from sieves.lexicon.key_hashes import STARTS, KeyHashes, key_hashes, letters_of, part_hashes, running_sums
from sieves.lexicon.keys import FOLDED_LENGTH, UNITED, relaxed
from sieves.lexicon.lexicon import Lexicon, Match

OPENING = 8
"""Characters without a letter or digit with which a name may begin."""
BETWEEN = " \u3400 "
"""Separates texts that are searched together: a token that is part of no name."""
CACHED = 65_536
"""The number of texts whose answers are cached; about 10 MB when full."""

WINDOW = 200
"""Characters of the longest name that is searched for. Authors do not spell longer names consistently."""
SEGMENT = 20_000
"""Characters of a text that are folded at once."""
CACHED_TOKENS = 65_536
KEPT = 8
"""Segments that are kept between the searches of an article; about 0.5 MB each."""

Places = NDArray[np.intp]
Span = tuple[int, int]
Answer = TypeVar("Answer")


class NameScanner(Generic[Answer]):
    """Searches one lexicon. `answer` returns a value for a text that is a name, and None for other texts.

    `further`: `relaxed` keys of names that `answer` accepts and the lexicon does not have.
    """

    def __init__(self, lexicon: Lexicon, answer: Callable[[str], Answer | None], further: Iterable[str] = ()) -> None:
        self._lexicon = lexicon
        self._answer = answer
        self._further = {key: KeyHashes.of([key]) for key in sorted(further)}
        self._openings = frozenset(lexicon.meta.get("openings", ""))
        self._known: dict[str, Answer | None] = {}

    @cached_property
    def _table(self) -> KeyHashes:
        """Opened when the first text is searched, since a scanner may never be used."""
        return key_hashes(self._lexicon)

    def names(self, texts: Sequence[str]) -> list[list[tuple[int, int, Answer]]]:
        """Of each text: start, end (exclusive) and answer of the longest name at each token, from left to right.

        They may overlap. The texts are in plain characters (`sieves.lexicon.keys.plain`). Many short texts are
        searched faster together than one by one; the answers are the same.
        """
        named: list[list[tuple[int, int, Answer]]] = [[] for _ in texts]
        begins = list(accumulate((len(text) + len(BETWEEN) for text in texts), initial=0))
        for place, ends in self._candidates(BETWEEN.join(texts)):
            number = bisect_right(begins, place) - 1
            text, start = texts[number], place - begins[number]
            for end in (end - begins[number] for end in ends):
                # A lexicon may have a name with the letter between the texts.
                answer = self._answered(" ".join(text[start:end].split())) if end <= len(text) else None
                if answer is not None and at_word_bounds(text, start, end):
                    named[number].append((start, end, answer))
                    break
        return named

    def _candidates(self, text: str) -> Iterator[tuple[int, list[int]]]:
        """For each token that a name can begin with: the ends of the texts that can be names, the longest first."""
        for offset, segment in segments(text):
            by_start: dict[int, list[int]] = {}
            others = [table for key, table in self._further.items() if segment.has(key)]
            for table in (self._table, *others):
                for start, end in segment.parts(table, self._openings, OPENING):
                    by_start.setdefault(start + offset, []).append(end + offset)
            yield from ((start, sorted(set(by_start[start]), reverse=True)) for start in sorted(by_start))

    def _answered(self, text: str) -> Answer | None:
        if text not in self._known:
            if len(self._known) >= CACHED:
                self._known.clear()
            self._known[text] = self._answer(text)
        return self._known[text]


Place = TypeVar("Place", bound=tuple[object, ...])


def without_overlaps(spans: Iterable[Place]) -> Iterator[Place]:
    """The spans (start, end, ...) that begin after the end of the last one, from left to right."""
    reached = 0
    for span in spans:
        start, end, *_ = span
        if start >= reached:  # type: ignore[operator]
            reached = end  # type: ignore[assignment]
            yield span


COMMON_NAME = 1000
"""A word that occurs so often in 8,225 open articles is common."""
COMMON_SYNONYM = 300
"""The same for a word that is not the preferred name of its concept."""


def is_common(text: str, match: Match) -> bool:
    """Whether a name that was found as `text` is a common word of biomedical articles."""
    most = COMMON_NAME if match.name == match.preferred_name else COMMON_SYNONYM
    return text.isalpha() and word_counts().get(text.lower(), 0) >= most


_LAST = frozenset((*PAIRS.values(), "+"))
"""What a name can end with, besides letters and digits."""
_BETWEEN_WORDS = re.compile(r"(?<!\d) (?!\d)")
_NO_WORD = re.compile(r"[\W_]")


def is_spelling(text: str, name: str) -> bool:
    """Whether `text` is a spelling of `name`. Both are in plain characters and have the same `relaxed` key."""
    if not _is_whole(text) or len(_BETWEEN_WORDS.findall(text)) > len(_NO_WORD.findall(name)):
        return False
    # In short names the case counts.
    return len(relaxed(text)) >= FOLDED_LENGTH or _NO_WORD.sub("", text) == _NO_WORD.sub("", name)


def _is_whole(text: str) -> bool:
    """Whether a text has letters, and no punctuation around it."""
    if not any(map(str.isalpha, text)) or not is_balanced(text):
        return False
    if text[0] in PAIRS and is_balanced(text[1:-1]):
        return False
    return (text[0].isalnum() or text[0] in PAIRS) and (text[-1].isalnum() or text[-1] in _LAST)


class FoldedTokens:
    """The `relaxed` keys of the tokens of a text, joined, and the hashes of its parts.

    The key of a part is that of its tokens, joined, with one exception: letters of two tokens can form one of the
    spellings that a key unites (`to estradiol` has `oestr`). Parts with such a place are folded one by one.
    """

    def __init__(self, text: str, past: int) -> None:
        """`past`: parts begin before this place of the text."""
        self._text, self._past = text, past
        self._starts, self._ends = token_places(text)
        tokens = [text[start:end] for start, end in zip(self._starts.tolist(), self._ends.tolist(), strict=True)]
        piece_of = {token: _piece(token) for token in set(tokens)}
        pieces = [piece_of[token] for token in tokens]
        self._bounds = np.concatenate(([0], np.cumsum([len(piece) for piece in pieces], dtype=np.intp)))
        """The end of each token in the key, after a 0."""
        self._key = "".join(pieces)
        self._letters = letters_of(self._key)
        self._sums = running_sums(self._letters)
        crossings = [
            place
            for match in UNITED.finditer(self._key)
            for place in range(match.start() + 1, match.end())
            if self._bounds[np.searchsorted(self._bounds, place)] == place
        ]
        self._united = np.array(crossings, dtype=np.intp)
        """The places in the key where letters of two tokens form a spelling that keys unite."""
        self._parts: dict[tuple[KeyHashes, frozenset[str], int], list[Span]] = {}

    def has(self, key: str) -> bool:
        """Whether a part of the text may have this key."""
        return key in self._key or len(self._united) > 0

    def parts(self, table: KeyHashes, openings: frozenset[str], opening: int) -> list[Span]:
        """Start and end of the parts whose key, or key without a plural s, can be in the table.

        A part begins with a token that has a letter or digit, or with one of `openings` and at most `opening`
        characters without letters and digits. It has at most `WINDOW` characters.
        """
        # Several scanners have the same lexicon.
        search = (table, openings, opening)
        if search not in self._parts:
            self._parts[search] = list(self._searched(*search)) if len(self._starts) else []
        return self._parts[search]

    def _searched(self, table: KeyHashes, openings: frozenset[str], opening: int) -> Iterator[Span]:
        # The tokens that a name may begin with. For each token: the end of the last token before the next one with
        # letters or digits.
        sized = np.diff(self._bounds) > 0
        before = np.searchsorted(self._bounds, self._bounds[:-1], side="right") - 2
        symbols = np.where(sized, 0, self._ends[np.maximum(before, 0)] - self._starts)
        fits = [text in openings for text in map(self._text.__getitem__, self._starts[~sized].tolist())]
        allowed = sized.copy()
        allowed[~sized] = np.array(fits, dtype=bool) & (symbols[~sized] <= opening)
        first = np.flatnonzero(allowed & (self._starts < self._past))
        longest = self._longest(table, first)
        # Whether a part from each token can contain a place where two tokens form a united spelling.
        following = np.searchsorted(self._united, self._bounds[first], side="right")
        place = np.append(self._united, np.iinfo(np.intp).max)[following]
        odd = np.asarray(place - self._bounds[first] <= longest + 1)
        for at in first[odd].tolist():
            yield from self._folded_parts(table, int(self._starts[at]))
        yield from self._hashed_parts(table, first[~odd], longest[~odd])
        # Parts without letters and digits that are keys.
        for at in first.tolist() if table.symbols else ():
            start = int(self._starts[at])
            for end in self._ends[at:].tolist():
                if end - start > WINDOW or any(map(str.isalnum, self._text[start:end])):
                    break
                if relaxed(self._text[start:end]) in table.symbols:
                    yield start, end

    def _longest(self, table: KeyHashes, first: Places) -> Places:
        """For each token: how long a key that begins there can be."""
        at = self._bounds[first]
        longest = np.full(len(first), WINDOW, dtype=np.intp)
        alive = np.ones(len(first), dtype=bool)
        for length in STARTS:
            fits = alive & (at + length <= len(self._key))
            begins = np.zeros(len(first), dtype=bool)
            begins[fits] = table.begins(part_hashes(self._sums, at[fits], at[fits] + length), length)
            longest[alive & ~begins] = length - 1
            alive = begins
        return longest

    def _hashed_parts(self, table: KeyHashes, first: Places, longest: Places) -> Iterator[Span]:
        at = self._bounds[first]
        # One character more, for a plural s.
        past = np.minimum(
            np.searchsorted(self._bounds, at + longest + 1, side="right") - 1,
            np.searchsorted(self._ends, self._starts[first] + WINDOW, side="right"),
        )
        number = np.maximum(past - first, 0)
        begin = np.repeat(np.arange(len(first)), number)
        last = np.arange(len(begin)) - np.repeat(np.cumsum(number) - number, number) + first[begin]
        start, end = at[begin], self._bounds[last + 1]
        begin, last, start, end = (values[end > start] for values in (begin, last, start, end))
        possible = table.has(part_hashes(self._sums, start, end))
        plural = ~possible & (self._letters[end - 1] == ord("s")) & (end - start > 1)
        possible[plural] = table.has(part_hashes(self._sums, start[plural], end[plural] - 1))
        yield from zip(self._starts[first[begin[possible]]].tolist(), self._ends[last[possible]].tolist(), strict=True)

    def _folded_parts(self, table: KeyHashes, start: int) -> Iterator[Span]:
        """The same as `_hashed_parts` for one token, by the keys of the texts themselves."""
        window = self._text[start : start + WINDOW]
        ends = [token.end() for token in TOKEN.finditer(window)]
        keys = [relaxed(window[:end]) for end in ends]
        possible = table.has_keys(keys) | table.has_keys([key.removesuffix("s") for key in keys])
        yield from ((start, start + end) for end, fits in zip(ends, possible.tolist(), strict=True) if fits)


def segments(text: str) -> Iterator[tuple[int, FoldedTokens]]:
    """The text in segments that overlap by the length of a name, so that memory is bounded, with their offsets."""
    first = 0
    while first < len(text):
        following = TOKEN.search(text, first + SEGMENT)
        past = len(text) if following is None else following.start()
        # An unbroken text makes a longer segment, which is not kept.
        fold = _folded if past - first <= 2 * SEGMENT else FoldedTokens
        yield first, fold(text[first : past + WINDOW], past - first)
        first = past


@lru_cache(maxsize=KEPT)
def _folded(text: str, past: int) -> FoldedTokens:
    """The last segments are kept, since several lexicons search each text."""
    return FoldedTokens(text, past)


@cached(CACHED_TOKENS)
def _piece(token: str) -> str:
    """The key of a token; empty for a token without letters and digits."""
    key = relaxed(token)
    return key if any(map(str.isalnum, key)) else ""
