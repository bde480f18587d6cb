"""The `document` elements of a BioC XML file as bytes, found without an XML parser.

A parser stops at the first broken character and loses the rest of the file; this code loses one article. Each article
is also parsed once, not twice. In XML, `<` does not occur in text or attributes. Comments, CDATA sections and
processing instructions are skipped; elsewhere `</document>` is an end tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from corpora.errors import InputError

CHUNK = 1 << 16
MAX_AROUND = 1 << 20
"""Bytes between two documents, and in all outside of the documents without the blanks between them."""

_BOM = b"\xef\xbb\xbf"
# Each pattern begins with a literal `<`, which makes the search fast.
_OUTSIDE = re.compile(rb"<(?:document(?=[\s/>])|!--|!\[CDATA\[|\?)")
_INSIDE = re.compile(rb"<(?:/document\s*>|document(?=[\s/>])|!--|!\[CDATA\[|\?)")
_EMPTY = re.compile(rb"<document\s*/>")
_SPECIAL_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
# The longest incomplete tag at the end of the buffer.
_MARGIN = 64


class Cutter:
    """Splits a stream of UTF-8 into documents and the text around them."""

    def __init__(self, stream: BinaryIO) -> None:
        self._around = bytearray()
        self.lines = 1
        """The number of the last line that was read, from 1."""
        self.cut_off = False
        """Whether the file ended inside a document. The incomplete document is left out."""
        self._stream = stream
        self._buffer = bytearray()

    @property
    def around(self) -> bytes:
        """All text outside of the documents, without the blanks between them; complete after the last document."""
        return bytes(self._around)

    def documents(self) -> Iterator[bytes]:
        """The bytes of each document, one in memory at a time."""
        while self._pass_over_outside():
            end = self._end_of_document()
            if end is None:
                self.cut_off = True
                return
            raw = bytes(self._buffer[:end])
            del self._buffer[:end]
            yield raw

    def _pass_over_outside(self) -> bool:
        """Move the text before the next document to `around`. Returns False if there is no next document."""
        place = 0
        while True:
            found = self._search(_OUTSIDE, place, MAX_AROUND)
            if found is None:
                self._set_aside(len(self._buffer))
                return False
            special_end = _SPECIAL_ENDS.get(found.group())
            if special_end is None:
                self._set_aside(found.start())
                return True
            end = self._find(special_end, found.end(), MAX_AROUND)
            place = len(self._buffer) if end is None else end

    def _set_aside(self, end: int) -> None:
        outside = bytes(self._buffer[:end])
        del self._buffer[:end]
        if not self._around:
            outside = outside.removeprefix(_BOM)
        if outside.strip():
            self._around += outside
            if len(self._around) > MAX_AROUND:
                raise _too_much_around()

    def _end_of_document(self) -> int | None:
        """The end of the document at the start of the buffer; None if the file ends inside it."""
        self._find(b">", 0)
        if empty := _EMPTY.match(self._buffer):
            return empty.end()
        place = 1
        while (found := self._search(_INSIDE, place)) is not None:
            token = found.group()
            if token in _SPECIAL_ENDS:
                end = self._find(_SPECIAL_ENDS[token], found.end())
                if end is None:
                    return None
                place = end
            elif token.startswith(b"</"):
                return found.end()
            else:
                # The end tag is missing and another document begins: only this document is lost.
                return found.start()
        return None

    # -- search ---------------------------------------------------------------------------------

    def _search(self, pattern: re.Pattern[bytes], place: int, limit: int | None = None) -> re.Match[bytes] | None:
        while (found := pattern.search(self._buffer, place)) is None:
            place = max(place, len(self._buffer) - _MARGIN)
            if not self._more(limit):
                return None
        return found

    def _find(self, end: bytes, place: int, limit: int | None = None) -> int | None:
        """The position after the next `end`; None if there is none."""
        while (found := self._buffer.find(end, place)) < 0:
            place = max(place, len(self._buffer) - len(end))
            if not self._more(limit):
                return None
        return found + len(end)

    def _more(self, limit: int | None = None) -> bool:
        if limit is not None and len(self._buffer) > limit:
            raise _too_much_around()
        chunk = self._stream.read(CHUNK)
        self.lines += chunk.count(b"\n")
        self._buffer += chunk
        return bool(chunk)


def _too_much_around() -> InputError:
    return InputError(
        f"it has more than {MAX_AROUND >> 20} MB outside of its documents, which is no collection header; "
        "remove what does not belong there, or get the file again"
    )
