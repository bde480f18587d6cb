"""A stream with a limit on the size of one article, whose first bytes can be read twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from corpora.errors import InputError
from corpora.storage.packed_streams import READ_FAULTS

HEAD = 1 << 16
"""Bytes that are used to detect a format."""

MAX_ARTICLE = 1 << 26
"""Bytes of one article. A file with a larger one is refused: an archive of 1 MB can contain 1 GB of blanks."""


class GuardedStream:
    """Reads from a stream; raises `InputError` where it cannot be read further or an article is too large.

    `fault` is the error that ended the stream, if one did. It is raised after everything before it was read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        # `read1` reads the stream below once. `read` may read it several times, and a fault in the last of these
        # would lose what the others returned.
        self._read_once: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self.fault: InputError | None = None
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
