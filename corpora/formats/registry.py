"""The formats, one line each. The format of an input is detected by its content, not by its name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from corpora.errors import Argument, ConfigurationError, InputError, UnclaimedError
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
    "pubmed": "corpora.formats.pubmed",
    "brat": "corpora.formats.brat",
    "parquet": "corpora.formats.parquet",
    "conll": "corpora.formats.conll",
    "spacy": "corpora.formats.spacy",
    "hf": "corpora.formats.hf",
    "text": "corpora.formats.text",
    "lines": "corpora.formats.lines",
}
"""The module of each format. A module is imported when it is first used; its constant `FORMAT` describes the format.

The order is that in which messages list formats, and in which they are tried on the content of a file.
"""

READ_ONLY = frozenset({"jats", "pubmed", "lines"})
WRITABLE = tuple(name for name in FORMATS if name not in READ_ONLY)
"""The names of the formats that are written. Command lines show them, so no module is imported for them."""

LINES = "lines"
TEXT = "text"
TEXT_SUFFIX = ".txt"

_BOM = b"\xef\xbb\xbf"
_ABOUT = re.compile(r"(readme|licen[cs]e|copying|copyright|notice|changelog|changes|authors|citation)\b.*", re.I)
"""Names of text files that describe a folder."""


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
    found = [format for format in formats() if format.writer is not None and plain.endswith(format.suffix)]
    if found:
        # `.hf.jsonl` and not `.jsonl`.
        return max(found, key=lambda format: len(format.suffix)).name
    raise ConfigurationError(
        f"the suffix of {name} selects no format; add ", Argument("format", "|".join(writable_names()))
    )


def sniff(head: bytes, name: str = "", *, lines: bool = False) -> str:
    """The format of a file that begins with `head` (up to 64 kB) and is called `name` (empty: not known).

    The content decides. A text file (`.txt`) with none of the other formats is plain text; with `lines`, every text
    file has the format `lines`. Raises `UnclaimedError` where the file has none of the formats, and `InputError`
    where it is empty or damaged.
    """
    suffix = PurePosixPath(name).suffix.lower()
    text = head.removeprefix(_BOM).lstrip()
    if not text:
        known = not name or suffix in suffixes()
        raise (InputError if known else UnclaimedError)("it is empty; get the file again")
    if lines and (not name or suffix == TEXT_SUFFIX) and not _is_about(name) and b"\x00" not in head:
        return LINES
    root = None
    if _is_xml(head):
        text = _as_utf8(head)
        refuse_entities(text)
        root = root_name(text)
    found = next((format.name for format in formats() if format.reader and format.reader.sniff(text)), None)
    if found is None and suffix == TEXT_SUFFIX and root is None and not _is_about(name) and b"\x00" not in head:
        return TEXT
    if found is None or (suffix == ".json" and _is_metadata(text)):
        raise _unclaimed(head, root, suffix)
    return found


def _is_metadata(head: bytes) -> bool:
    from corpora.formats import biocjson

    return biocjson.is_other(head)


def _is_about(name: str) -> bool:
    return _ABOUT.fullmatch(PurePosixPath(name).name) is not None


def _is_other(head: bytes, root: str | None, suffix: str) -> bool:
    """Whether a file has the content that its suffix promises, but not that of an article: it is not damaged."""
    match suffix:
        case ".xml":
            return root is not None
        case ".json":
            return head.removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")
        case ".tsv" | ".txt":
            return b"\x00" not in head
    return False


def _unclaimed(head: bytes, root: str | None, suffix: str) -> InputError:
    if _is_xml(head) and root is None and suffix in ("", *suffixes()):
        return InputError("it begins like XML but has no root element; get the file again")
    kind = InputError if suffix in suffixes() and not _is_other(head, root, suffix) else UnclaimedError
    titles = ", ".join(format.title for format in formats() if format.reader)
    if root is not None:
        return kind(
            f"it is XML with the root <{root}>, and none of the formats that are read ({titles}); "
            "convert it, or remove it from the input"
        )
    if b"\x00" in head:
        return kind("it is binary, or text in UTF-16; remove it from the input, or save it as UTF-8")
    return kind(f"it has none of the formats that are read ({titles}); convert it, or remove it from the input")


def _is_xml(head: bytes) -> bool:
    return _as_utf8(head[:64]).lstrip()[:1] == b"<"


def _as_utf8(head: bytes) -> bytes:
    """The beginning of an XML file in UTF-8, without an incomplete character at its end."""
    encoding = encoding_of(head)
    if encoding == "utf-8":
        return head.removeprefix(_BOM)
    return head.decode(encoding, "ignore").removeprefix("\ufeff").encode("utf-8", "ignore")


def split(
    stream: BinaryIO | GuardedStream,
    header: Header,
    report: Report,
    format: Reader | None = None,
    name: str = "",
    *,
    lines: bool = False,
) -> Iterator[tuple[str, bytes]]:
    """The format and the raw bytes of each article in an open file (see `corpora.storage.inputs.members`).

    `format`: the reader of the file; None: the format is detected (else its name is empty), see `sniff` for `name` and
    `lines`. XML in another encoding is converted to UTF-8. Raises `InputError` where the file cannot be read further,
    after the articles before that place.
    """
    guarded = stream if isinstance(stream, GuardedStream) else GuardedStream(stream)
    head = guarded.head()
    try:
        found = sniff(head, name, lines=lines) if format is None else ""
    except InputError as error:
        # An incomplete head has no reliable format; the reason why it is incomplete is the better message.
        raise guarded.fault or error from None
    source = cast(BinaryIO, guarded)
    if _is_xml(head) and (encoding := encoding_of(head)) != "utf-8":
        source = cast(BinaryIO, Transcoded(source, encoding, report))
    reader = readable(found) if format is None else format
    for raw in reader.split(source, header, report):
        guarded.begin_article()
        yield found, raw


def report_header_losses(header: Header, name: str, report: Report) -> None:
    """Report what a format cannot store of a collection's header. The articles are written all the same."""
    format = named(name)
    if format.header_losses is not None:
        format.header_losses(header, report)
    elif header != Header():
        report(f"{format.title} has no place for the collection's source, date, key and infons; they are left out")
