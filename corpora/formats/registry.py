"""The formats, one line each. The format of an input is detected by its content, not by its name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import BinaryIO, cast

from corpora.errors import ConfigurationError, InputError
from corpora.extras import require
from corpora.formats.format import Format, Reader, Writer
from corpora.formats.guarded_stream import GuardedStream
from corpora.formats.header import Header
from corpora.parsing.safe_xml import refuse_entities, root_name
from corpora.parsing.xml_encoding import Transcoded, encoding_of
from corpora.reporting import Report

__all__ = [
    "FORMATS",
    "WRITABLE",
    "format_of_suffix",
    "formats",
    "named",
    "readable",
    "report_header_losses",
    "sniff",
    "split",
    "suffix_of",
    "suffixes",
    "writable",
    "writable_names",
]

FORMATS = {
    "biocxml": "corpora.formats.biocxml",
    "biocjson": "corpora.formats.biocjson",
    "jsonl": "corpora.formats.jsonl",
    "pubtator": "corpora.formats.pubtator",
    "tsv": "corpora.formats.tsv",
    "jats": "corpora.formats.jats.article",
    "brat": "corpora.formats.brat",
    "parquet": "corpora.formats.parquet",
    "conll": "corpora.formats.conll",
}
"""The module of each format. A module is imported when it is first used; its constant `FORMAT` describes the format.

The order is that in which messages list formats, and in which they are tried on the content of a file.
"""

READ_ONLY = frozenset({"jats"})
WRITABLE = tuple(name for name in FORMATS if name not in READ_ONLY)
"""The names of the formats that are written. Command lines show them, so no module is imported for them."""

_BOM = b"\xef\xbb\xbf"


def named(name: str) -> Format:
    """A format by its name. Raises `ConfigurationError` for an unknown name."""
    if name not in FORMATS:
        raise ConfigurationError(f"unknown format {name!r}; choose one of {', '.join(FORMATS)}")
    return cast(Format, importlib.import_module(FORMATS[name]).FORMAT)


def formats() -> Iterator[Format]:
    """All formats, in the order of the registry."""
    return map(named, FORMATS)


def readable(name: str) -> Reader:
    """The reader of a format. Raises `ConfigurationError` for an unknown name and for a format that is only written."""
    reader = named(name).reader
    if reader is None:
        raise ConfigurationError(f"the format {name!r} is written, but not read")
    return reader


def writable(name: str) -> Writer:
    """The writer of a format.

    Raises `ConfigurationError` for an unknown name, a format that is only read, and a package that is not installed.
    """
    format = named(name) if name in FORMATS else None
    if format is None or format.writer is None:
        raise ConfigurationError(f"unknown format {name!r}; choose one of {', '.join(writable_names())}")
    if format.package:
        require(format.package, extra=format.extra, purpose=f"the format {format.title}")
    return format.writer


def writable_names() -> tuple[str, ...]:
    """The names of all formats that are written."""
    return WRITABLE


def suffix_of(name: str) -> str:
    """The suffix of a file in a format, such as `.xml`."""
    return named(name).suffix


def suffixes() -> frozenset[str]:
    """The suffixes of all formats, in lower case, with their dot."""
    return frozenset(suffix for format in formats() for suffix in format.suffixes)


def format_of_suffix(name: str) -> str:
    """The format that the suffix of an output selects. Raises `ConfigurationError` where it selects none."""
    plain = name.lower().removesuffix(".gz")
    for format in formats():
        if format.writer is not None and plain.endswith(format.suffix):
            return format.name
    raise ConfigurationError(f"the suffix of {name} selects no format; add --format {'|'.join(writable_names())}")


def sniff(head: bytes) -> str:
    """The format of a file that begins with `head` (up to 64 kB). Raises `InputError` where it has none of them."""
    text = head.removeprefix(_BOM).lstrip()
    if not text:
        raise InputError("it is empty; get the file again")
    root = None
    if _is_xml(head):
        text = _as_utf8(head)
        refuse_entities(text)
        root = root_name(text)
    found = next((format.name for format in formats() if format.reader and format.reader.sniff(text)), None)
    if found is not None:
        return found
    if _is_xml(head) and root is None:
        raise InputError("it begins like XML but has no root element; get the file again")
    titles = ", ".join(format.title for format in formats() if format.reader)
    if root is not None:
        raise InputError(
            f"it is XML with the root <{root}>, and none of the formats that are read ({titles}); "
            "convert it, or remove it from the input"
        )
    if b"\x00" in head:
        raise InputError("it is binary, or text in UTF-16; remove it from the input, or save it as UTF-8")
    raise InputError(f"it has none of the formats that are read ({titles}); convert it, or remove it from the input")


def _is_xml(head: bytes) -> bool:
    return _as_utf8(head[:64]).lstrip()[:1] == b"<"


def _as_utf8(head: bytes) -> bytes:
    """The beginning of an XML file in UTF-8, without an incomplete character at its end."""
    encoding = encoding_of(head)
    if encoding == "utf-8":
        return head.removeprefix(_BOM)
    return head.decode(encoding, "ignore").removeprefix("\ufeff").encode("utf-8", "ignore")


def split(
    stream: BinaryIO, header: Header, report: Report, format: Reader | None = None
) -> Iterator[tuple[str, bytes]]:
    """The format and the raw bytes of each article in an open file (see `corpora.storage.inputs.members`).

    `format`: the reader of the file; None: the format is detected by the content (else its name is empty). XML in
    another encoding is converted to UTF-8. Raises `InputError` where the file cannot be read further, after the
    articles before that place.
    """
    guarded = GuardedStream(stream)
    head = guarded.head()
    try:
        name = sniff(head) if format is None else ""
    except InputError as error:
        # An incomplete head has no reliable format; the reason why it is incomplete is the better message.
        raise guarded.fault or error from None
    source = cast(BinaryIO, guarded)
    if _is_xml(head) and (encoding := encoding_of(head)) != "utf-8":
        source = cast(BinaryIO, Transcoded(source, encoding, report))
    reader = readable(name) if format is None else format
    for raw in reader.split(source, header, report):
        guarded.begin_article()
        yield name, raw


def report_header_losses(header: Header, name: str, report: Report) -> None:
    """Report what a format cannot store of a collection's header. The articles are written all the same."""
    format = named(name)
    if format.header_losses is not None:
        format.header_losses(header, report)
    elif header != Header():
        report(f"{format.title} has no place for the collection's source, date, key and infons; they are left out")
