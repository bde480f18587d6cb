"""XML from unknown sources: its head and encoding, its articles as bytes, and a parser without entities or network.

The articles of a file, such as the `document` elements of BioC, are found without an XML parser (`Cutter`). A parser
stops at the first broken character and loses the rest of the file; this code loses one article. Each article is also
parsed once, not twice. In XML, `<` does not occur in text or attributes. Comments, CDATA sections and processing
instructions are skipped; elsewhere `</document>` is an end tag. A file may consist of several XML files, one after
another.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from lxml import etree

from corpora.errors import InputError
from corpora.parsing import XML_MARKS, require_bounded
from corpora.reporting import Report

PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    # Removes libxml2's limit of 10 MB for one text node, but also its protection against entity bombs. Therefore
    # `refuse_entities` must check the head of a file before a parser reads it.
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}

_BOM = codecs.BOM_UTF8
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# The parts of a DOCTYPE. A pattern that ends too early (at a `]>` inside a comment) would miss entities that are
# declared after that place.
_QUOTED = rb"\"[^\"]*+\"|'[^']*+'"
_INNER = rb"[^\]\"'<]++|" + _QUOTED + rb"|<!--.*?-->|<\?.*?\?>|<!(?!--)"
_PROLOG_PART = re.compile(
    rb"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[\]<>\"']|" + _QUOTED + rb")*+(?:\[(?:" + _INNER + rb")*+\]\s*+)?>",
    re.DOTALL,
)
_ROOT = re.compile(rb"<([^\s/>!?]+)(?=[\s/>])")


def refuse_entities(head: bytes) -> None:
    """Raise `InputError` if the prolog in `head` (the first bytes of a file) declares entities.

    With entities, a small file can expand to gigabytes of text or include other files.
    """
    plain, root = _root(head)
    if b"<!ENTITY" in (plain if root is None else plain[: root.start()]):
        raise InputError(
            "its DOCTYPE declares entities, which are not expanded for safety; "
            "write the characters themselves and remove the <!ENTITY ...> declarations"
        )


def root_name(head: bytes) -> str | None:
    """The local name of the root element that begins in `head`; None if there is none."""
    root = _root(head)[1]
    return None if root is None else root[1].decode("utf-8", "replace").rpartition(":")[2]


def _root(head: bytes) -> tuple[bytes, re.Match[bytes] | None]:
    """The head without the null bytes of UTF-16, and its root tag."""
    is_wide = head.startswith(_WIDE)
    plain = head.replace(b"\x00", b"") if is_wide else head
    position = 2 if is_wide else len(_BOM) if plain.startswith(_BOM) else 0
    while part := _PROLOG_PART.match(plain, position):
        position = part.end()
    return plain, _ROOT.match(plain, position)


def parse_fragment(raw: bytes) -> etree._Element:
    """Parse one serialised element in UTF-8. Raises `etree.XMLSyntaxError`, and `ArticleError` if it is too large."""
    require_bounded(raw, XML_MARKS)
    return etree.fromstring(raw, etree.XMLParser(**PARSER_OPTIONS))


def reason(fault: etree.XMLSyntaxError) -> str:
    """What is wrong with XML, in the words of the parser, without the place."""
    return (fault.msg or str(fault)).partition(", line ")[0]


def cut_off(line: int) -> str:
    """The message for a file that ends inside an element, at a line."""
    return f"the XML ends too early, at line {line}: the file was cut off; get it again"


def illegal_characters(text: str) -> list[str]:
    """The different characters of a text that XML 1.0 does not allow, such as `U+000B`, sorted."""
    return sorted({f"U+{ord(character):04X}" for character in _ILLEGAL.findall(text)})


def without_illegal_characters(text: str) -> str:
    """The text with U+FFFD instead of each character that XML 1.0 does not allow."""
    return _ILLEGAL.sub("\ufffd", text)


# -- encodings ----------------------------------------------------------------------------------

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
    start = head[:_LONGEST_DECLARATION]
    if len(start) == _LONGEST_DECLARATION and start.startswith(b"<?xml") and b"?>" not in start:
        raise InputError("its XML declaration does not end; correct it, or get the file again")
    declared = _DECLARATION.match(start.decode("latin-1"))
    if declared is None:
        return "utf-8"
    name = declared[3]
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
            self._look_for_utf8(chunk)
            try:
                text = self._decoder.decode(chunk, final=not chunk)
            except UnicodeError as error:
                raise InputError(
                    f"its bytes are not valid {self._encoding}, its encoding ({error}); save it as UTF-8 and "
                    "declare UTF-8"
                ) from error
            if self._first and text:
                self._first = False
                text = _DECLARATION.sub(lambda match: match[1] + " " * len(match[2]), text.removeprefix("\ufeff"))
            if text or not chunk:
                return text.encode("utf-8")

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


# -- the articles of a file ---------------------------------------------------------------------

CHUNK = 1 << 16
MAX_AROUND = 1 << 20
"""Bytes between two documents, and in all outside of the documents without the blanks between them."""

_SPECIAL_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_BEGINNING = 1 << 13
# The longest incomplete tag at the end of the buffer.
_MARGIN = 64


class Cutter:
    """Splits a stream of UTF-8 into articles and the text around them. `names`: the local names of their elements.

    `head`: what was read of the stream before. `most_around`: bytes in all around the articles.
    """

    def __init__(self, stream: BinaryIO, *names: str, head: bytes = b"", most_around: int = MAX_AROUND) -> None:
        name = rb"(?:\w+:)?(?:" + "|".join(map(re.escape, names)).encode() + rb")"
        # Each pattern begins with a literal `<`, which makes the search fast.
        self._outside = re.compile(rb"<(?:" + name + rb"(?=[\s/>])|!--|!\[CDATA\[|\?)")
        self._inside = re.compile(rb"<(?:/" + name + rb"\s*>|" + name + rb"(?=[\s/>])|!--|!\[CDATA\[|\?)")
        self._empty = re.compile(rb"<" + name + rb"(?:\s[^<>]*)?/>")
        self._around = bytearray()
        self._gap = b""
        self._most_around = most_around
        self.lines = 1 + head.count(b"\n")
        """The number of the last line that was read, from 1."""
        self.cut_off = False
        """Whether the file ended inside a document. The incomplete document is left out."""
        self._stream = stream
        self._buffer = bytearray(head)

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


def _too_much_around() -> InputError:
    return InputError(
        f"it has more than {MAX_AROUND >> 20} MB outside of its documents, which is no collection header; "
        "remove what does not belong there, or get the file again"
    )


_NAMESPACE = re.compile(rb"\sxmlns:([\w.-]+)\s*=\s*(\"[^\"<]*\"|'[^'<]*')")
_NAME = re.compile(rb"<[^\s/>]+")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_ARTICLES = re.compile(rb"<(?:\w+:)?(article|document|PubmedArticle|PubmedBookArticle|MedlineCitation)(?=[\s/>])")


def with_namespaces(raw: bytes, around: bytes) -> bytes:
    """An element as a file of its own: with the prefixes that are declared around it and that it does not declare."""
    missing = {
        prefix: name
        for prefix, name in _NAMESPACE.findall(around)
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
