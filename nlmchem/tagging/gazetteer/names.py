"""Finds the longest name of a lexicon at each word of a text.

Time is linear in the length of the text. At each word no more than `WINDOW` characters are read. Names are not kept in
memory: the lexicon is queried for names that begin like the text.

A found text can still be something else: a common word, or a text with the `relaxed` key of a name that is not a
spelling of it. This key ignores punctuation, blanks and case: `benzene.`, `diet or` (the name `Dietor`), `Musk` (the
name `MuSK`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from nlmchem.abbreviations.ab3p.words import word_counts
from nlmchem.tagging.tokenization.tokens import PAIRS, TOKEN, at_word_bounds, is_balanced
from sieves.lexicon.keys import FOLDED_LENGTH, relaxed, stable_start
from sieves.lexicon.lexicon import Lexicon, Match

WINDOW = 200
"""Characters of the longest name that is searched for. Authors do not spell longer names consistently."""
OPENING = 8
"""Characters without a letter or digit with which a name may begin."""
FIRST_LETTERS = 4
"""Characters of a text by which most texts are told apart from the names of `further`."""
CACHED = 65_536
"""The number of beginnings, and of texts, that are cached; about 20 MB when full."""

Answer = TypeVar("Answer")


class NameScanner(Generic[Answer]):
    """Searches one lexicon. `answer` returns a value for a text that is a name, and None for other texts.

    `further`: `relaxed` keys of names that `answer` accepts and the lexicon does not have.
    """

    def __init__(self, lexicon: Lexicon, answer: Callable[[str], Answer | None], further: Iterable[str] = ()) -> None:
        self._lexicon = lexicon
        self._answer = answer
        self._further = frozenset(further)
        self._openings = frozenset(lexicon.meta.get("openings", ""))
        self._beginnings: dict[str, bool] = {}
        self._further_openings: dict[str, bool] = {}
        self._known: dict[str, Answer | None] = {}

    def longest(self, text: str, start: int, token: str) -> tuple[int, Answer] | None:
        """The end of the longest name that begins with the token at `start`, and its answer; None if there is none.

        `text` is in plain characters (`sieves.lexicon.keys.plain`).
        """
        if not self._may_begin(token):
            return None
        window = text[start : start + WINDOW]
        ends: list[int] = []
        for part in TOKEN.finditer(window):
            ends.append(part.end())
            if not self._goes_on(window[: part.end()]):
                break
        for end in reversed(ends):
            answer = self._answered(" ".join(window[:end].split()))
            if answer is not None and at_word_bounds(text, start, start + end):
                return start + end, answer
        return None

    def _may_begin(self, token: str) -> bool:
        return self._goes_on(token) if token[0].isalnum() else token in self._openings

    def _goes_on(self, beginning: str) -> bool:
        """Whether a name may begin with a text."""
        known = self._beginnings.get(beginning)
        if known is None:
            if len(self._beginnings) >= CACHED:
                self._beginnings.clear()
            key = stable_start(beginning)
            known = self._lexicon.begins(key) if key else len(beginning) <= OPENING
            self._beginnings[beginning] = known
        return known or (bool(self._further) and self._begins_further(beginning))

    def _begins_further(self, beginning: str) -> bool:
        """Whether a name of `further` may begin with a text. Nearly all texts are told apart by their first letters."""
        opening = beginning[:FIRST_LETTERS]
        if opening not in self._further_openings:
            if len(self._further_openings) >= CACHED:
                self._further_openings.clear()
            key = stable_start(opening)
            self._further_openings[opening] = any(name.startswith(key) for name in self._further)
        key = stable_start(beginning) if self._further_openings[opening] else ""
        return bool(key) and any(name.startswith(key) for name in self._further)

    def _answered(self, text: str) -> Answer | None:
        if text not in self._known:
            if len(self._known) >= CACHED:
                self._known.clear()
            self._known[text] = self._answer(text)
        return self._known[text]


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
