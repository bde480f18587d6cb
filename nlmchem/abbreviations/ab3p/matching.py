"""Finds the long form of a short form in a window. Source: Sohn et al. 2008, "Strategies"."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpora.model.document import Span
from corpora.words.english import known_words, one_letter_words, stop_words
from corpora.words.folding import alphanumeric, fold
from nlmchem.abbreviations.ab3p.alignment import align, first_letters
from nlmchem.abbreviations.ab3p.boundaries import begin_of, without_marks
from nlmchem.abbreviations.ab3p.notation import name_begin
from nlmchem.abbreviations.ab3p.precisions import ADDED, NOTATION, ROTATED, TRIALS, group
from nlmchem.abbreviations.ab3p.rewriting import index_first, rewritings
from nlmchem.abbreviations.ab3p.strategies import STRATEGIES
from nlmchem.abbreviations.ab3p.vetoes import balanced, cannot_be_short_form, is_cut_off, is_long_form, is_symbol
from nlmchem.abbreviations.ab3p.window import MatchingCharacter, TokenWindow

MOST_LETTERS = 10
LONGEST = 40
"""The maximum number of characters of a short form. Ab3P only limits the letters."""

_PLURAL = re.compile(r"[A-Z]+s")


class LongFormMatch(NamedTuple):
    """A long form: its span in the text, the strategy, and its score."""

    long: Span
    strategy: str
    score: float


def admitted(short: str) -> bool:
    """Whether a text may be a short form (Sohn et al. 2008, "Short forms"). It may also begin with a square bracket."""
    if not short or len(short) > LONGEST or not (short[0].isalnum() or short[0] == "["):
        return False
    letters = sum(map(str.isalpha, short))
    return 1 <= letters <= MOST_LETTERS and len(short.split()) <= 2 and balanced(short)


def match(text: str, short: str, window: TokenWindow) -> LongFormMatch | None:
    """The long form of an admitted short form in a window of `text`, found by the first strategy that succeeds."""
    folded = fold(short)
    if window.spans[-1][1] - window.spans[0][0] < len(short):
        return None
    if cannot_be_short_form(short) and not is_cut_off(folded, window.tokens):
        return None
    if folded in window.tokens:
        # A long form never contains its short form, so it begins after it.
        behind = len(window.tokens) - window.tokens[::-1].index(folded)
        if behind == len(window.tokens):
            return None
        window = TokenWindow(window.tokens[behind:], window.spans[behind:])
    return _Matcher(text, short, window).match()


class _Matcher:
    __slots__ = ("_characters", "_folded", "_short", "_text", "_window")

    def __init__(self, text: str, short: str, window: TokenWindow) -> None:
        self._text = text
        self._short = short
        self._folded = fold(short)
        self._characters = alphanumeric(short)
        self._window = window

    def match(self) -> LongFormMatch | None:
        # Ab3P does not accept `[Ca2+]i` as a short form.
        if self._short[0] != "[" and self._window.could_hold(self._characters):
            trial = self._by_trials()
            if trial:
                return trial
        return self._by_notation() or self._by_rewriting()

    def _by_trials(self) -> LongFormMatch | None:
        """The strategies of Ab3P in order. Initials with the index first are tried before letters inside words."""
        rotated = index_first(self._short)
        for name, score in TRIALS[group(self._short)]:
            if rotated and not name.startswith("FirstLet"):
                long = self._accepted(first_letters(rotated, self._window), "FirstLet", self._window)
                if long:
                    return LongFormMatch(long, f"{ROTATED}+FirstLet", ADDED[ROTATED])
                rotated = None
            long = self._accepted(self._try(name), name, self._window)
            if long:
                return LongFormMatch(long, name, score)
        return None

    def _by_notation(self) -> LongFormMatch | None:
        """The chemical name of a formula or a symbol. Not in Ab3P."""
        begin = name_begin(self._short, self._window)
        if begin is None:
            return None
        long = self._accepted(MatchingCharacter(self._window.starts[begin], begin, True, True), NOTATION, self._window)
        return LongFormMatch(long, NOTATION, ADDED[NOTATION]) if long else None

    def _by_rewriting(self) -> LongFormMatch | None:
        for other in rewritings(self._short, self._window):
            long = self._accepted(_begin(other.strategy, other.characters, other.window), other.strategy, other.window)
            if long and not is_symbol(self._text[slice(*long)]):
                return LongFormMatch(long, other.name, other.score)
        return None

    def _try(self, name: str) -> MatchingCharacter | None:
        if name == "FirstLetOneChSF":
            return self._one_letter()
        if name == "FirstLetGenS":
            if _PLURAL.fullmatch(self._short) and self._window.tokens[-1].endswith("s"):
                return _begin("FirstLetGen2", self._characters[:-1], self._window)
            return None
        return _begin(name, self._characters, self._window)

    def _one_letter(self) -> MatchingCharacter | None:
        """The last word, if it begins with the letter and is a word that is abbreviated by one letter."""
        word = self._window.tokens[-1]
        if len(word) < 2 or word[0] != self._characters or word in stop_words():
            return None
        # In an enumeration of an article, any known word: `genioglossus (G)`. Not in Ab3P.
        if word not in one_letter_words() and not (self._short.isupper() and word in known_words()):
            return None
        last = len(self._window.tokens) - 1
        return MatchingCharacter(self._window.starts[last], last, True, True)

    def _accepted(self, hit: MatchingCharacter | None, strategy: str, window: TokenWindow) -> Span | None:
        """The span of the long form; None if there is no hit or the text cannot be a long form."""
        if hit is None:
            return None
        start = begin_of(self._text, self._folded, window, hit, strategy)
        long = without_marks(self._text, start, self._window.spans[-1][1])
        text = self._text[slice(*long)]
        # Words in brackets after a list in running text: `team, fair adjustments (trades)`.
        if ", " in text and self._short.islower():
            return None
        return long if is_long_form(text, self._folded) else None


def _begin(strategy: str, characters: str, window: TokenWindow) -> MatchingCharacter | None:
    if strategy == "FirstLet":
        return first_letters(characters, window)
    return align(characters, window, STRATEGIES[strategy])
