"""Detects the format of a file by its content, and splits the file into articles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from corpora.errors import InputError, UnclaimedError, shortened
from corpora.formats import other_files
from corpora.formats.format import Header, Reader
from corpora.formats.other_files import SAVED_PAGE, WEB_PAGES, server_message
from corpora.formats.records import ANY, TextColumns
from corpora.formats.registry import by_content, formats, readable, suffixes
from corpora.formats.streams import BOM, HEAD, GuardedStream, LineFeeds, with_line_feeds
from corpora.parsing.safe_xml import Transcoded, encoding_of, refuse_entities, root_name
from corpora.reporting import Report

PIPE = "-"
"""The name of standard input and other pipes."""

LONG_HEAD = 1 << 23
"""Bytes of JSON that are searched for the keys of a format, where a long text stands before them."""
_KEYS_OF_BIOC = (b'"passages"', b'"documents"')

_TAG = re.compile(
    rb"<(?:html|body)\b[^<>]*>"
    rb"|<[^\W\d][\w:.-]*(?:\s+[^\W\d][\w:.-]*\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))*\s*(?:/?>|\Z)",
    re.I,
)
"""The first tag of XML, or of a web page. Its attributes have values, as words have not."""
_IN_A_SENTENCE = re.compile(rb"<(?:b|bold|em|i|italic|sc|small|span|strong|sub|sup|u)\b", re.I)
"""The beginning of a tag with which titles and sentences begin, and no XML and no web page."""

_ABOUT = re.compile(r"(readme|licen[cs]e|copying|copyright|notice|changelog|changes|authors|citation)\b.*", re.I)
"""Names of text files that describe a folder."""


def sniff(head: bytes, name: str = "", *, lines: bool = False, columns: TextColumns = ANY) -> str:
    """The format of a file that begins with `head` (up to 64 kB) and is called `name` (empty: not known).

    The content decides. A text file (`.txt`) with none of the other formats is plain text, and so is text from a pipe
    (`PIPE`) unless it begins like XML; with `lines`, both have one article a line. Where the user names columns, a
    table has them. Raises `UnclaimedError` where the file has none of the formats, and `InputError` where it is empty
    or damaged.
    """
    head = with_line_feeds(head)
    piped = name == PIPE
    suffix = ".txt" if piped else PurePosixPath(name).suffix.lower()
    text = head.removeprefix(BOM).lstrip()
    if not text:
        known = not name or suffix in suffixes()
        raise (InputError if known else UnclaimedError)("it is empty; get the file again")
    is_text = b"\x00" not in head and _ABOUT.fullmatch(PurePosixPath(name).name) is None
    root = None
    if _is_xml(head):
        text = _as_utf8(head)
        refuse_entities(text)
        root = root_name(text)
    message = server_message(text, root)
    if lines and is_text and message is None:
        by_line = next(
            (format for format in formats() if format.by_line and (not name or suffix in format.suffixes)), None
        )
        if by_line is not None:
            return by_line.name
    for format in by_content():
        reader = format.reader
        if reader is not None and reader.sniff(text):
            if message is not None or (suffix in format.suffixes and reader.is_other(text)):
                break
            return format.name
    else:
        may_be_text = is_text and message is None and root is None and not (piped and _is_xml(head))
        by_suffix = next((format for format in formats() if format.by_suffix and suffix in format.suffixes), None)
        reader = None if by_suffix is None or not may_be_text else by_suffix.reader
        named = reader is not None and reader.columns is not None and columns.given
        if by_suffix is not None and reader is not None and (named or not reader.is_other(text)):
            return by_suffix.name
    if message is not None:
        kind = InputError if suffix in ("", *suffixes()) else UnclaimedError
        saved = f"; {SAVED_PAGE}" if suffix in WEB_PAGES else ""
        raise kind(f"{message}; request the article again, or remove the file{saved}")
    damaged = suffix in suffixes() and not _is_other(head, root, suffix)
    kind = InputError if damaged else UnclaimedError
    other_files.refuse(text, kind)
    raise _unclaimed(head, root, suffix, kind)


def head_of(stream: GuardedStream) -> bytes:
    """The beginning of a file for `sniff`: 64 kB, or more of JSON that they do not decide."""
    head = stream.head()
    # JSON that is cut off before a key of BioC may be any format of JSON.
    is_undecided = _is_json(head) and len(head) >= HEAD and not any(key in head for key in _KEYS_OF_BIOC)
    return stream.head(LONG_HEAD) if is_undecided else head


def _is_json(head: bytes) -> bool:
    return head.removeprefix(BOM).lstrip()[:1] in (b"{", b"[")


def _is_other(head: bytes, root: str | None, suffix: str) -> bool:
    """Whether a file has the content that its suffix promises, but not that of an article: it is not damaged."""
    match suffix:
        case ".xml":
            return root is not None
        case ".json":
            return _is_json(head)
        case ".tsv" | ".csv" | ".txt" | ".md" | ".markdown":
            return b"\x00" not in head
    return False


def _unclaimed(head: bytes, root: str | None, suffix: str, kind: type[InputError]) -> InputError:
    if _is_xml(head) and root is None and suffix in ("", *suffixes()):
        return InputError("it begins like XML but has no root element; get the file again")
    titles = ", ".join(format.title for format in formats() if format.reader)
    if root is not None:
        return kind(
            f"it is XML with the root <{root}>, and none of the formats that are read ({titles}); "
            "convert it, or remove it from the input"
        )
    if b"\x00" in head:
        return kind("it is binary, or text in UTF-16; remove it from the input, or save it as UTF-8")
    first = shortened(repr(head.removeprefix(BOM).lstrip().partition(b"\n")[0][:200].decode("utf-8", "replace")), 60)
    return kind(
        f"it has none of the formats that are read ({titles}); it begins with {first}; "
        "convert it, or remove it from the input"
    )


def _is_xml(head: bytes) -> bool:
    """Whether a file begins with a declaration, comment or DOCTYPE, or with a tag that prose cannot have.

    Prose can begin with `<5 mg/L`, `<LOD values`, `<LOD>` or `<i>Zinc</i>`.
    """
    if _as_utf8(head[:64]).lstrip()[:1] != b"<":
        return False
    text = _as_utf8(head).lstrip()
    if text[1:2] in (b"", b"?", b"!"):
        return True
    if b" " not in text and b">" not in text:
        # A tag that is cut off.
        return True
    tag = None if _IN_A_SENTENCE.match(text) else _TAG.match(text)
    following = b"" if tag is None else text[tag.end() :].lstrip()[:1]
    return tag is not None and (following in (b"", b"<") or b"=" in tag[0] or b"</" in text)


def _as_utf8(head: bytes) -> bytes:
    """The beginning of an XML file in UTF-8, without an incomplete character at its end."""
    encoding = encoding_of(head)
    if encoding == "utf-8":
        return head.removeprefix(BOM)
    return head.decode(encoding, "ignore").removeprefix("\ufeff").encode("utf-8", "ignore")


def split(
    stream: BinaryIO | GuardedStream,
    header: Header,
    report: Report,
    format: Reader | None = None,
    name: str = "",
    *,
    lines: bool = False,
    columns: TextColumns = ANY,
) -> Iterator[tuple[str, bytes]]:
    """The format and the raw bytes of each article in an open file (see `corpora.storage.members.members`).

    `format`: the reader of the file; None: the format is detected (else its name is empty), see `sniff` for `name` and
    `lines` and `columns`. XML in another encoding is converted to UTF-8. Raises `InputError` where the file cannot be
    read further, after the articles before that place.
    """
    guarded = stream if isinstance(stream, GuardedStream) else GuardedStream(stream)
    head = head_of(guarded)
    try:
        detected = "" if format is not None else guarded.format or sniff(head, name, lines=lines, columns=columns)
    except InputError as error:
        # An incomplete head has no reliable format; the reason why it is incomplete is the better message.
        raise guarded.fault or error from None
    source = cast(BinaryIO, guarded)
    if with_line_feeds(head) != head:
        source = cast(BinaryIO, LineFeeds(guarded))
    if _is_xml(head) and (encoding := encoding_of(head)) != "utf-8":
        source = cast(BinaryIO, Transcoded(source, encoding, report))
    reader = readable(detected) if format is None else format
    articles = (
        reader.split(source, header, report)
        if reader.columns is None
        else reader.columns(source, header, report, columns)
    )
    for raw in articles:
        guarded.begin_article()
        yield detected, raw
