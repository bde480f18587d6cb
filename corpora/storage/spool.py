"""Records in a temporary file, written one after another and read in any order. They keep memory bounded.

A first pass over files appends a record for each document and keeps only its position. A second pass reads the records
of many files in parallel, in any order.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from types import TracebackType

__all__ = ["SpoolWriter", "read_record"]

LENGTH_BYTES = 8


class SpoolWriter:
    """Appends records to a file; to be used in a `with` block. Raises `OSError`."""

    __slots__ = ("_position", "_stream")

    def __init__(self, path: Path) -> None:
        self._stream = path.open("wb")
        self._position = 0

    def append(self, record: bytes) -> int:
        """Append a record. Returns its position, for `read_record`."""
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
    """The record at a position."""
    # The file is opened for each record: many runs with one open file each would exceed the limit of the system.
    with path.open("rb") as stream:
        stream.seek(place)
        return zlib.decompress(stream.read(int.from_bytes(stream.read(LENGTH_BYTES), "big")))
