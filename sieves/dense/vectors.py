"""The vectors of a lexicon's names: made once for a lexicon and an encoder, int8, memory-mapped, shared by workers.

They lie beside the lexicon; where nothing can be written there, and for the starter lexicon, in the cache folder
(`corpora.storage.cache`). Files are named after the content of both, so neither is ever taken for another's.

A comparison does not depend on what else is compared with it: names are whole numbers up to 127, texts whole numbers
up to 16,384, and every sum of their products is one below 2^24 (by Cauchy and Schwarz: the rows are of unit length),
which float32 holds exactly in whatever order a library adds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.reporting import Report, log
from corpora.storage import cache
from corpora.storage.atomic import replacing
from sieves.dense.encoders import Encoder
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import STARTER, Lexicon

__all__ = ["CACHE", "NameVectors", "Nearest"]

CACHE = "name-vectors"
"""The folder of the cache for vectors that cannot lie beside their lexicon."""
BLOCK_BYTES = 4 << 20
"""What the names that are in float32 at a time take."""
QUERIES = 64
"""Texts that are compared at a time: their scores for a block take 2 MB at a width of 128."""
BATCH = 4_096
TELL_EVERY = 15.0
"""Seconds."""
NAME_SCALE = 127
QUERY_SCALE = 1 << 14
_LINE = 10


@dataclass(frozen=True, slots=True)
class Nearest:
    """The name that is nearest to a text, and its cosine (-1..1)."""

    key: str
    cosine: float


class NameVectors:
    """The vectors of a lexicon's names, one a key, in the order of the keys."""

    def __init__(self, keys: _Keys, rows: NDArray[np.int8]) -> None:
        self._keys = keys
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @classmethod
    def of(cls, lexicon: Lexicon, path: Path | None, encoder: Encoder, report: Report = log) -> NameVectors:
        """The vectors of the lexicon at `path` (None: the starter), made where there are none yet, which is told.

        Raises `ResourceError` where they can be written neither beside the lexicon nor into the cache.
        """
        kept = _file_in(cache.folder(CACHE), STARTER if path is None else path, lexicon, encoder)
        if path is None or path.resolve() == STARTER:
            return cls._at(kept, lexicon, encoder, report)
        beside = _file_in(path.resolve().parent, path, lexicon, encoder)
        if _are_there(beside) or not _are_there(kept):
            try:
                _make(beside, lexicon, encoder, report)
                return cls._open(beside)
            except OSError as error:
                report(f"the name vectors cannot lie beside {path} ({error.strerror}); they go to {kept.parent}")
        return cls._at(kept, lexicon, encoder, report)

    @classmethod
    def beside(cls, lexicon: Lexicon, path: Path, encoder: Encoder) -> NameVectors:
        """The vectors beside the lexicon at `path`, and nowhere else. Raises `ResourceError` as `of`."""
        return cls._at(_file_in(path.parent, path, lexicon, encoder), lexicon, encoder, _silent)

    @classmethod
    def _at(cls, file: Path, lexicon: Lexicon, encoder: Encoder, report: Report) -> NameVectors:
        try:
            _make(file, lexicon, encoder, report)
        except OSError as error:
            raise ResourceError(
                f"cannot write name vectors to {file} ({error.strerror}); move the lexicon to a folder that can be "
                "written, or set NLMCHEM_HOME to one"
            ) from error
        return cls._open(file)

    @classmethod
    def _open(cls, file: Path) -> NameVectors:
        try:
            rows = np.load(file, mmap_mode="r", allow_pickle=False)
            keys = _Keys(_keys_file(file))
        except (OSError, ValueError, EOFError) as error:
            raise ResourceError(f"the name vectors at {file} are broken ({error}); remove them") from error
        if rows.ndim != 2 or rows.dtype != np.int8 or len(rows) != len(keys):
            raise ResourceError(f"the name vectors at {file} are broken or of another lexicon; remove them")
        return cls(keys, rows)

    def nearest(self, vectors: NDArray[np.float32]) -> list[Nearest]:
        """For each row (of unit length) the nearest key; of equals the first in the alphabet."""
        return [found[0] for found in self.ranked(vectors, 1)]

    def ranked(self, vectors: NDArray[np.float32], number: int) -> list[list[Nearest]]:
        """For each row the `number` nearest keys, the nearest first; of equals the first in the alphabet."""
        found: list[list[Nearest]] = []
        for start in range(0, len(vectors), QUERIES):
            found += self._ranked(vectors[start : start + QUERIES], min(number, len(self._rows)))
        return found

    def _ranked(self, vectors: NDArray[np.float32], number: int) -> list[list[Nearest]]:
        queries = np.rint(np.asarray(vectors, dtype=np.float32) * QUERY_SCALE)
        scores = np.zeros((len(queries), 0), dtype=np.float32)
        places = np.zeros((len(queries), 0), dtype=np.int64)
        size = max(1, BLOCK_BYTES // (4 * self._rows.shape[1]))
        for start in range(0, len(self._rows), size):
            block = self._rows[start : start + size].astype(np.float32)
            values, at = _best(queries @ block.T, number)
            scores, places = np.hstack([scores, values]), np.hstack([places, at + start])
            # Stable: of equals those of earlier blocks stay before.
            order = np.argsort(-scores, axis=1, kind="stable")[:, :number]
            scores, places = np.take_along_axis(scores, order, 1), np.take_along_axis(places, order, 1)
        cosines = scores / (NAME_SCALE * QUERY_SCALE)
        return [
            [Nearest(self._keys[place], float(cosine)) for place, cosine in zip(at, row, strict=True)]
            for at, row in zip(places, cosines, strict=True)
        ]


def _best(scores: NDArray[np.float32], number: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The best columns of each row, best first, of equals the first. `scores` are used up."""
    number = min(number, scores.shape[1])
    rows = np.arange(len(scores))
    values = np.zeros((len(scores), number), dtype=np.float32)
    places = np.zeros((len(scores), number), dtype=np.int64)
    for rank in range(number):
        places[:, rank] = scores.argmax(axis=1)
        values[:, rank] = scores[rows, places[:, rank]]
        scores[rows, places[:, rank]] = -np.inf
    return values, places


class _Keys:
    """Keys, one a line of a memory-mapped file: a list of a million strings would cost every worker 80 MB."""

    def __init__(self, file: Path) -> None:
        empty = file.stat().st_size == 0
        self._text = np.zeros(0, dtype=np.uint8) if empty else np.memmap(file, dtype=np.uint8, mode="r")
        self._ends = np.flatnonzero(self._text == _LINE)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: int) -> str:
        start = self._ends[at - 1] + 1 if at else 0
        return bytes(self._text[start : self._ends[at]]).decode()


# -- making them --------------------------------------------------------------------------------


def _file_in(folder: Path, path: Path, lexicon: Lexicon, encoder: Encoder) -> Path:
    return folder / f"{path.name}.{lexicon.version[:8]}-{encoder.version[:8]}.npy"


def _keys_file(file: Path) -> Path:
    return file.with_suffix(".keys")


def _are_there(file: Path) -> bool:
    return file.exists() and _keys_file(file).exists()


def _make(file: Path, lexicon: Lexicon, encoder: Encoder, report: Report) -> None:
    """Write the vectors, and before them their keys, where they are not there yet. Raises `OSError`."""
    if _are_there(file):
        return
    keys = list(lexicon.keys())
    names = _spellings(lexicon)
    with replacing(_keys_file(file)) as stream:
        stream.writelines(f"{key}\n".encode() for key in keys)
    report(f"making the vectors of {len(keys):,} names, once for this lexicon and encoder: {file}")
    width = encoder.encode(["x"]).shape[1]
    with replacing(file) as stream:
        header = {"descr": "|i1", "fortran_order": False, "shape": (len(keys), width)}
        np.lib.format.write_array_header_1_0(stream, header)
        told = time.monotonic()
        for done, rows in _encoded(keys, names, encoder):
            stream.write(rows.tobytes())
            if time.monotonic() - told > TELL_EVERY:
                told = time.monotonic()
                report(f"vectors of {done:,} of {len(keys):,} names are made")
    if file.parent.name == CACHE:
        # So that `nlmchem fetch --empty` can take them away.
        for one in (file, _keys_file(file)):
            made_of = f"lexicon {lexicon.version[:12]} and encoder {encoder.version[:12]}"
            cache.remember(CACHE, one.name, cache.Record(made_of, one.stat().st_size, cache.sha256_of(one)))


def _silent(sentence: str) -> None:
    pass


def _spellings(lexicon: Lexicon) -> dict[str, str]:
    """One name for each key: the encoder reads names, not keys."""
    names: dict[str, str] = {}
    for name, _ in lexicon.names(distance=2):
        names.setdefault(relaxed(name), name)
    return names


def _encoded(keys: list[str], names: dict[str, str], encoder: Encoder) -> Iterator[tuple[int, NDArray[np.int8]]]:
    """(names done, rows), a part after another."""
    for part in range(0, len(keys), BATCH):
        texts = [names.get(key, key) for key in keys[part : part + BATCH]]
        yield part + len(texts), np.rint(encoder.encode(texts) * NAME_SCALE).astype(np.int8)
