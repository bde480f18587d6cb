"""Aligns a short form with a window: each letter and digit of the short form is assigned to one of the window."""

from __future__ import annotations

from nlmchem.abbreviations.ab3p.strategies import Strategy
from nlmchem.abbreviations.ab3p.window import MatchingCharacter, TokenWindow

# Properties of a partial alignment.
_BEGUN, _WIDE, _INSIDE, _BEHIND, _TOUCHING = 1, 2, 4, 8, 16


def first_letters(characters: str, window: TokenWindow) -> MatchingCharacter | None:
    """Strategy FirstLet: the characters are the first characters of the last tokens of the window."""
    begin = len(window.tokens) - len(characters)
    if begin < 0:
        return None
    tokens = window.tokens[begin:]
    if any(token[0] != character for token, character in zip(tokens, characters, strict=True)):
        return None
    return MatchingCharacter(window.starts[begin], begin, True, True)


def align(characters: str, window: TokenWindow, strategy: Strategy) -> MatchingCharacter | None:
    """The position of the first character in the first alignment that the strategy accepts; None if there is none.

    `characters`: the folded letters and digits of a short form. Alignments are tried from right to left, nearest
    first (Sohn et al. 2008). A partial alignment that failed is not tried again, so the time is bounded by the product
    of the lengths.
    """
    places = [window.hits(character) for character in characters]
    places[0] = tuple(hit for hit in places[0] if hit.start)
    if not all(places):
        return None
    return _Search(places, window, strategy).place(len(places) - 1, None, 0)


class _Search:
    __slots__ = ("_end", "_failed", "_places", "_strategy", "_wanted", "_window")

    def __init__(self, places: list[tuple[MatchingCharacter, ...]], window: TokenWindow, strategy: Strategy) -> None:
        self._places = places
        self._window = window
        self._strategy = strategy
        self._end = MatchingCharacter(len(window.text) + 1, len(window.tokens), True, True)
        self._failed: set[tuple[int, int, int]] = set()
        self._wanted = (
            (_WIDE if strategy.widest else 0)
            | (_INSIDE if strategy.inside else 0)
            | (_BEHIND if strategy.behind_mark else 0)
            | (_TOUCHING if strategy.touching else 0)
        )

    def place(self, index: int, right: MatchingCharacter | None, shown: int) -> MatchingCharacter | None:
        """Place characters `index`, `index - 1`, ... 0 to the left of `right`; return the position of character 0."""
        strategy = self._strategy
        right = right or self._end
        reach = right.token - 1 - strategy.gap
        for hit in self._places[index]:
            if hit.position >= right.position:
                continue
            if hit.token < reach:
                break
            if strategy.starts and not hit.start:
                continue
            after = self._after(hit, right, shown)
            if after is None:
                continue
            if index == 0:
                if after & self._wanted == self._wanted and (after & _BEGUN or not strategy.begun):
                    return hit
                continue
            key = (index, hit.position, after)
            if key in self._failed:
                continue
            placed = self.place(index - 1, hit, after)
            if placed is not None:
                return placed
            self._failed.add(key)
        return None

    def _after(self, hit: MatchingCharacter, right: MatchingCharacter, shown: int) -> int | None:
        """The properties of the alignment with `hit`; None if the strategy does not allow it."""
        strategy, window = self._strategy, self._window
        if hit.token != right.token:
            if strategy.begun and right is not self._end and not shown & _BEGUN:
                return None
            shown &= ~_BEGUN
            gap = right.token - hit.token - 1
            if gap:
                if strategy.stops and not all(map(window.is_stop, range(hit.token + 1, right.token))):
                    return None
                if gap >= strategy.widest:
                    shown |= _WIDE
        if strategy.words and not hit.first and not window.ends_in_word(hit):
            return None
        if hit.start:
            shown |= _BEGUN if hit.first else _BEGUN | _BEHIND
        else:
            shown |= _INSIDE
        if hit.position + 1 == right.position:
            shown |= _TOUCHING
        return shown
