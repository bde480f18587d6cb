"""The registry of formats, and how a file's format is told: by its content, not by its name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol, cast

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError
from corpora.formats.header import Header
from corpora.formats.losses import Losses, infon_value
from corpora.parsing.safe_xml import illegal_characters, refuse_entities, root_name
from corpora.parsing.xml_encoding import Transcoded, encoding_of
from corpora.reporting import Report
from corpora.storage.members import READ_FAULTS

__all__ = [
    "READABLE",
    "WRITABLE",
    "ReadableFormat",
    "WritableFormat",
    "format_of_suffix",
    "readable",
    "sniff",
    "split",
    "suffix_of",
    "suffixes",
    "tell_header",
    "writable",
]

# Imported when first used: `nlmchem --help` needs none of them.
READABLE = {
    "biocxml": "corpora.formats.biocxml",
    "biocjson": "corpora.formats.biocjson",
    "pubtator": "corpora.formats.pubtator",
    "jats": "corpora.formats.jats.article",
}
WRITABLE = {
    "biocxml": "corpora.formats.biocxml",
    "biocjson": "corpora.formats.biocjson",
    "jsonl": "corpora.formats.jsonl",
    "pubtator": "corpora.formats.pubtator",
    "tsv": "corpora.formats.tsv",
}

HEAD = 1 << 16
MAX_ARTICLE = 1 << 28
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


def format_of_suffix(name: str) -> str:
    """The format that a file name asks for. Raises `ConfigurationError` where it asks for none."""
    plain = name.lower().removesuffix(".gz")
    for format in WRITABLE:
        if plain.endswith(writable(format).SUFFIX):
            return format
    raise ConfigurationError(f"{name} has no suffix of a format; add --format {'|'.join(WRITABLE)}")


SUFFIXES = {
    "biocxml": (".xml", ".bioc"),
    "biocjson": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
    "pubtator": (".pubtator", ".txt"),
    "tsv": (".tsv",),
    "jats": (".nxml",),
}
"""The suffixes of each format. The first one is that of a written file, the others are accepted in names of inputs."""


def suffix_of(name: str) -> str:
    """The suffix of a file in a format, such as `.xml`."""
    return SUFFIXES[name][0]


def suffixes() -> frozenset[str]:
    """The suffixes of all formats, in lower case, with their dot."""
    return frozenset(suffix for own in SUFFIXES.values() for suffix in own)


def sniff(head: bytes) -> str:
    """The format of a file that begins with `head` (up to 64 kB). Raises `InputError` where there is none."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise InputError("it is empty; get the file again")
    if _is_xml(head):
        return _sniff_xml(_as_utf8(head))
    if text[:1] in (b"{", b"[") and b"\x00" not in head[:4]:
        return "biocjson"
    if _PUBTATOR.match(text):
        return "pubtator"
    if b"\x00" in head:
        raise InputError("it is binary, or text in UTF-16; remove it from the input, or save it as UTF-8")
    raise InputError(
        "it is in no format that is read here (BioC XML, BioC JSON or JSON lines, PubTator, JATS); "
        "convert it, or remove it from the input"
    )


def _is_xml(head: bytes) -> bool:
    return _as_utf8(head[:64]).lstrip()[:1] == b"<"


def _as_utf8(head: bytes) -> bytes:
    """The head as UTF-8, if it is XML; without what breaks off at its end."""
    encoding = encoding_of(head)
    if encoding == "utf-8":
        return head.removeprefix(b"\xef\xbb\xbf")
    return head.decode(encoding, "ignore").removeprefix("\ufeff").encode("utf-8", "ignore")


def _sniff_xml(head: bytes) -> str:
    refuse_entities(head)
    root = root_name(head)
    if root is None:
        raise InputError("it begins like XML but has no root element; get the file again")
    if root in ("collection", "document"):
        if not re.search(rb"<" + root.encode() + rb"[\s/>]", head):
            raise InputError(f"the names of its elements have a prefix, as in <x:{root}>; BioC has none, remove it")
        return "biocxml"
    if root == "article" or re.search(rb"<(?:\w+:)?article[\s>]", head):
        return "jats"
    raise InputError(
        f"it is XML with the root <{root}>, neither BioC (collection) nor JATS (article); "
        "convert it, or remove it from the input"
    )


def split(
    stream: BinaryIO, header: Header, report: Report, format: ReadableFormat | None = None
) -> Iterator[tuple[str, bytes]]:
    """The format and the raw bytes of each article in an open file.

    `format`: the format of the file, which is then not recognised by content; its name is empty. XML in another
    encoding becomes UTF-8 on the way. Raises `InputError` where the file cannot be read
    (further), after the articles before that place.
    """
    guarded = _Guarded(stream)
    head = guarded.head()
    try:
        name = sniff(head) if format is None else ""
    except InputError as error:
        # Of half a head nothing can be told: that the file breaks off is what is wrong with it.
        raise guarded.fault or error from None
    source = cast(BinaryIO, guarded)
    if _is_xml(head) and (encoding := encoding_of(head)) != "utf-8":
        source = cast(BinaryIO, Transcoded(source, encoding, report))
    for raw in (format or readable(name)).split(source, header, report):
        guarded.begin_article()
        yield name, raw


def tell_header(header: Header, format: str, report: Report) -> None:
    """Report what a file in `format` cannot hold of a collection's header: a header costs no article."""
    if format == "biocxml":
        losses = Losses()
        losses.add("JSON keys that BioC does not name", len(header.extra.keys() - {"bioctype"}))
        values = [infon_value(value, losses) for value in header.infons.values()]
        texts = "".join(map(str, [header.source, header.date, header.key, *header.infons, *values]))
        losses.add("characters that XML forbids (U+FFFD stands for them)", len(illegal_characters(texts)))
        losses.tell(report, "the collection's header: BioC XML")
    elif format != "biocjson" and header != Header():
        report(f"{format} has no place for the collection's source, date, key and infons; left out")


class _Guarded:
    """A stream that ends a file whose article never ends; it looks ahead without consuming."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        # One call of it is one call of what lies below: what was read before a fault is not lost with it.
        self._read_once: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self.fault: InputError | None = None
        self._ahead = b""
        self._since = 0

    def head(self) -> bytes:
        """The first bytes (up to 64 kB); they will be read again."""
        self._ahead = self._filled(HEAD)
        if not self._ahead and self.fault is not None:
            raise self.fault
        return self._ahead

    def begin_article(self) -> None:
        self._since = 0

    def read(self, size: int = -1) -> bytes:
        if self._ahead:
            size = len(self._ahead) if size < 0 else size
            chunk, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            chunk = self._filled(HEAD if size < 0 else size)
        if not chunk and self.fault is not None:
            raise self.fault
        return self._counted(chunk)

    def readline(self) -> bytes:
        end = self._ahead.find(b"\n") + 1 or len(self._ahead)
        line, self._ahead = self._ahead[:end], self._ahead[end:]
        if not line.endswith(b"\n"):
            if self.fault is not None:
                raise self.fault
            try:
                line += self._stream.readline(MAX_ARTICLE + 1)
            except READ_FAULTS as error:
                raise _cannot_be_read(error) from error
        return self._counted(line)

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line

    def _filled(self, size: int) -> bytes:
        """`size` bytes, or less where the stream ends or a fault ends it; the fault is raised in its turn."""
        chunks: list[bytes] = []
        missing = size
        while missing > 0 and self.fault is None:
            try:
                chunk = self._read_once(missing)
            except READ_FAULTS as error:
                self.fault = _cannot_be_read(error)
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


def _cannot_be_read(error: BaseException) -> InputError:
    fault = InputError(f"it cannot be read any further ({error or type(error).__name__}); get the file again")
    fault.__cause__ = error
    return fault
