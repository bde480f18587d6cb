"""Files in which a carriage return alone ends a line, as in texts of the first Macintosh and in some exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO

from corpora.errors import InputError
from corpora.formats.guarded_stream import HEAD, MAX_ARTICLE, GuardedStream


def with_line_feeds(head: bytes) -> bytes:
    """The first bytes of a file with LF in place of each CR, if CR alone ends its lines; else the same bytes.

    The number of bytes stays the same, and so do offsets.
    """
    if b"\r" not in head or b"\n" in head or b"\x00" in head:
        return head
    return head.replace(b"\r", b"\n")


_BOM = b"\xef\xbb\xbf"


def lines_of(stream: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file, each with LF at its end, which LF, CR or CRLF end in the file.

    A file that was joined from several can have several kinds of line ends, and byte order marks, which are removed.
    """
    for line in stream:
        # Nearly all lines have one end.
        if b"\r" not in line:
            yield line.removeprefix(_BOM)
        else:
            # CR CR LF is one end: a program converted CR LF once more.
            content = line.removesuffix(b"\n").rstrip(b"\r")
            yield from (part.removeprefix(_BOM) + b"\n" for part in content.split(b"\r"))


def blocks_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of `lines_of`, many of them in one piece of bytes: about 64 kB, or one longer line."""
    begun: list[bytes] = []
    while chunk := stream.read(HEAD):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield _with_line_feeds(b"".join([*begun, chunk[:end]]))
            begun.clear()
        begun.append(chunk[end:])
    if any(begun):
        yield _with_line_feeds(b"".join(begun))


def _with_line_feeds(block: bytes) -> bytes:
    return b"".join(lines_of(BytesIO(block))) if b"\r" in block or _BOM in block else block


class LineFeeds:
    """A stream with LF in place of each CR."""

    def __init__(self, stream: GuardedStream) -> None:
        self._stream = stream
        self._ahead = bytearray()

    def read(self, size: int = -1) -> bytes:
        chunk = bytes(self._ahead) or self._stream.read(size).replace(b"\r", b"\n")
        self._ahead.clear()
        return chunk

    def readline(self, size: int = -1) -> bytes:
        searched = 0
        while (end := self._ahead.find(b"\n", searched)) < 0:
            searched = len(self._ahead)
            chunk = self._stream.read(HEAD)
            if not chunk:
                return self.read(0)
            self._ahead += chunk.replace(b"\r", b"\n")
            if len(self._ahead) > MAX_ARTICLE:
                raise InputError(f"one line is larger than {MAX_ARTICLE >> 20} MB; split it, or remove the file")
        line = bytes(self._ahead[: end + 1])
        del self._ahead[: end + 1]
        return line

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line
