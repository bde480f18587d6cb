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
from functools import cached_property
from itertools import accumulate
from typing import Generic, TypeVar

from corpora.words.english import word_counts
from nlmchem.tagging.gazetteer.folded_text import segments
from nlmchem.tagging.tokenization.tokens import PAIRS, at_word_bounds, is_balanced
from sieves.lexicon.key_hashes import KeyHashes, key_hashes
from sieves.lexicon.keys import FOLDED_LENGTH, relaxed
from sieves.lexicon.lexicon import Lexicon, Match

OPENING = 8
"""Characters without a letter or digit with which a name may begin."""
BETWEEN = " \u3400 "
"""Separates texts that are searched together: a token that is part of no name."""
CACHED = 65_536
"""The number of texts whose answers are cached; about 10 MB when full."""

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
