"""The registry of formats, and how a file's format is told: by its content, not by its name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol, cast

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError
from corpora.header import Header
from corpora.inputs import READ_FAULTS
from corpora.report import Report
from corpora.xmlsafe import refuse_entities, root_name

__all__ = [
    "READABLE",
    "WRITABLE",
    "ReadableFormat",
    "WritableFormat",
    "readable",
    "sniff",
    "split",
    "writable",
]

# Imported when first used: `nlmchem --help` needs none of them.
READABLE = {
    "biocxml": "corpora.biocxml",
    "biocjson": "corpora.biocjson",
    "pubtator": "corpora.pubtator",
    "jats": "corpora.jats",
}
WRITABLE = {
    "biocxml": "corpora.biocxml",
    "biocjson": "corpora.biocjson",
    "jsonl": "corpora.jsonl",
    "pubtator": "corpora.pubtator",
    "tsv": "corpora.tsv",
}

HEAD = 1 << 16
MAX_ARTICLE = 1 << 30
"""Bytes of one article above which a file is refused: an archive of 1 MB can hold 1 GB of blanks."""

_PUBTATOR = re.compile(rb"\s*[^\s|][^|\n]{0,200}\|[A-Za-z]+\|")


class ReadableFormat(Protocol):
    """A module that reads a format: files are split into raw articles, raw articles are parsed."""

    def split(self, stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
        """Raw bytes of each article, one in memory at a time; raises `InputError`."""
        ...

    def parse(self, raw: bytes, report: Report) -> BioCDocument:
        """One article; raises `ArticleError`."""
        ...


class WritableFormat(Protocol):
    """A module that writes a format: a file is opening, articles with separators, closing."""

    SUFFIX: str
    SEPARATOR: bytes
    dumps: Callable[[BioCDocument, Report], bytes]
    opening: Callable[[Header], bytes]
    closing: Callable[[Header], bytes]


def readable(name: str) -> ReadableFormat:
    """The module that reads a format, by the name that `sniff` gives."""
    return cast(ReadableFormat, importlib.import_module(READABLE[name]))


def writable(name: str) -> WritableFormat:
    """The module that writes a format. Raises `ConfigurationError` for an unknown name."""
    if name not in WRITABLE:
        raise ConfigurationError(f"unknown format {name!r}; choose one of {', '.join(WRITABLE)}")
    return cast(WritableFormat, importlib.import_module(WRITABLE[name]))


def sniff(head: bytes) -> str:
    """The format of a file that begins with `head` (up to 64 kB). Raises `InputError` where there is none."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise InputError("it is empty; get the file again")
    if text[:1] == b"<" or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _sniff_xml(head)
    if text[:1] in (b"{", b"["):
        return "biocjson"
    if _PUBTATOR.match(text):
        return "pubtator"
    if b"\x00" in head:
        raise InputError("it is binary, not an article; remove it from the input")
    raise InputError(
        "it is in no format that is read here (BioC XML, BioC JSON or JSON lines, PubTator, JATS); "
        "convert it, or remove it from the input"
    )


def _sniff_xml(head: bytes) -> str:
    root = root_name(head)
    if root is None:
        raise InputError("it begins like XML but has no root element; get the file again")
    refuse_entities(head)
    if root in ("collection", "document"):
        return "biocxml"
    if root == "article" or re.search(rb"<(?:\w+:)?article[\s>]", head):
        return "jats"
    raise InputError(
        f"it is XML with the root <{root}>, neither BioC (collection) nor JATS (article); "
        "convert it, or remove it from the input"
    )


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[tuple[str, bytes]]:
    """The format and the raw bytes of each article in an open file; what `corpora.inputs.members` gives.

    Raises `InputError` where the file cannot be read (further), after the articles before that place.
    """
    guarded = _Guarded(stream)
    name = sniff(guarded.head())
    for raw in readable(name).split(cast(BinaryIO, guarded), header, report):
        guarded.begin_article()
        yield name, raw


class _Guarded:
    """A stream that ends a file whose article never ends; it looks ahead without consuming."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ahead = b""
        self._since = 0

    def head(self) -> bytes:
        while len(self._ahead) < HEAD and (chunk := self._pull(self._stream.read, HEAD - len(self._ahead))):
            self._ahead += chunk
        return self._ahead

    def begin_article(self) -> None:
        self._since = 0

    def read(self, size: int = -1) -> bytes:
        if not self._ahead:
            return self._counted(self._pull(self._stream.read, size))
        size = len(self._ahead) if size < 0 else size
        chunk, self._ahead = self._ahead[:size], self._ahead[size:]
        return self._counted(chunk)

    def readline(self) -> bytes:
        end = self._ahead.find(b"\n") + 1 or len(self._ahead)
        line, self._ahead = self._ahead[:end], self._ahead[end:]
        if not line.endswith(b"\n"):
            line += self._pull(self._stream.readline, MAX_ARTICLE + 1)
        return self._counted(line)

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line

    def _pull(self, method: Callable[[int], bytes], size: int) -> bytes:
        try:
            return method(size)
        except READ_FAULTS as error:
            raise InputError(f"it cannot be read any further ({error}); get the file again") from error

    def _counted(self, chunk: bytes) -> bytes:
        self._since += len(chunk)
        if self._since > MAX_ARTICLE:
            raise InputError(f"one article is larger than {MAX_ARTICLE >> 20} MB; split it, or remove the file")
        return chunk
