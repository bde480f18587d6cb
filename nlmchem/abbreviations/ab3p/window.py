"""The text in which a long form is searched for: its tokens, and the possible positions of letters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from corpora.model.document import Span
from corpora.words.english import known_words, stop_words
from corpora.words.folding import fold
from nlmchem.abbreviations.ab3p.candidates import unbroken

_FUNCTION_WORDS = (
    "a an and as at by for from in into is of on onto or plus than that the their these this those to upon via while "
    "with within without"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words at which no long form begins."""


class MatchingCharacter(NamedTuple):
    """A character of the window to which a character of the short form may be assigned.

    `first`: it is the first character of its token. `start`: it is the first character, or it follows a character
    that is neither a letter nor a digit.
    """

    position: int
    token: int
    first: bool
    start: bool


class TokenWindow:
    """The folded tokens of a text. `spans`: the span of each token in the text."""

    __slots__ = ("_hits", "spans", "starts", "text", "tokens")

    def __init__(self, tokens: Sequence[str], spans: Sequence[Span]) -> None:
        self.spans = spans
        self.tokens = tokens
        self.text = " ".join(tokens)
        self.starts: list[int] = []
        reached = 0
        for token in tokens:
            self.starts.append(reached)
            reached += len(token) + 1
        self._hits: dict[str, tuple[MatchingCharacter, ...]] = {}

    @classmethod
    def of(cls, text: str, spans: Sequence[Span]) -> TokenWindow:
        """The window of the tokens at `spans`."""
        return cls([fold(unbroken(text[start:end])) for start, end in spans], spans)

    def hits(self, character: str) -> tuple[MatchingCharacter, ...]:
        """Every position of a character, from right to left."""
        known = self._hits.get(character)
        if known is None:
            known = self._hits[character] = self._find(character)
        return known

    def is_stop(self, token: int) -> bool:
        """Whether a token is a stop word."""
        return self.tokens[token] in stop_words()

    def ends_in_word(self, hit: MatchingCharacter) -> bool:
        """Whether the rest of a token, starting at a hit, is a known word."""
        return self.tokens[hit.token][hit.position - self.starts[hit.token] :] in known_words()

    def could_hold(self, characters: str) -> bool:
        """Whether the window contains the characters in their order. If not, no alignment is possible."""
        reached = len(self.text)
        for character in reversed(characters):
            reached = self.text.rfind(character, 0, reached)
            if reached < 0:
                return False
        return True

    def _find(self, character: str) -> tuple[MatchingCharacter, ...]:
        text, starts = self.text, self.starts
        places: list[MatchingCharacter] = []
        position = text.rfind(character)
        while position >= 0:
            token = bisect_right(starts, position) - 1
            first = position == starts[token]
            places.append(MatchingCharacter(position, token, first, first or not text[position - 1].isalnum()))
            position = text.rfind(character, 0, position)
        return tuple(places)
