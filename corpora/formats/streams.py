"""The stream of a file that is read: its beginning, its lines, and a limit on the size of one article.

In some files a carriage return alone ends a line, as in texts of the first Macintosh and in some exports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import BinaryIO

from corpora.errors import InputError
from corpora.storage.packed_streams import READ_FAULTS

HEAD = 1 << 16
"""Bytes that are used to detect a format."""

MAX_ARTICLE = 1 << 26
"""Bytes of one article. A file with a larger one is refused: an archive of 1 MB can contain 1 GB of blanks."""

BOM = b"\xef\xbb\xbf"


class GuardedStream:
    """Reads from a stream; raises `InputError` where it cannot be read further or an article is too large."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        # `read1` reads the stream below once. `read` may read it several times, and a fault in the last of these
        # would lose what the others returned.
        self._read_once: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self.fault: InputError | None = None
        """The error that ended the stream, if one did. It is raised after everything before it was read."""
        self.format: str | None = None
        """The name of its format, once it was detected."""
        self._ahead = b""
        self._at = 0
        """The place in `_ahead` that was reached. Short lines would copy what is left many times."""
        self._since = 0

    def head(self, size: int = HEAD) -> bytes:
        """The first bytes (up to `size`). `read` returns them again. Call it before the first `read`."""
        self._ahead += self._filled(size - len(self._ahead))
        if not self._ahead and self.fault is not None:
            raise self.fault
        return self._ahead

    def begin_article(self) -> None:
        """Count the bytes of the next article from here."""
        self._since = 0

    def read(self, size: int = -1) -> bytes:
        if self._ahead:
            chunk = self._taken(len(self._ahead) if size < 0 else self._at + size)
        else:
            chunk = self._filled(HEAD if size < 0 else size)
        if not chunk and self.fault is not None:
            raise self.fault
        return self._counted(chunk)

    def readline(self) -> bytes:
        line = self._taken(self._ahead.find(b"\n", self._at) + 1 or len(self._ahead)) if self._ahead else b""
        if not line.endswith(b"\n"):
            if self.fault is not None:
                raise self.fault
            try:
                line += self._stream.readline(MAX_ARTICLE + 1)
            except READ_FAULTS as error:
                raise _unreadable(error) from error
        return self._counted(line)

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line

    def _taken(self, end: int) -> bytes:
        """What was read ahead, up to a place in it."""
        taken = self._ahead[self._at : end]
        self._at = end
        if end >= len(self._ahead):
            self._ahead, self._at = b"", 0
        return taken

    def _filled(self, size: int) -> bytes:
        """`size` bytes, or fewer where the stream ends or a fault ends it; the next call raises the fault."""
        chunks: list[bytes] = []
        missing = size
        while missing > 0 and self.fault is None:
            try:
                chunk = self._read_once(missing)
            except READ_FAULTS as error:
                self.fault = _unreadable(error)
                break
            if not chunk:
                break
            chunks.append(chunk)
            missing -= len(chunk)
        return b"".join(chunks)

    def _counted(self, chunk: bytes) -> bytes:
        self._since += len(chunk)
        if self._since > MAX_ARTICLE:
            raise InputError(f"one article is larger than {MAX_ARTICLE >> 20} MB; split it, or remove the file")
        return chunk


def _unreadable(error: BaseException) -> InputError:
    fault = InputError(f"it cannot be read any further ({error or type(error).__name__}); get the file again")
    fault.__cause__ = error
    return fault


def whole(stream: BinaryIO) -> bytes:
    """All bytes that are left in a stream."""
    return b"".join(iter(lambda: stream.read(HEAD), b""))


# -- line ends ----------------------------------------------------------------------------------


def with_line_feeds(head: bytes) -> bytes:
    """The first bytes of a file with LF in place of each CR, if CR alone ends its lines; else the same bytes.

    The number of bytes stays the same, and so do offsets.
    """
    if b"\r" not in head or b"\n" in head or b"\x00" in head:
        return head
    return head.replace(b"\r", b"\n")


def lines_of(stream: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file, each with LF at its end, which LF, CR or CRLF end in the file.

    A file that was joined from several can have several kinds of line ends, and byte order marks, which are removed.
    """
    for line in stream:
        # Nearly all lines have one end.
        if b"\r" not in line:
            yield line.removeprefix(BOM)
        else:
            # CR CR LF is one end: a program converted CR LF once more.
            content = line.removesuffix(b"\n").rstrip(b"\r")
            yield from (part.removeprefix(BOM) + b"\n" for part in content.split(b"\r"))


def blocks_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of `lines_of`, many of them in one piece of bytes: about 64 kB, or one longer line."""
    begun: list[bytes] = []
    at_end = False
    while not at_end:
        chunk = stream.read(HEAD)
        at_end, end = not chunk, chunk.rfind(b"\n") + 1
        if end or at_end:
            block = b"".join([*begun, chunk[:end]])
            begun.clear()
            if block:
                yield b"".join(lines_of(BytesIO(block))) if b"\r" in block or BOM in block else block
        begun.append(chunk[end:])


class LineFeeds:
    """A stream with LF in place of each CR. The stream below bounds the length of a line."""

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
        line = bytes(self._ahead[: end + 1])
        del self._ahead[: end + 1]
        return line

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line
