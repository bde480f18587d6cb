"""JSON from unknown sources: the documents in text of any size, and the values of a file that is read as a whole.

The documents (`JsonStream`) are those of a collection, a list, a wrapper object, or JSON lines. Only one document is in
memory at a time. `json.JSONDecoder.raw_decode`, which is written in C, finds the end of each value. JSON lines are
split at line ends.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, TypeAlias

from corpora.errors import DAMAGE, InputError, damage
from corpora.parsing import JSON_MARKS, MAX_NODES

HOLDERS = ("documents", "PubTator3")
"""Keys of a list of documents: the key of BioC, and the key of NCBI's PubTator3 service."""

CHUNK = 1 << 20
# A syntax error this close to the end of the buffer can mean that more text must be read.
MARGIN = 64
MAX_DEPTH = 8
"""Maximum number of nested lists and collections around a document; two are usual."""
MAX_LINE = 1 << 26
MAX_KEYS = 10_000
"""Maximum number of keys of one collection or document; ten are usual."""

# The beginning of a document. Text after it is not searched for the keys of a collection.
_PASSAGES = re.compile(r'"passages"\s*:\s*\[')
_BLANK = re.compile(r"[ \t\n\r]*")
# Values are decoded only to find their end: no objects or numbers are created.
_MEASURE = json.JSONDecoder(strict=False, object_pairs_hook=len, parse_int=len, parse_float=len)

Item: TypeAlias = tuple[str | None, tuple[str, Any] | None]
"""The text of a document and None, or None and a key of the collection with its value."""


class JsonStream:
    """Reads JSON text in UTF-8. Bytes that are not UTF-8 become lone surrogates in their document."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._buffer = ""
        self._position = 0
        self._ended = False
        self._dropped_lines = 0
        self._read_size = CHUNK
        self._lists = 0

    def documents(self) -> Iterator[Item]:
        """All items of the file, in order. Raises `InputError` where the JSON is broken."""
        while first := self._peek():
            line = self._line() if first in "{[" else self._broken_line(self._position)
            if line is None:
                yield from self._value(depth=0)
            else:
                yield line, None

    def _line(self) -> str | None:
        """The next document, if it is one line and the next line begins another document; else None."""
        self._trim()
        end = self._buffer.find("\n", self._position)
        if (end < 0 or end + 1 == len(self._buffer)) and len(self._buffer) - self._position < CHUNK and self._more():
            end = self._buffer.find("\n", self._position)
        if end < 0 or self._buffer[end + 1 : end + 2] != "{" or self._buffer[self._position] != "{":
            return None
        line = self._buffer[self._position : end].rstrip(" \t\r")
        passages = _PASSAGES.search(line)
        front = line[: passages.start()] if passages else line
        if not line.endswith("}") or any(f'"{key}"' in front for key in HOLDERS):
            return None
        self._position = end
        return line

    def _value(self, depth: int) -> Iterator[Item]:
        first = self._peek()
        if depth > MAX_DEPTH:
            raise self._fault("its lists are nested too deeply for a file of documents")
        if first == "[":
            self._lists += 1
            if self._lists > MAX_NODES:
                raise self._fault(f"it has more than {MAX_NODES:,} lists without a document")
            yield from self._items(depth + 1)
        elif first == "{":
            yield from self._object(depth + 1)
        else:
            raise self._fault("a document { ... } is expected here")

    def _items(self, depth: int) -> Iterator[Item]:
        self._position += 1
        if self._peek() == "]":
            self._position += 1
            return
        while True:
            yield from self._value(depth)
            if self._after("]"):
                return

    def _object(self, depth: int) -> Iterator[Item]:
        """The documents of a collection, or an object that is itself a document."""
        self._trim()
        start = self._position
        others: list[tuple[str, str]] = []
        keys = 0
        is_collection = False
        self._position += 1
        try:
            done = self._peek() == "}"
            self._position += done
            while not done:
                key = self._key()
                if key in HOLDERS and self._peek() == "[":
                    is_collection = True
                    yield from self._items(depth)
                else:
                    others.append((key, self._skip_value()))
                    keys += 1
                    if keys > MAX_KEYS:
                        raise self._fault(f"an object has more than {MAX_KEYS:,} keys")
                if is_collection:
                    yield from ((None, (key, self._read(text))) for key, text in others)
                    others = []
                done = self._after("}")
        except InputError:
            line = self._broken_line(start) if depth == 1 and not is_collection else None
            if line is None:
                raise
            yield line, None
            return
        if not is_collection:
            self._lists = 0
            yield self._buffer[start : self._position], None

    def _broken_line(self, start: int) -> str | None:
        """The broken line at `start`, if the file is JSON lines: only this line is lost, not the rest of the file."""
        end = self._buffer.find("\n", start)
        while end < 0 and len(self._buffer) - start < MAX_LINE and self._more():
            end = self._buffer.find("\n", start)
        if end < 0:
            return None
        self._position = end
        return self._buffer[start:end] if self._peek() in ("{", "") else None

    def _key(self) -> str:
        if self._peek() != '"':
            raise self._fault('a key in "..." is expected here')
        key: str = self._read(self._skip_value())
        if self._peek() != ":":
            raise self._fault("the : after a key is missing")
        self._position += 1
        return key

    def _after(self, closing: str) -> bool:
        character = self._peek()
        if character not in (",", closing) or not character:
            raise self._fault(f"a comma or {closing} is expected here")
        self._position += 1
        return character == closing

    def _peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            match = _BLANK.match(self._buffer, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._more():
                return ""

    def _skip_value(self) -> str:
        """The text of the value at the current position."""
        self._peek()
        start = self._position
        while True:
            try:
                _, end = _MEASURE.raw_decode(self._buffer, start)
            except json.JSONDecodeError as error:
                unfinished = error.msg.startswith("Unterminated") or error.pos >= len(self._buffer) - MARGIN
                if unfinished and sum(self._buffer.count(chr(mark), start) for mark in JSON_MARKS) > MAX_NODES:
                    self._position = start
                    raise self._fault(f"a value has more than {MAX_NODES:,} parts") from None
                if unfinished and self._more():
                    continue
                self._position = min(error.pos, len(self._buffer))
                raise self._fault(damage(error)) from error
            except RecursionError:
                raise self._fault("it is nested too deeply to be a BioC document") from None
            # A number at the end of the buffer may continue, also after a point: `1.` and `5` are 1.5.
            is_number = self._buffer[start] not in '"{[tfn'
            if is_number and end + MARGIN > len(self._buffer) and self._more():
                continue
            self._position = end
            return self._buffer[start:end]

    def _read(self, text: str) -> Any:
        try:
            return json.loads(text, strict=False)
        except ValueError as error:
            raise self._fault(damage(error)) from error

    def _more(self) -> bool:
        if self._ended:
            return False
        chunk = self._stream.read(self._read_size)
        # A value longer than the buffer is decoded again from its start. Doubling the size keeps the total time linear.
        self._read_size = max(CHUNK, len(self._buffer) - self._position)
        self._ended = not chunk
        self._buffer += self._decode.decode(chunk, final=self._ended)
        return True

    def _trim(self) -> None:
        if self._position > CHUNK:
            self._dropped_lines += self._buffer.count("\n", 0, self._position)
            self._buffer = self._buffer[self._position :]
            self._position = 0

    def _fault(self, what: str) -> InputError:
        line = self._dropped_lines + self._buffer.count("\n", 0, self._position) + 1
        if self._ended and not self._buffer[self._position :].strip():
            return InputError(f"the JSON ends too early, at line {line}: the file is incomplete; get it again")
        return InputError(f"the JSON is broken at line {line} ({what}); correct that place or get the file again")


# -- the values of a whole file -------------------------------------------------------------------

MAX_FILE = 1 << 26
"""Bytes of such a file."""
DECODER = json.JSONDecoder()
_GAP = re.compile(r"[\s,]*")


def values(stream: BinaryIO, remedy: str, smaller: str) -> Iterator[Any]:
    """The values of each list in a file, and each other value.

    Raises `InputError` with `remedy` for what is not JSON in UTF-8, with `smaller` for a file that is too large.
    """
    try:
        text = loaded(stream, smaller).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8; {remedy}") from error
    place = after_gap(text, 0)
    while place < len(text):
        try:
            value, place = DECODER.raw_decode(text, place)
        except DAMAGE as error:
            raise InputError(f"it is not JSON ({damage(error)}); {remedy}") from error
        yield from value if isinstance(value, list) else [value]
        place = after_gap(text, place)


def after_gap(text: str, place: int) -> int:
    """The place after blanks and commas."""
    match = _GAP.match(text, place)
    return place if match is None else match.end()


def loaded(stream: BinaryIO, smaller: str) -> bytes:
    """The content of a file, without byte order mark. Raises `InputError` for one that is too large."""
    blocks = iter(lambda: stream.read(1 << 16), b"")
    content = b"".join(islice(blocks, (MAX_FILE >> 16) + 1))
    if len(content) > MAX_FILE:
        raise InputError(f"it is larger than {MAX_FILE >> 20} MB; {smaller}")
    return content.removeprefix(b"\xef\xbb\xbf")
