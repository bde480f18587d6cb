"""Records on disk that are written one after another and read in any order: what keeps memory bounded.

A first pass over files appends what is needed of each document and remembers where it lies; a second
reads the documents of many files in step, whatever their order. The file is ours alone and temporary.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from types import TracebackType

__all__ = ["SpoolWriter", "read_record"]

LENGTH_BYTES = 8


class SpoolWriter:
    """Appends records to a file; use it in a `with` block. Raises `OSError` as the system says it."""

    __slots__ = ("_position", "_stream")

    def __init__(self, path: Path) -> None:
        self._stream = path.open("wb")
        self._position = 0

    def append(self, record: bytes) -> int:
        """Append a record; says where it lies."""
        packed = zlib.compress(record, 1)
        self._stream.write(len(packed).to_bytes(LENGTH_BYTES, "big"))
        self._stream.write(packed)
        place = self._position
        self._position += LENGTH_BYTES + len(packed)
        return place

    def __enter__(self) -> SpoolWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def read_record(path: Path, place: int) -> bytes:
    """The record that lies at a place."""
    # Opened for each record: a file held open for each of many runs would meet the system's limit.
    with path.open("rb") as stream:
        stream.seek(place)
        return zlib.decompress(stream.read(int.from_bytes(stream.read(LENGTH_BYTES), "big")))
