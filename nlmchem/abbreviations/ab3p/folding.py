"""Letters made alike, one character for one: offsets into folded text are offsets into the text."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from corpora.model import greek

__all__ = ["alphanumeric", "fold"]

# A Greek letter stands for the first letter of its name, as short forms use it: `TNFA` for `TNF-α`.
_GREEK = {letter: name[0] for letter, name in greek.NAME_OF.items()} | {greek.FINAL_SIGMA: "s"}


def fold(text: str) -> str:
    """Text in lower case, without accents, Greek letters as the first letter of their names; of the same length.

    >>> fold("Tumour Nécrosis Factor-α")
    'tumour necrosis factor-a'
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_character, text))


def alphanumeric(text: str) -> str:
    """The letters and digits of a text, folded: what is aligned of a short form.

    >>> alphanumeric("IL-1β")
    'il1b'
    """
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    base = unicodedata.normalize("NFKD", character.lower())[:1] or character
    # A ligature or an expansion is cut to its first character: length comes before likeness.
    return _GREEK.get(base, base)
