"""Vectors of word pieces that stand for the meaning of a sentence: an encoder of sentences without layers.

The vector of a text is the mean of those of its word pieces (Model2Vec, Tulkens and van Dongen 2024). They are fitted
so that this mean is near to what a transformer gives for the text. The order of words does not count, and the vector of
a word is kept, so that a text takes little time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.storage.atomic import write_bytes
from corpora.words.english import words as words_of
from corpora.words.short_texts import cached

VECTORS = Path(__file__).with_name("vectors.safetensors")
"""The vectors that come with the package; vectors.md is their card."""
LONGEST_WORD = 40

Floats = NDArray[np.float64]
Vector = NDArray[np.float32]


class PieceVectors:
    """Vectors of word pieces. A piece inside a word begins with `##`."""

    def __init__(self, pieces: Sequence[str], vectors: NDArray[np.float32], version: str = "") -> None:
        """`vectors`: (pieces, width)."""
        self.version = version
        self._rows = {piece: row for row, piece in enumerate(pieces)}
        self._vectors = vectors
        # Words and long forms occur in many texts.
        self._word = cached(1 << 15)(self._sum_of)
        self._long = cached(1 << 14)(lambda text: self.text_vector(dict.fromkeys(words_of(text), 1)))

    def pieces_of(self, word: str) -> list[int]:
        """The rows of the longest pieces that a word consists of, from the left; none if one is unknown."""
        pieces, begin = [], 0
        while begin < len(word):
            mark = "##" if begin else ""
            for end in range(len(word), begin, -1):
                row = self._rows.get(mark + word[begin:end])
                if row is not None:
                    break
            else:
                return []
            pieces.append(row)
            begin = end
        return pieces

    def text_vector(self, counts: Mapping[str, int]) -> Vector:
        """The vector of a text with these words, of unit length; zeros without a known word."""
        total = np.zeros(self._vectors.shape[1], dtype=np.float32)
        for word, number in counts.items():
            total += self._word(word) * np.float32(number)
        length = float(np.sqrt((total * total).sum()))
        return total / np.float32(length) if length else total

    def cosines(self, counts: Mapping[str, int], long_forms: Iterable[str]) -> Floats:
        """The cosines of a text with long forms."""
        text = self.text_vector(counts)
        return np.array([float(self._long(long_form) @ text) for long_form in long_forms])

    def _sum_of(self, word: str) -> Vector:
        rows = self.pieces_of(word) if len(word) <= LONGEST_WORD else []
        total: Vector = self._vectors[rows].sum(axis=0)
        return total


@cache
def embedded_vectors() -> PieceVectors:
    """The vectors that come with the package."""
    return read_vectors(VECTORS)


def read_vectors(path: Path) -> PieceVectors:
    """Read vectors. Raises `ResourceError` if the file is missing, damaged, or of another kind."""
    from safetensors.numpy import load

    again = "install nlmchem again"
    try:
        raw = path.read_bytes()
        arrays: dict[str, NDArray[Any]] = load(raw)
        pieces = arrays["pieces"].tobytes().decode("utf-8").split("\n")
        vectors = arrays["vectors"].astype(np.float32) * arrays["scales"].astype(np.float32)[:, None]
    except OSError as error:
        raise ResourceError(f"the vectors at {path} cannot be read ({error.strerror}); {again}") from error
    except Exception as error:  # safetensors has an exception of its own for each kind of damage
        raise ResourceError(f"the vectors at {path} are damaged, or of another kind ({error}); {again}") from error
    if vectors.shape[0] != len(pieces):
        raise ResourceError(
            f"the vectors at {path} are damaged: {len(pieces)} pieces, {vectors.shape[0]} rows; {again}"
        )
    return PieceVectors(pieces, vectors, hashlib.sha256(raw).hexdigest())


def write_vectors(path: Path, pieces: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Write vectors as integers up to 127 with one scale for each row. No partial file is left after an error."""
    from safetensors.numpy import save

    scales = np.maximum(np.abs(vectors).max(axis=1) / 127, 1e-6).astype(np.float16)
    rounded = np.clip(np.rint(vectors / scales.astype(np.float32)[:, None]), -127, 127).astype(np.int8)
    text = np.frombuffer("\n".join(pieces).encode(), dtype=np.uint8)
    write_bytes(path, save({"pieces": text, "scales": scales, "vectors": rounded}))
