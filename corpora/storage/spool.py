"""Records of bytes in a file, so that memory does not grow with their number.

`SpoolWriter` and `read_record` are for records that are read in any order: a first pass over files appends what is
needed of each document and stores its place; a second pass reads the documents of many files in step. `write_record`
and `records` are for records that are read in the order in which they were written.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

LENGTH_BYTES = 8


class SpoolWriter:
    """Appends compressed records to a file; use it in a `with` block. Raises `OSError`."""

    __slots__ = ("_position", "_stream")

    def __init__(self, path: Path) -> None:
        self._stream = path.open("wb")
        self._position = 0

    def append(self, record: bytes) -> int:
        """Append a record. Returns its place, for `read_record`."""
        packed = zlib.compress(record, 1)
        place = self._position
        self._position += write_record(self._stream, packed)
        return place

    def __enter__(self) -> SpoolWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def read_record(path: Path, place: int) -> bytes:
    """The record at a place in a file that `SpoolWriter` wrote."""
    # The file is opened for each record: with many runs, open files would exceed the limit of the system.
    with path.open("rb") as stream:
        stream.seek(place)
        return zlib.decompress(next(records(stream)))


def write_record(stream: BinaryIO, record: bytes) -> int:
    """Append a record to an open file. Returns the number of bytes that were written."""
    stream.write(len(record).to_bytes(LENGTH_BYTES, "big"))
    stream.write(record)
    return LENGTH_BYTES + len(record)


def records(stream: BinaryIO) -> Iterator[bytes]:
    """The records from the current place of an open file to its end, one in memory at a time."""
    while length := stream.read(LENGTH_BYTES):
        yield stream.read(int.from_bytes(length, "big"))
