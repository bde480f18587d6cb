"""Character n-grams of names as numbers of buckets: what the embedded encoder reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sieves.keys import plain

__all__ = ["bags", "spelled"]

SIZES = (2, 3, 4, 5)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_NO_WORD = re.compile(r"[\W_]+")
_GREEK = {
    ord(letter): name
    for letter, name in zip(
        "αβγδεκλμω", ["alpha", "beta", "gamma", "delta", "epsilon", "kappa", "lambda", "mu", "omega"], strict=True
    )
}
LONGEST = 200
"""Characters of a name that are read."""


def spelled(name: str) -> str:
    """A name as the encoder reads it: small letters and digits, single blanks, Greek by name, marks at both ends.

    >>> spelled("β-Carotene 15,15'-x")
    '<beta carotene 15 15 x>'
    """
    return f"<{_NO_WORD.sub(' ', plain(name).casefold().translate(_GREEK)).strip()[:LONGEST]}>"


def bags(names: Sequence[str], buckets: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The n-grams of names, as bucket numbers one after another, and where each name's begin.

    Hashes are multiplicative, over UTF-8 bytes: the same on every machine. A name has at least one n-gram.
    """
    parts: list[NDArray[np.int64]] = []
    starts = np.zeros(len(names), dtype=np.int64)
    reached = 0
    for at, name in enumerate(names):
        codes = np.frombuffer(spelled(name).encode(), dtype=np.uint8).astype(np.uint64)
        grams = _grams(codes, buckets)
        starts[at] = reached
        reached += len(grams)
        parts.append(grams)
    return (np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)), starts


def _grams(codes: NDArray[np.uint64], buckets: int) -> NDArray[np.int64]:
    found = []
    rolling = np.zeros(len(codes), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for size in range(1, max(SIZES) + 1):
            length = len(codes) - size + 1
            if length < 1:
                break
            rolling = (rolling[:length] ^ codes[size - 1 :]) * _MULTIPLIER
            if size in SIZES:
                # The high bits of the product hold the mixing.
                found.append(((rolling + np.uint64(size)) >> np.uint64(32)) % np.uint64(buckets))
    return np.concatenate(found).astype(np.int64)
