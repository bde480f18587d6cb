"""Pairs of brackets in a text."""

from __future__ import annotations

__all__ = ["CLOSING", "PAIRS", "is_balanced", "unpaired"]

PAIRS = {"(": ")", "[": "]", "{": "}"}
"""The closing bracket of each opening one."""
CLOSING = {closing: opening for opening, closing in PAIRS.items()}
"""The opening bracket of each closing one."""


def is_balanced(text: str) -> bool:
    """Whether every bracket of a text has its partner in it."""
    return not any(unpaired(text))


def unpaired(text: str) -> tuple[list[int], list[int]]:
    """The positions of unpaired opening brackets and of unpaired closing brackets."""
    opened: list[int] = []
    closed: list[int] = []
    for position, letter in enumerate(text):
        if letter in PAIRS:
            opened.append(position)
        elif letter in CLOSING:
            if opened and text[opened[-1]] == CLOSING[letter]:
                opened.pop()
            else:
                closed.append(position)
    return opened, closed
