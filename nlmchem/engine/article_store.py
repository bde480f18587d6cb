"""The serialised articles of a run with numbered parts, one after another in a few large files (segments).

They are compressed by the workers. A killed run can leave bytes at the end of a segment for which the ledger has no
row: they are cut off. Text of an article that was done again stays in its segment, unused, until `restart`.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from corpora.storage import atomic
from nlmchem.engine.stop import RunStopped

SEGMENT_BYTES = 1 << 30
"""A segment ends when it is larger than this."""

Place = tuple[int, int, int]
"""Segment, start and length of an article."""


def packed(article: bytes) -> bytes:
    """A serialised article as it is stored."""
    return zlib.compress(article, 1)


class ArticleStore:
    """The segments in a folder. `end`: segment and size that the ledger knows of."""

    def __init__(self, folder: Path, end: tuple[int, int]) -> None:
        self._folder = folder
        self._segment, self._end = end
        self._sizes: dict[int, int] = {}

    @property
    def end(self) -> tuple[int, int]:
        """Segment and size after the last article."""
        return self._segment, self._end

    def append(self, articles: Iterable[bytes]) -> list[Place]:
        """Append articles, flushed to the disk. Raises `OSError`."""
        atomic.make_folder(self._folder)
        if self._end > SEGMENT_BYTES:
            self._segment, self._end = self._segment + 1, 0
        path = self._path(self._segment)
        is_new = not path.exists()
        places: list[Place] = []
        with path.open("ab") as stream:
            if stream.tell() < self._end:
                raise _damaged(path)
            stream.truncate(self._end)
            for article in articles:
                stream.write(article)
                places.append((self._segment, self._end, len(article)))
                self._end += len(article)
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            atomic.sync_folder(self._folder)
        self._sizes.pop(self._segment, None)
        return places

    def has(self, place: Place) -> bool:
        """Whether the bytes of an article are there."""
        segment, start, length = place
        if segment not in self._sizes:
            path = self._path(segment)
            self._sizes[segment] = path.stat().st_size if path.exists() else 0
        return start + length <= self._sizes[segment]

    def read(self, places: Iterable[Place]) -> Iterable[bytes]:
        """The articles at some places, in this order. Raises `RunStopped` where the store is damaged."""
        opened = -1
        stream = open(os.devnull, "rb")  # noqa: PTH123 (it is replaced by a segment)
        try:
            for segment, start, length in places:
                if segment != opened:
                    stream.close()
                    stream, opened = self._path(segment).open("rb"), segment
                stream.seek(start)
                try:
                    yield zlib.decompress(stream.read(length))
                except zlib.error as error:
                    raise _damaged(self._path(segment)) from error
        finally:
            stream.close()

    def _path(self, segment: int) -> Path:
        return self._folder / f"{segment:05}.articles"


def _damaged(path: Path) -> RunStopped:
    return RunStopped(f"{path} is damaged or shorter than recorded in the ledger; remove it and run the command again")
