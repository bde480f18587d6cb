"""Character n-grams of names, hashed into buckets: the input of the embedded encoder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from corpora.words import greek
from sieves.lexicon.keys import plain

SIZES = (2, 3, 4, 5)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_NO_WORD = re.compile(r"[\W_]+")
_GREEK = {ord(letter): greek.NAME_OF[letter] for letter in "αβγδεκλμω"}
"""The letters that the embedded encoder was trained with."""
LONGEST = 200
"""Characters of a name; the encoder does not read further ones."""


def spelled(name: str) -> str:
    """A name as the encoder reads it: lower case, single spaces, Greek letters by name, marks at both ends.

    >>> spelled("β-Carotene 15,15'-x")
    '<beta carotene 15 15 x>'
    """
    return f"<{_NO_WORD.sub(' ', plain(name).casefold().translate(_GREEK)).strip()[:LONGEST]}>"


def bags(names: Sequence[str], buckets: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The bucket numbers of the n-grams of all names in one array, and the position of each name's first n-gram.

    Hashes are multiplicative, over UTF-8 bytes, and are the same on every machine. A name has at least one n-gram.
    """
    read = [spelled(name).encode("utf-8", "surrogatepass") for name in names]
    lengths = np.array([len(text) for text in read], dtype=np.int64)
    codes = np.frombuffer(b"".join(read), dtype=np.uint8).astype(np.uint64)
    owner = np.repeat(np.arange(len(read)), lengths)
    # The number of bytes to the end of the name, because an n-gram must not reach into the next name.
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(codes))
    hashes, owners = [], []
    for size, rolling in _rolling(codes):
        if size in SIZES:
            whole = left[: len(rolling)] >= size
            # The high bits of a product are the best mixed.
            hashes.append((((rolling + np.uint64(size)) >> np.uint64(32)) % np.uint64(buckets))[whole])
            owners.append(owner[: len(rolling)][whole])
    if not hashes:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    order = np.argsort(np.concatenate(owners), kind="stable")
    numbers = np.bincount(np.concatenate(owners), minlength=len(read))
    return np.concatenate(hashes).astype(np.int64)[order], np.cumsum(numbers) - numbers


def _rolling(codes: NDArray[np.uint64]) -> Iterator[tuple[int, NDArray[np.uint64]]]:
    """For each size, the hashes of the n-grams that begin at each byte."""
    hashes = np.zeros(len(codes), dtype=np.uint64)
    for size in range(1, min(max(SIZES), len(codes)) + 1):
        with np.errstate(over="ignore"):
            hashes = (hashes[: len(codes) - size + 1] ^ codes[size - 1 :]) * _MULTIPLIER
        yield size, hashes
