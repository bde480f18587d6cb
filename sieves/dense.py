"""The dense fallback: what no sieve knows takes the concept of the nearest name by cosine, if it is near enough.

The vectors of all names are made once for a lexicon and an encoder and lie beside the lexicon, int8, memory-mapped:
workers share them. Comparison is blocked with a running maximum, in float32: no matrix of mentions by names is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpora.atomic import replacing
from corpora.errors import ResourceError
from sieves.dense_encoders import Encoder
from sieves.keys import relaxed
from sieves.lexicon import Lexicon
from sieves.sieve import Candidate

__all__ = ["SIEVE", "THRESHOLD", "DenseFallback", "NameVectors"]

SIEVE = "dense"
THRESHOLD = 0.85
"""The least cosine that counts; docs/normalization.md says how it was chosen."""
BLOCK = 32_768
"""Rows of names that are in float32 at a time: 16 MB at a width of 128."""
BATCH = 4_096
_SCALE = 127.0


@dataclass(frozen=True, slots=True)
class Nearest:
    """The name that is nearest to a text, and its cosine (-1..1)."""

    key: str
    cosine: float


class NameVectors:
    """The vectors of a lexicon's names, one a key, in the order of the keys."""

    def __init__(self, keys: list[str], rows: NDArray[np.int8]) -> None:
        self._keys = keys
        self._rows = rows

    @classmethod
    def beside(cls, lexicon: Lexicon, path: Path, encoder: Encoder) -> NameVectors:
        """The vectors of the lexicon at `path`, made where they are not there yet.

        Their file is named after the content of both. Raises `ResourceError` where it cannot be written.
        """
        file = path.with_name(f"{path.name}.{lexicon.version[:8]}-{encoder.version[:8]}.npy")
        keys = list(lexicon.keys())
        if not file.exists():
            _write_rows(file, keys, _spellings(lexicon), encoder)
        try:
            rows = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ResourceError(f"the name vectors at {file} are broken ({error}); remove them") from error
        if len(rows) != len(keys):
            raise ResourceError(f"the name vectors at {file} are of another lexicon; remove them")
        return cls(keys, rows)

    def nearest(self, vectors: NDArray[np.float32]) -> list[Nearest]:
        """For each row the nearest key; of equals the first in the alphabet."""
        best = np.full(len(vectors), -2.0, dtype=np.float32)
        at = np.zeros(len(vectors), dtype=np.int64)
        for start in range(0, len(self._rows), BLOCK):
            block = np.asarray(self._rows[start : start + BLOCK], dtype=np.float32) / _SCALE
            scores = vectors @ block.T
            places = scores.argmax(axis=1)
            values = scores[np.arange(len(vectors)), places]
            better = values > best
            best[better], at[better] = values[better], places[better] + start
        return [Nearest(self._keys[place], float(value)) for place, value in zip(at, best, strict=True)]


class DenseFallback:
    """Answers, for all texts of an article that no sieve knows at once."""

    def __init__(self, lexicon: Lexicon, vectors: NameVectors, encoder: Encoder, threshold: float = THRESHOLD) -> None:
        self._lexicon = lexicon
        self._vectors = vectors
        self._encoder = encoder
        self._threshold = threshold

    def __call__(self, texts: Iterable[str]) -> dict[str, Candidate]:
        """The concepts of the texts that are near enough to a name."""
        asked = sorted({text for text in texts if relaxed(text).isalnum()})
        found: dict[str, Candidate] = {}
        for text, near in zip(asked, self._vectors.nearest(self._encoder.encode(asked)), strict=True):
            if near.cosine < self._threshold:
                continue
            for match in self._lexicon.with_key(near.key)[:1]:
                score = min(1.0, max(0.0, near.cosine))
                found[text] = Candidate(match.identifiers, SIEVE, match.name, match.layer, score=score)
        return found


def _spellings(lexicon: Lexicon) -> dict[str, str]:
    """One name for each key: the encoder reads names, not keys."""
    names: dict[str, str] = {}
    for name, _ in lexicon.names(distance=2):
        names.setdefault(relaxed(name), name)
    return names


def _write_rows(file: Path, keys: list[str], names: dict[str, str], encoder: Encoder) -> None:
    width = encoder.encode(["x"]).shape[1]
    try:
        with replacing(file) as stream:
            header = {"descr": "|i1", "fortran_order": False, "shape": (len(keys), width)}
            np.lib.format.write_array_header_1_0(stream, header)
            for rows in _encoded(keys, names, encoder):
                stream.write(rows.tobytes())
    except OSError as error:
        raise ResourceError(f"cannot write name vectors to {file} ({error.strerror}); move the lexicon") from error


def _encoded(keys: list[str], names: dict[str, str], encoder: Encoder) -> Iterator[NDArray[np.int8]]:
    for part in range(0, len(keys), BATCH):
        texts = [names.get(key, key) for key in keys[part : part + BATCH]]
        yield np.rint(encoder.encode(texts) * _SCALE).astype(np.int8)
