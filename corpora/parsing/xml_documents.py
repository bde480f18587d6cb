"""The articles of an XML file as bytes, such as the `document` elements of BioC, found without an XML parser.

A parser stops at the first broken character and loses the rest of the file; this code loses one article. Each article
is also parsed once, not twice. In XML, `<` does not occur in text or attributes. Comments, CDATA sections and
processing instructions are skipped; elsewhere `</document>` is an end tag. A file may consist of several XML files, one
after another.
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
_SPECIAL_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_BEGINNING = 1 << 13
# The longest incomplete tag at the end of the buffer.
_MARGIN = 64


class Cutter:
    """Splits a stream of UTF-8 into articles and the text around them. `names`: the local names of their elements.

    `most_around`: bytes in all around the articles.
    """

    def __init__(self, stream: BinaryIO, *names: str, most_around: int = MAX_AROUND) -> None:
        name = rb"(?:\w+:)?(?:" + "|".join(map(re.escape, names)).encode() + rb")"
        # Each pattern begins with a literal `<`, which makes the search fast.
        self._outside = re.compile(rb"<(?:" + name + rb"(?=[\s/>])|!--|!\[CDATA\[|\?)")
        self._inside = re.compile(rb"<(?:/" + name + rb"\s*>|" + name + rb"(?=[\s/>])|!--|!\[CDATA\[|\?)")
        self._empty = re.compile(rb"<" + name + rb"(?:\s[^<>]*)?/>")
        self._around = bytearray()
        self._gap = b""
        self._most_around = most_around
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

    @property
    def before(self) -> bytes:
        """The beginning of the file, and the text between the last article that was returned and the one before it."""
        return bytes(self._around[:_BEGINNING]) + self._gap

    def documents(self) -> Iterator[bytes]:
        """The bytes of each article, one in memory at a time."""
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
            match = self._search(self._outside, place, MAX_AROUND)
            if match is None:
                self._set_aside(len(self._buffer))
                return False
            special_end = _SPECIAL_ENDS.get(match.group())
            if special_end is None:
                self._set_aside(match.start())
                return True
            end = self._find(special_end, match.end(), MAX_AROUND)
            place = len(self._buffer) if end is None else end

    def _set_aside(self, end: int) -> None:
        outside = bytes(self._buffer[:end])
        del self._buffer[:end]
        if not self._around:
            outside = outside.removeprefix(_BOM)
        self._gap = outside
        if outside.strip():
            self._around += outside
            if len(self._around) > self._most_around:
                raise _too_much_around()

    def _end_of_document(self) -> int | None:
        """The end of the document at the start of the buffer; None if the file ends inside it."""
        self._find(b">", 0)
        if empty := self._empty.match(self._buffer):
            return empty.end()
        place = 1
        while (match := self._search(self._inside, place)) is not None:
            token = match.group()
            if token in _SPECIAL_ENDS:
                end = self._find(_SPECIAL_ENDS[token], match.end())
                if end is None:
                    return None
                place = end
            elif token.startswith(b"</"):
                return match.end()
            else:
                # The end tag is missing and another document begins: only this document is lost.
                return match.start()
        return None

    # -- search ---------------------------------------------------------------------------------

    def _search(self, pattern: re.Pattern[bytes], place: int, limit: int | None = None) -> re.Match[bytes] | None:
        while (match := pattern.search(self._buffer, place)) is None:
            place = max(place, len(self._buffer) - _MARGIN)
            if not self._more(limit):
                return None
        return match

    def _find(self, end: bytes, place: int, limit: int | None = None) -> int | None:
        """The position after the next `end`; None if there is none."""
        while (position := self._buffer.find(end, place)) < 0:
            place = max(place, len(self._buffer) - len(end))
            if not self._more(limit):
                return None
        return position + len(end)

    def _more(self, limit: int | None = None) -> bool:
        if limit is not None and len(self._buffer) > limit:
            raise _too_much_around()
        chunk = self._stream.read(CHUNK)
        self.lines += chunk.count(b"\n")
        self._buffer += chunk
        return bool(chunk)


class Prefixed:
    """A stream that returns bytes which were read before, then the rest of another stream."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = stream

    def read(self, size: int) -> bytes:
        head, self._head = self._head, b""
        return head or self._stream.read(size)


_DECLARATION = re.compile(rb"\sxmlns:([\w.-]+)\s*=\s*(\"[^\"<]*\"|'[^'<]*')")
_NAME = re.compile(rb"<[^\s/>]+")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_ARTICLES = re.compile(rb"<(?:\w+:)?(article|document|PubmedArticle|PubmedBookArticle|MedlineCitation)(?=[\s/>])")


def with_namespaces(raw: bytes, around: bytes) -> bytes:
    """An element as a file of its own: with the prefixes that are declared around it and that it does not declare."""
    missing = {
        prefix: name
        for prefix, name in _DECLARATION.findall(around)
        if prefix + b":" in raw and b"xmlns:" + prefix not in raw
    }
    match = _NAME.match(raw)
    if not missing or match is None:
        return raw
    declared = b"".join(b" xmlns:%s=%s" % item for item in missing.items())
    return raw[: match.end()] + declared + raw[match.end() :]


def require_one_kind(around: bytes, *names: str) -> None:
    """Raise `InputError` if the text around the elements `names` has articles of another kind, which are not read."""
    for match in _ARTICLES.finditer(_COMMENT.sub(b"", around)):
        if (name := match[1].decode()) not in names:
            raise InputError(
                f"it also contains <{name}>, which is of another format than the articles before that place and was "
                "not read; split the file"
            )


def _too_much_around() -> InputError:
    return InputError(
        f"it has more than {MAX_AROUND >> 20} MB outside of its documents, which is no collection header; "
        "remove what does not belong there, or get the file again"
    )
