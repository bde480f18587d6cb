"""Texts as databases store them."""

from __future__ import annotations


def storable(text: str) -> str:
    """A text as SQLite stores it: lone surrogates, which UTF-8 cannot store, become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
