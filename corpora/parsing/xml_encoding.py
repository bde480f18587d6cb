"""The encoding of an XML file, and the conversion of its bytes to UTF-8."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from corpora.errors import InputError
from corpora.reporting import Report

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, because it begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)
_DECLARATION = re.compile(r"\A(\ufeff?\s*<\?xml[^>]*?)(\sencoding\s*=\s*[\"']([A-Za-z][\w.:-]*)[\"'])")
# Encodings of text files. Other encodings of Python (UTF-7, punycode, ...) can hide markup.
_FILE_ENCODINGS = re.compile(
    r"utf[-_]?(8|16|32)([-_]?[lb]e)?|(us[-_])?ascii|iso[-_]?(8859|2022)[-_].*|latin[-_]?\d+|(windows|cp)[-_]?125\d"
    r"|(mac|x-mac)[-_]?\w+|koi8[-_][ru]|shift[-_]?jis|s?jis|euc[-_]?(jp|kr)|gb(k|2312|18030)|big5([-_]?hkscs)?",
    re.IGNORECASE,
)


_LONGEST_DECLARATION = 1000
"""Bytes. A parser reads longer ones, in which an encoding could be hidden from this module."""


def encoding_of(head: bytes) -> str:
    """Python's name of the encoding of an XML file that begins with `head`; `utf-8` if none is declared.

    A byte order mark has priority over the declaration. Raises `InputError` for an encoding that is not supported.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    start = head.removeprefix(codecs.BOM_UTF8)[:_LONGEST_DECLARATION]
    if len(start) == _LONGEST_DECLARATION and start.startswith(b"<?xml") and b"?>" not in start:
        raise InputError("its XML declaration does not end; correct it, or get the file again")
    declared = _DECLARATION.match(head[:_LONGEST_DECLARATION].decode("latin-1"))
    if declared is None:
        return "utf-8"
    name = declared.group(3)
    try:
        known = codecs.lookup(name).name if _FILE_ENCODINGS.fullmatch(name) else None
    except LookupError:
        known = None
    if known is None or known.startswith(("utf-16", "utf-32")):
        raise InputError(
            f"it declares the encoding {name}, which is not supported or not its real encoding; save it as UTF-8"
        )
    return "utf-8" if known == "ascii" else known


class Transcoded:
    """A stream of XML in any encoding, converted to UTF-8. The encoding is removed from the XML declaration.

    A file with a declared single-byte encoding is read as declared. A warning is reported if all its bytes are UTF-8.
    """

    def __init__(self, stream: BinaryIO, encoding: str, report: Report) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._report = report
        self._first = True
        # Text in one of these encodings is hardly ever valid UTF-8 by chance.
        single_bytes = encoding.startswith(("iso8859", "cp125"))
        self._as_utf8 = codecs.getincrementaldecoder("utf-8")() if single_bytes else None
        self._has_letters = False

    def read(self, size: int = -1) -> bytes:
        """Up to about `size` bytes; empty only at the end. Raises `InputError` for bytes that are not text."""
        while True:
            chunk = self._stream.read(size)
            text = self._decoded(chunk)
            if self._first and text:
                self._first = False
                text = _DECLARATION.sub(lambda match: match[1] + " " * len(match[2]), text.removeprefix("\ufeff"))
            if text or not chunk:
                return text.encode("utf-8")

    def _decoded(self, chunk: bytes) -> str:
        self._look_for_utf8(chunk)
        try:
            return self._decoder.decode(chunk, final=not chunk)
        except UnicodeError as error:
            raise InputError(
                f"its bytes are not valid {self._encoding}, its encoding ({error}); save it as UTF-8 and declare UTF-8"
            ) from error

    def _look_for_utf8(self, chunk: bytes) -> None:
        if self._as_utf8 is None:
            return
        try:
            self._as_utf8.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            self._as_utf8 = None
            return
        self._has_letters |= not chunk.isascii()
        if not chunk and self._has_letters:
            self._report(
                f"it was read in its declared encoding {self._encoding}, but all its bytes are valid UTF-8: "
                "if its text shows Ã© for é, declare UTF-8 and read it again"
            )
