"""The short forms that an article defines, and whether they mean a chemical there."""

from __future__ import annotations

from collections.abc import Iterable

from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds
from sieves.lexicon.keys import plain

__all__ = ["NO_SHORT_FORMS", "SHORTEST", "ShortForms"]

SHORTEST = 2
"""Characters of the shortest short form that is used. An article also uses a single letter for other things."""


class ShortForms:
    """Short forms, and whether each means a chemical."""

    def __init__(self, defined: Iterable[tuple[str, bool]] = ()) -> None:
        self._is_chemical: dict[str, bool] = {}
        for short, is_chemical in defined:
            # A short form with two definitions means a chemical if one of them does.
            self._is_chemical[plain(short)] = self._is_chemical.get(plain(short), False) or is_chemical
        self._by_first_token: dict[str, list[str]] = {}
        for short in sorted(self._is_chemical, key=lambda short: (-len(short), short)):
            token = TOKEN.match(short)
            if token is not None and len(short) >= SHORTEST:
                self._by_first_token.setdefault(token.group(), []).append(short)

    def at(self, text: str, start: int, token: str) -> tuple[int, bool] | None:
        """The end of the longest short form at `start`, and whether it means a chemical; None if there is none.

        `token` is the token at `start`. A short form may have a plural s.
        """
        for first in dict.fromkeys((token, token.removesuffix("s"))):
            for short in self._by_first_token.get(first, ()):
                end = start + len(short)
                ends = (end, end + 1) if text.startswith("s", end) else (end,)
                for last in ends if text.startswith(short, start) else ():
                    if at_word_bounds(text, start, last):
                        return last, self._is_chemical[short]
        return None


NO_SHORT_FORMS = ShortForms()
