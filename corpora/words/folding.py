"""Folds letters one by one, so that offsets in folded text are offsets in the text."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from corpora.words import greek

# A Greek letter becomes the first letter of its name, as in short forms: `TNFA` for `TNF-α`.
_GREEK = {letter: name[0] for letter, name in greek.NAME_OF.items()} | {greek.FINAL_SIGMA: "s"}


def fold(text: str) -> str:
    """Text in lower case, without accents, with the first letter of the name for Greek letters; of the same length.

    >>> fold("Tumour Nécrosis Factor-α")
    'tumour necrosis factor-a'
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_character, text))


def alphanumeric(text: str) -> str:
    """The folded letters and digits of a text. These characters of a short form are aligned.

    >>> alphanumeric("IL-1β")
    'il1b'
    """
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    base = unicodedata.normalize("NFKD", character.lower())[:1] or character
    # Only the first character of a ligature is used, because the length must not change.
    return _GREEK.get(base, base)
