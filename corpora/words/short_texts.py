"""Caches of answers to texts whose memory is bounded: long texts are answered, but not kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

LONGEST = 256
"""Characters. Longer texts hardly occur twice; a cache of texts without limit grows with the input."""


def cached(entries: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Decorates a function of a text: its answers to the last texts are kept, except to those longer than `LONGEST`.

    `entries`: the number of answers that are kept.
    """

    def decorated(function: Callable[[str], T]) -> Callable[[str], T]:
        known = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def answer(text: str) -> T:
            return known(text) if len(text) <= LONGEST else function(text)

        return answer

    return decorated
