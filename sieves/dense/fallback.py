"""The dense fallback: a mention without an answer takes the concept of the nearest name by cosine.

The vectors of the names of a lexicon are computed once for a lexicon and an encoder, int8, and memory-mapped by
workers. The files are stored beside the lexicon. The vectors of a lexicon that comes with the package, or whose folder
is read-only, are stored in the cache folder (`corpora.storage.cache`). The names of the files contain the hashes of
lexicon and encoder.

A cosine does not depend on the other texts of a batch. Vectors of names have integers up to 127, those of texts
integers up to 16,384. Rows have unit length, so by the Cauchy-Schwarz inequality every sum of products is an integer
below 2^24, which float32 represents exactly in any order of addition.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from corpora.errors import OptionError, ResourceError
from corpora.reporting import Report, log
from corpora.storage import cache
from corpora.storage.atomic import replacing
from corpora.words.short_texts import LONGEST
from sieves.dense.encoders import Encoder, open_encoder
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon
from sieves.sieve import SieveCandidate

SIEVE = "dense"
THRESHOLD = 0.85
"""The lowest cosine that counts; docs/measurements/normalization.md has the figures that chose it."""
CACHED_ANSWERS = 65_536
CACHE = "name-vectors"
"""The folder of the cache for vectors that are not stored beside their lexicon."""
BLOCK_BYTES = 4 << 20
"""Memory of the names that are converted to float32 at a time."""
QUERIES = 64
"""Texts that are compared at a time. Their scores for a block take 2 MB at a width of 128."""
BATCH = 4_096
REPORT_EVERY = 15.0
"""Seconds."""
NAME_SCALE = 127
QUERY_SCALE = 1 << 14
_LINE = 10

Nearest = tuple[str, float]
"""The key of a name near a text, and its cosine (-1..1)."""


class DenseFallback:
    """Answers for many texts at once. An answer depends only on its text, and is cached."""

    def __init__(self, lexicon: Lexicon, vectors: NameVectors, encoder: Encoder, threshold: float = THRESHOLD) -> None:
        """`threshold`: the lowest cosine (0..1) that counts. Raises `ConfigurationError` for other numbers."""
        if not 0 <= threshold <= 1:
            raise OptionError("dense_threshold", f"is {threshold:g}; give a number from 0 to 1")
        self._lexicon = lexicon
        self._vectors = vectors
        self._encoder = encoder
        self.threshold = threshold
        self._cache: dict[str, SieveCandidate | None] = {}

    def __call__(self, texts: Iterable[str]) -> dict[str, SieveCandidate]:
        """The concepts of the texts with a name above the threshold."""
        wanted = sorted({text for text in texts if relaxed(text).isalnum()})
        answers = {text: self._cache[text] for text in wanted if text in self._cache}
        fresh = [text for text in wanted if text not in answers]
        for text, ranked in zip(fresh, self._ranked(fresh, 1), strict=True):
            answers[text] = next((self._candidate(*near) for near in ranked if near[1] >= self.threshold), None)
        if len(self._cache) + len(fresh) > CACHED_ANSWERS:
            self._cache.clear()
        self._cache.update((text, answers[text]) for text in fresh if len(text) <= LONGEST)
        return {text: candidate for text, candidate in sorted(answers.items()) if candidate is not None}

    def nearest(self, text: str, number: int = 5) -> list[SieveCandidate]:
        """The nearest names of a text, with concepts and cosines, including those below the threshold."""
        ranked = self._ranked([text] if relaxed(text).isalnum() else [], number)
        found = (self._candidate(*near) for of_text in ranked for near in of_text)
        return [candidate for candidate in found if candidate is not None]

    def _ranked(self, texts: list[str], number: int) -> list[list[Nearest]]:
        return self._vectors.ranked(self._encoder.encode(texts), number) if texts else []

    def _candidate(self, key: str, cosine: float) -> SieveCandidate | None:
        """None if the year of the lexicon has no concept of that name."""
        score = min(1.0, max(0.0, cosine))
        for match in self._lexicon.with_key(key)[:1]:
            return SieveCandidate(match.identifiers, SIEVE, match.name, match.layer, score=score)
        return None


def open_fallback(
    lexicon: Lexicon,
    path: Path | None,
    encoder: str | None = None,
    threshold: float | None = None,
    device: str = "cpu",
    report: Report = log,
) -> DenseFallback:
    """Open the fallback for the lexicon at `path` (None: one of the package), with an encoder (`open_encoder`).

    `threshold`: the lowest cosine that counts, None for the default. Raises `ResourceError` if there is no such encoder
    or the vectors cannot be written, `ConfigurationError` for a threshold outside 0..1.
    """
    opened = open_encoder(encoder, device)
    vectors = NameVectors.of(lexicon, path, opened, report)
    return DenseFallback(lexicon, vectors, opened, THRESHOLD if threshold is None else threshold)


# -- vectors ------------------------------------------------------------------------------------


class NameVectors:
    """The vectors of the names of a lexicon: one for each key, in the order of the keys."""

    def __init__(self, keys: _Keys, rows: NDArray[np.int8]) -> None:
        self._keys = keys
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @classmethod
    def of(cls, lexicon: Lexicon, path: Path | None, encoder: Encoder, report: Report = log) -> NameVectors:
        """The vectors of a lexicon. Computes them if there are none, and reports it.

        `path`: the file of the lexicon (None: a lexicon that comes with the package). Raises `ResourceError` if they
        can be written neither beside the lexicon nor into the cache.
        """
        if path is None or lexicon.file is None:
            return cls._at(_file_in(cache.folder(CACHE), Path("default"), lexicon, encoder), lexicon, encoder, report)
        kept = _file_in(cache.folder(CACHE), path, lexicon, encoder)
        beside = _file_in(path.resolve().parent, path, lexicon, encoder)
        if _are_there(beside) or not _are_there(kept):
            try:
                _make(beside, lexicon, encoder, report)
                return cls._open(beside)
            except OSError as error:
                report(f"cannot write name vectors beside {path} ({error.strerror}); writing them to {kept.parent}")
        return cls._at(kept, lexicon, encoder, report)

    @classmethod
    def _at(cls, file: Path, lexicon: Lexicon, encoder: Encoder, report: Report) -> NameVectors:
        try:
            _make(file, lexicon, encoder, report)
        except OSError as error:
            raise ResourceError(
                f"cannot write name vectors to {file} ({error.strerror}); move the lexicon to a writable folder, or "
                "set NLMCHEM_HOME to one"
            ) from error
        return cls._open(file)

    @classmethod
    def _open(cls, file: Path) -> NameVectors:
        try:
            rows = np.load(file, mmap_mode="r", allow_pickle=False)
            keys = _Keys(_keys_file(file))
        except (OSError, ValueError, EOFError) as error:
            raise ResourceError(f"the name vectors at {file} are broken ({error}); delete them") from error
        if rows.ndim != 2 or rows.dtype != np.int8 or len(rows) != len(keys):
            raise ResourceError(f"the name vectors at {file} do not belong to this lexicon; delete them")
        return cls(keys, rows)

    def ranked(self, vectors: NDArray[np.float32], number: int) -> list[list[Nearest]]:
        """For each row the `number` nearest keys, nearest first, then in alphabetical order."""
        parts = (vectors[start : start + QUERIES] for start in range(0, len(vectors), QUERIES))
        return [row for part in parts for row in self._ranked(part, min(number, len(self._rows)))]

    def _ranked(self, vectors: NDArray[np.float32], number: int) -> list[list[Nearest]]:
        queries = np.rint(np.asarray(vectors, dtype=np.float32) * QUERY_SCALE)
        scores = np.zeros((len(queries), 0), dtype=np.float32)
        places = np.zeros((len(queries), 0), dtype=np.int64)
        size = max(1, BLOCK_BYTES // (4 * self._rows.shape[1]))
        for start in range(0, len(self._rows), size):
            block = self._rows[start : start + size].astype(np.float32)
            values, at = _best(queries @ block.T, number)
            scores, places = np.hstack([scores, values]), np.hstack([places, at + start])
            # A stable sort keeps equal scores in the order of the blocks.
            order = np.argsort(-scores, axis=1, kind="stable")[:, :number]
            scores, places = np.take_along_axis(scores, order, 1), np.take_along_axis(places, order, 1)
        cosines = scores / (NAME_SCALE * QUERY_SCALE)
        return [
            [(self._keys[place], float(cosine)) for place, cosine in zip(at, row, strict=True)]
            for at, row in zip(places, cosines, strict=True)
        ]


def _best(scores: NDArray[np.float32], number: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The values and columns of the best scores of each row, best first, then by column. Overwrites `scores`."""
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
    """Keys as lines of a memory-mapped file. A list of a million strings would take 80 MB in every worker."""

    def __init__(self, file: Path) -> None:
        empty = file.stat().st_size == 0
        self._text = np.zeros(0, dtype=np.uint8) if empty else np.memmap(file, dtype=np.uint8, mode="r")
        self._ends = np.flatnonzero(self._text == _LINE)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: int) -> str:
        start = self._ends[at - 1] + 1 if at else 0
        return bytes(self._text[start : self._ends[at]]).decode()


# -- writing ------------------------------------------------------------------------------------


def _file_in(folder: Path, path: Path, lexicon: Lexicon, encoder: Encoder) -> Path:
    return folder / f"{path.name}.{lexicon.database.content()[:8]}-{encoder.version[:8]}.npy"


def _keys_file(file: Path) -> Path:
    return file.with_suffix(".keys")


def _are_there(file: Path) -> bool:
    return file.exists() and _keys_file(file).exists()


def _make(file: Path, lexicon: Lexicon, encoder: Encoder, report: Report) -> None:
    """Write the keys, then the vectors, if they do not exist yet. Raises `OSError`."""
    if _are_there(file):
        return
    keys = list(lexicon.database.keys())
    # One name for each key, because the encoder reads names, not keys.
    names: dict[str, str] = {}
    for name, _ in lexicon.names(distance=2):
        names.setdefault(relaxed(name), name)
    made_of = f"lexicon {lexicon.version[:12]} and encoder {encoder.version[:12]}"
    with _written(_keys_file(file), made_of) as stream:
        stream.writelines(f"{key}\n".encode() for key in keys)
    report(f"computing the vectors of {len(keys):,} names, once for this lexicon and encoder: {file}")
    width = encoder.encode(["x"]).shape[1]
    with _written(file, made_of) as stream:
        header = {"descr": "|i1", "fortran_order": False, "shape": (len(keys), width)}
        np.lib.format.write_array_header_1_0(stream, header)
        reported = time.monotonic()
        for start in range(0, len(keys), BATCH):
            texts = [names.get(key, key) for key in keys[start : start + BATCH]]
            stream.write(np.rint(encoder.encode(texts) * NAME_SCALE).astype(np.int8).tobytes())
            if time.monotonic() - reported > REPORT_EVERY:
                reported = time.monotonic()
                report(f"computed the vectors of {start + len(texts):,} of {len(keys):,} names")


def _written(file: Path, made_of: str) -> AbstractContextManager[BinaryIO]:
    """A file that is written. One in the cache is recorded there."""
    in_cache = file.parent == cache.folder(CACHE)
    return cache.storing(CACHE, file.name, made_of) if in_cache else replacing(file)
