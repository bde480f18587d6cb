"""Tokens: the smallest units of text. Names begin and end at tokens."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["TOKEN", "at_word_bounds"]

TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
"""Several letters, several digits, or one other character. Blanks separate tokens."""


def at_word_bounds(text: str, start: int, end: int) -> bool:
    """Whether a span begins and ends at word boundaries, and not before a combining mark."""
    if start and text[start].isalnum() and text[start - 1].isalnum():
        return False
    if end == len(text):
        return True
    after = text[end]
    if unicodedata.category(after).startswith("M"):
        return False
    # A dash at the end is a charge (`Cl-`), unless a word follows (`Cl-induced`).
    return not (after.isalnum() and (text[end - 1].isalnum() or text[end - 1] == "-"))
