"""Streams of packed content: decompressed, read forward only, and limited in what they expand to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, cast

BUFFER = 1 << 16
MAX_HEADER = 1 << 20
"""Bytes of the headers of one member of a tar archive; a path and the attributes of a file need less than 100 kB."""
MAX_RATIO = 250
"""How many times larger than its file compressed content can be, beyond `FREE_EXPANSION`; XML has about 10."""
FREE_EXPANSION = 1 << 28
"""Bytes of decompressed content that `MAX_RATIO` does not limit."""

READ_FAULTS = (OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, RuntimeError)
"""Exceptions that broken files and archives raise while they are read (RuntimeError: an encrypted zip member)."""


def decompressed(stream: BinaryIO) -> BinaryIO | None:
    """A stream of the decompressed content; None where the content is not compressed."""
    head = peek(stream, 6)
    plain: io.BufferedIOBase
    packed = _CountingStream(stream)
    if head[:2] == b"\x1f\x8b":
        plain = gzip.open(cast(BinaryIO, packed))
    elif head[:3] == b"BZh":
        plain = bz2.open(cast(BinaryIO, packed))
    elif head == b"\xfd7zXZ\x00":
        plain = lzma.open(cast(BinaryIO, packed))
    else:
        return None
    return buffered(plain, lambda: packed.count)


def peek(stream: BinaryIO, size: int) -> bytes:
    """The next bytes of a buffered stream, which are not read: at most `size`."""
    return bytes(cast(io.BufferedReader, stream).peek(size)[:size])


def buffered(stream: object, packed: Callable[[], int] | None = None) -> BinaryIO:
    """A stream that can be peeked at. `packed`: the number of compressed bytes that were read, if it is compressed."""
    return cast(BinaryIO, io.BufferedReader(_OneRead(stream, packed), BUFFER))


class _OneRead(io.RawIOBase):
    """A stream that calls the underlying `read1` once for each read, so that a fault loses no data before it.

    Raises `OSError` where it expands more than `MAX_RATIO` allows: a small file can expand to terabytes.
    """

    def __init__(self, stream: Any, packed: Callable[[], int] | None) -> None:
        self._stream = stream
        self._packed = packed
        self._count = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        chunk = self._stream.read1(len(buffer))
        buffer[: len(chunk)] = chunk
        self._count += len(chunk)
        if self._packed is not None and self._count > FREE_EXPANSION + MAX_RATIO * self._packed():
            raise OSError(f"it expands to more than {MAX_RATIO} times its size")
        return len(chunk)


class _CountingStream:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        self.count += len(chunk)
        return chunk

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()


class Forward:
    """A tar archive that is read once, from its start to its end, also from a pipe.

    `seek` ends where the data ends: `tarfile` would seek for ever after a member that claims 2**60 bytes. Headers of
    one member are limited to `MAX_HEADER` bytes. A fault of the stream is raised after all data before it was read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = cast(io.BufferedReader, stream)
        self._fault: BaseException | None = None
        self._position = 0
        self._left: int | None = None
        self._last = b""

    def begin_header(self) -> None:
        self._left = MAX_HEADER

    def begin_content(self) -> None:
        self._left = None

    def require_end(self) -> None:
        """Raise where the last header that was read is not the empty one at the end of an archive."""
        if self._fault is not None:
            raise self._fault
        if self._last.strip(b"\0"):
            raise tarfile.ReadError("the header of its next member is broken")

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return False

    def seek(self, position: int) -> int:
        if position < self._position:
            raise tarfile.ReadError("its headers lead back to an earlier place")
        while self._position < position and self._pull(min(BUFFER, position - self._position)):
            pass
        return self._position

    def read(self, size: int) -> bytes:
        if self._left is not None:
            self._left -= size
            if self._left < 0:
                raise tarfile.ReadError(f"the headers of a member have more than {MAX_HEADER >> 20} MB")
        self._last = self._pull(size)
        return self._last

    def _pull(self, size: int) -> bytes:
        pieces: list[bytes] = []
        try:
            while size > 0 and self._fault is None and (chunk := self._stream.read1(size)):
                pieces.append(chunk)
                size -= len(chunk)
                self._position += len(chunk)
        except READ_FAULTS as error:
            self._fault = error
        if not pieces and self._fault is not None:
            raise self._fault
        return b"".join(pieces)


def with_full_head(raw: BinaryIO) -> BinaryIO:
    """A stream that can be peeked at for 512 bytes. A pipe may return its first bytes one at a time."""
    if raw.seekable() or len(peek(raw, 512)) == 512:
        return raw
    return buffered(_HeadThenRest(raw.read(512), raw))


class _HeadThenRest:
    """A stream of bytes that were already read, followed by the rest."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = cast(io.BufferedReader, stream)

    def seekable(self) -> bool:
        return False

    def read1(self, size: int) -> bytes:
        if not self._head:
            return self._stream.read1(size)
        chunk, self._head = self._head[:size], self._head[size:]
        return chunk
