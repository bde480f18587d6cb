"""The `document` elements of a BioC XML file, cut out as bytes.

Why not by a parser: one broken character would end the file for it, here it costs one article; and each
article is parsed once in place of twice. In XML no `<` stands in text or in an attribute, so outside of
comments, CDATA sections and processing instructions, which are passed over, `</document>` is an end tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["CHUNK", "Cutter"]

CHUNK = 1 << 16

_BOM = b"\xef\xbb\xbf"
# Each begins with one literal `<`: that makes searching fast.
_OUTSIDE = re.compile(rb"<(?:document(?=[\s/>])|!--|!\[CDATA\[|\?)")
_INSIDE = re.compile(rb"<(?:/document\s*>|document(?=[\s/>])|!--|!\[CDATA\[|\?)")
_EMPTY = re.compile(rb"<document\s*/>")
_SPECIAL_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
# A tag that is not whole yet, at the end of what was read.
_MARGIN = 64


class Cutter:
    """Cuts a stream of UTF-8 into documents and what stands around them."""

    def __init__(self, stream: BinaryIO) -> None:
        self.around = b""
        """Everything outside of the documents, blanks between them left out; whole after the last one."""
        self.lines = 1
        """The number of the last line that was read."""
        self.cut_off = False
        """Whether the file ended inside a document; what there was of it is left out."""
        self._stream = stream
        self._buffer = bytearray()

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
        """Move what stands in front of the next document to `around`; False where there is none."""
        place = 0
        while True:
            found = self._search(_OUTSIDE, place)
            if found is None:
                self._set_aside(len(self._buffer))
                return False
            special_end = _SPECIAL_ENDS.get(found.group())
            if special_end is None:
                self._set_aside(found.start())
                return True
            end = self._find(special_end, found.end())
            place = len(self._buffer) if end is None else end

    def _set_aside(self, end: int) -> None:
        outside = bytes(self._buffer[:end])
        del self._buffer[:end]
        if not self.around:
            outside = outside.removeprefix(_BOM)
        if outside.strip():
            self.around += outside

    def _end_of_document(self) -> int | None:
        """Where the document ends that the buffer begins with."""
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
                # Another document begins: the end tag of this one is missing, and costs no more than it.
                return found.start()
        return None

    # -- text -----------------------------------------------------------------------------------

    def _search(self, pattern: re.Pattern[bytes], place: int) -> re.Match[bytes] | None:
        while (found := pattern.search(self._buffer, place)) is None:
            place = max(place, len(self._buffer) - _MARGIN)
            if not self._more():
                return None
        return found

    def _find(self, end: bytes, place: int) -> int | None:
        """Behind the next `end`; None where there is none."""
        while (found := self._buffer.find(end, place)) < 0:
            place = max(place, len(self._buffer) - len(end))
            if not self._more():
                return None
        return found + len(end)

    def _more(self) -> bool:
        chunk = self._stream.read(CHUNK)
        self.lines += chunk.count(b"\n")
        self._buffer += chunk
        return bool(chunk)
