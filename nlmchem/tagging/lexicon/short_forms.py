"""The short forms that an article defines, and whether they mean a chemical there."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds
from sieves.lexicon.keys import plain

__all__ = ["NO_SHORT_FORMS", "SHORTEST", "ShortForms"]

SHORTEST = 2
"""Characters of the shortest short form that is used. An article also uses a single letter for other things."""


class ShortForms:
    """Short forms, and whether each means a chemical. A short form is looked at when a text has it, so few are."""

    def __init__(
        self, defined: Iterable[tuple[str, str]] = (), means: Callable[[str], bool | None] = lambda _: False
    ) -> None:
        """`defined`: short and long forms. `means`: whether a long form means a chemical; None if that is unknown.

        A short form without a long form of a known meaning is left out.
        """
        self._means = means
        self._longs: dict[str, dict[str, None]] = {}
        for short, long in defined:
            self._longs.setdefault(plain(short), {})[long] = None
        self._known: dict[str, bool | None] = {}
        self._by_first_token: dict[str, list[str]] = {}
        for short in sorted(self._longs, key=lambda short: (-len(short), short)):
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
                        is_chemical = self._is_chemical(short)
                        if is_chemical is not None:
                            return last, is_chemical
        return None

    def _is_chemical(self, short: str) -> bool | None:
        """Whether one of the long forms means a chemical; None if nothing is known about any of them."""
        if short not in self._known:
            found = [is_chemical for is_chemical in map(self._means, self._longs[short]) if is_chemical is not None]
            self._known[short] = any(found) if found else None
        return self._known[short]


NO_SHORT_FORMS = ShortForms()
