"""The documents inside JSON text of any size: a collection, a list, a wrapper, or JSON lines.

Only one document is in memory at a time. The text is cut where C code says that a value ends
(`json.JSONDecoder.raw_decode`), so that speed is that of the standard library.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from corpora.errors import InputError

__all__ = ["HOLDERS", "JsonStream"]

HOLDERS = ("documents", "PubTator3")
"""Keys whose list holds documents: BioC's own, and that of NCBI's PubTator3 service."""

CHUNK = 1 << 20
# A syntax error this close to the end of what was read may only mean that more must be read.
MARGIN = 64

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(strict=False)


class JsonStream:
    """Walks over JSON text; `documents()` yields (raw text of a document, None) or (None, key and value).

    The second kind is what a collection says of itself: its other keys with their values.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._buffer = ""
        self._position = 0
        self._ended = False
        self._dropped_lines = 0
        self._read_size = CHUNK
        self._bytes_read = 0

    def documents(self) -> Iterator[tuple[str | None, tuple[str, Any] | None]]:
        """Everything in the file, in order. Raises `InputError` where the JSON breaks off."""
        while self._peek():
            yield from self._value(lines=True)

    # -- structure ------------------------------------------------------------------------------

    def _value(self, lines: bool = False) -> Iterator[tuple[str | None, tuple[str, Any] | None]]:
        first = self._peek()
        if first == "[":
            yield from self._items()
        elif first == "{":
            yield from self._object(lines)
        else:
            raise self._fault("here should stand a document, { ... }")

    def _items(self) -> Iterator[tuple[str | None, tuple[str, Any] | None]]:
        self._position += 1
        if self._peek() == "]":
            self._position += 1
            return
        while True:
            yield from self._value()
            if self._after("]"):
                return

    def _object(self, lines: bool) -> Iterator[tuple[str | None, tuple[str, Any] | None]]:
        """A collection is opened and its documents are yielded; any other object is a document itself."""
        self._trim()
        start = self._position
        others: list[tuple[str, Any]] = []
        is_collection = False
        self._position += 1
        try:
            if self._peek() == "}":
                self._position += 1
            else:
                while True:
                    key = self._key()
                    if key in HOLDERS and self._peek() == "[":
                        is_collection = True
                        yield from self._items()
                    elif is_collection:
                        yield None, (key, self._decode_value())
                    else:
                        others.append((key, self._decode_value()))
                    if is_collection and others:
                        yield from ((None, other) for other in others)
                        others = []
                    if self._after("}"):
                        break
        except InputError:
            # In JSON lines a broken line costs that line, not the rest of the file.
            end = self._buffer.find("\n", start) if lines and not is_collection else -1
            if end < 0 or not (self._ended or self._buffer[end + 1 : end + 2] == "{"):
                raise
            self._position = end
            yield self._buffer[start:end], None
            return
        if not is_collection:
            yield self._buffer[start : self._position], None

    def _key(self) -> str:
        if self._peek() != '"':
            raise self._fault('here should stand a key in "..."')
        key: str = self._decode_value()
        if self._peek() != ":":
            raise self._fault("a : is missing after a key")
        self._position += 1
        return key

    def _after(self, closing: str) -> bool:
        found = self._peek()
        if found not in (",", closing):
            raise self._fault(f"here should stand , or {closing}")
        self._position += 1
        return found == closing

    # -- text -----------------------------------------------------------------------------------

    def _peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            found = _BLANK.match(self._buffer, self._position)
            self._position = found.end() if found else self._position
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._more():
                return ""

    def _decode_value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._position)
            except json.JSONDecodeError as error:
                unfinished = error.msg.startswith("Unterminated") or error.pos >= len(self._buffer) - MARGIN
                if unfinished and self._more():
                    continue
                self._position = min(error.pos, len(self._buffer))
                raise self._fault(error.msg) from error
            except RecursionError:
                raise InputError("its JSON is nested too deeply to be a BioC document; look at the file") from None
            # A number at the very end of what was read may go on.
            if end < len(self._buffer) or not self._more():
                self._position = end
                return value

    def _more(self) -> bool:
        if self._ended:
            return False
        chunk = self._stream.read(self._read_size)
        # A document longer than what was read is decoded again from its start: doubling keeps that linear.
        self._read_size = max(CHUNK, len(self._buffer) - self._position)
        self._ended = not chunk
        try:
            self._buffer += self._decode.decode(chunk, final=self._ended)
        except UnicodeDecodeError as error:
            place = self._bytes_read + error.start
            raise InputError(f"byte {place} is not UTF-8; save the file as UTF-8") from error
        self._bytes_read += len(chunk)
        return True

    def _trim(self) -> None:
        if self._position > CHUNK:
            self._dropped_lines += self._buffer.count("\n", 0, self._position)
            self._buffer = self._buffer[self._position :]
            self._position = 0

    def _fault(self, what: str) -> InputError:
        line = self._dropped_lines + self._buffer.count("\n", 0, self._position) + 1
        if self._ended and not self._buffer[self._position :].strip():
            return InputError(f"the JSON ends too early, at line {line}: the file was cut off; get it again")
        return InputError(f"the JSON is broken at line {line} ({what}); mend that place or get the file again")
