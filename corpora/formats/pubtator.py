"""Reads PubTator, plain text with one line for each mention, as a stream. It has two forms.

*Classical*: one block for each article. It has the lines `ID|t|title` and `ID|a|abstract` (other tags may follow), then
one line for each mention, `ID<TAB>start<TAB>end<TAB>text<TAB>type<TAB>identifier`, and one for each relation. Offsets
count code points in the texts of the block; one character follows each text.

*Passages*: one block for each passage, all with the same id. It has the lines `ID|t|text` and an empty `ID|a|`.
Offsets count from the start of the passage. The NLM-Chem corpus is distributed in this form.

Neighbouring blocks with the same id are one article in the passages form if and only if each of them has an empty
abstract, and no other text except its `|t|` line. A block with an abstract begins another article, even where it has
the id of the block before it. docs/reference/pubtator.md explains more; `corpora.formats.pubtator_writer` writes.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import BinaryIO

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCRelation

from corpora.errors import ArticleError, InputError
from corpora.formats.format import Joined, Reader
from corpora.formats.header import Header
from corpora.formats.pubtator_rows import Row, mention_row, relation_row, remove_missing
from corpora.formats.pubtator_writer import (
    MENTION_COLUMNS,
    RELATION_COLUMNS,
    SEPARATOR,
    classical_infons,
    closing,
    columns_from,
    dumps,
    is_empty,
    opening,
    passage_infons,
)
from corpora.parsing.limits import MAX_NODES, TABLE_MARKS, require_bounded
from corpora.reporting import Report
from corpora.words.quantities import quantity

MAX_ARTICLE = 64 << 20
"""Bytes of one article. A larger one is a file of another kind, and would fill the memory."""
MAX_LINES = MAX_NODES // 4
"""Lines of one article; a line has several cells."""

_BOM = b"\xef\xbb\xbf"
# Only \n ends a line: `corpora.formats.detection` converts files in which \r does. str.splitlines() also splits at
# U+2028, U+0085, \x0b and \x0c, which texts can contain.
_TEXT_LINE = re.compile(rb"([^|\t\r\n]+)\|([A-Za-z][A-Za-z0-9_]{0,31})\|")
_TABLE_LINE = re.compile(rb"([^|\t\r\n]+)\t")
_INSIDE_LINE = re.compile(rb"\r(?=[^|\t\r\n]+(?:\|[A-Za-z][A-Za-z0-9_]{0,31}\||\t[^\t\r\n]*\t))")
_COMMENTS = re.compile(rb"\A(?:[ \t\r]*(?:#[^\n]{0,4000})?\n)+")
_FIRST_LINE = re.compile(rb"\s*[^\s|][^|\n]{0,4000}\|(?:[A-Za-z]{1,2}|title|abstract)\|", re.I)


def sniff(head: bytes) -> bool:
    """Whether a file begins with a line such as `ID|t|title`, also behind comments."""
    return _FIRST_LINE.match(_COMMENTS.sub(b"", head, count=1)) is not None


# -- splitting a file ---------------------------------------------------------------------------


@dataclass(slots=True)
class _Block:
    """Neighbouring lines with one id. `fault`: the error that ended the file in this block."""

    id: bytes
    lines: list[bytes] = field(default_factory=list)
    tags: set[bytes] = field(default_factory=set)
    body: bool = False  # whether it has a text in a line other than |t|
    size: int = 0
    fault: InputError | None = None

    @property
    def is_passage(self) -> bool:
        return b"t" in self.tags and not self.body


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The raw bytes of each article, one at a time. `header` is not changed: PubTator has no header.

    Raises `InputError` where the file is not PubTator or breaks off, after the articles before that place.
    """
    for article in _articles(_blocks(_lines(stream, report))):
        yield _join(article)


def _lines(stream: BinaryIO, report: Report) -> Iterator[bytes]:
    """Lines with their line ends, without byte order mark and comments at the beginning, which are reported.

    The first other line that is not blank must be PubTator.
    """
    searching, comments = True, 0
    try:
        for line in iter(stream.readline, b""):
            # A file that was joined from several can have several byte order marks.
            line = line.removeprefix(_BOM)
            if searching and line.startswith(b"#") and not (_TEXT_LINE.match(line) or _TABLE_LINE.match(line)):
                comments += 1
                continue
            if searching and not _blank(line):
                _require_pubtator(line)
                searching = False
                if comments:
                    report(f"left out: {quantity(comments, 'line')} of comments, which begin with #")
            yield line
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"it cannot be read any further ({error}); get the file again") from error


def _require_pubtator(line: bytes) -> None:
    if not (_TEXT_LINE.match(line) or _TABLE_LINE.match(line)):
        raise InputError(
            f"its first line, {_excerpt(line)}, is not PubTator in UTF-8 (such as ID|t|title); "
            "convert the file to PubTator in UTF-8, or remove it from the input"
        )


def _too_large(start: bytes) -> str:
    return (
        f"the article that begins with {_excerpt(start)} is larger than {MAX_ARTICLE >> 20} MiB "
        f"or {MAX_LINES:,} lines; "
        "split it, or correct the line ends of the file"
    )


def _blocks(lines: Iterable[bytes]) -> Iterator[_Block]:
    """Blocks in the order of the file. The last one has the fault that ended the file, if there was one."""
    block: _Block | None = None
    after_blank = False
    try:
        for line in lines:
            if _blank(line):
                # One blank line is enough. A file that has only line ends must not fill the memory.
                if block is not None and not after_blank:
                    block.lines.append(line)
                after_blank = True
                continue
            text = _TEXT_LINE.match(line)
            if block is None or _opens(line, text, block, after_blank):
                if block is not None:
                    yield block
                block = _Block(_id(line, text))
            if text:
                tag = text[2].lower()
                block.tags.add(tag)
                block.body |= tag != b"t" and not _blank(line[text.end() :])
            block.lines.append(line)
            block.size += len(line)
            after_blank = False
            if block.size > MAX_ARTICLE or len(block.lines) > MAX_LINES:
                raise InputError(_too_large(block.lines[0]))
    except InputError as fault:
        block = block or _Block(b"")
        block.fault = fault
    if block is not None:
        yield block


def _opens(line: bytes, text: re.Match[bytes] | None, block: _Block, after_blank: bool) -> bool:
    """Whether a line begins a block: one with a new id, a second title, or a repeated tag after a blank line."""
    if text is None:
        table = _TABLE_LINE.match(line)
        return table is not None and table[1] != block.id
    tag = text[2].lower()
    return text[1] != block.id or (tag in block.tags and (tag == b"t" or after_blank))


def _id(line: bytes, text: re.Match[bytes] | None) -> bytes:
    match = text or _TABLE_LINE.match(line)
    return match[1] if match else b""


def _articles(blocks: Iterable[_Block]) -> Iterator[list[_Block]]:
    """The blocks of each article, by the rule at the top of this file. Raises a fault after the articles before it."""
    article: list[_Block] = []
    size = lines = 0
    for block in blocks:
        joined = article and block.id == article[-1].id and article[-1].is_passage and not block.body
        if article and not joined:
            yield article
            article, size, lines = [], 0, 0
        if block.fault:
            raise InputError(f"{block.fault} (document {block.id.decode(errors='replace')!r} was left out)")
        article.append(block)
        size += block.size
        lines += len(block.lines)
        if size > MAX_ARTICLE or lines > MAX_LINES:
            raise InputError(_too_large(article[0].lines[0]))
    if article:
        yield article


def _join(article: list[_Block]) -> bytes:
    lines = [line for block in article for line in block.lines]
    while _blank(lines[-1]):
        lines.pop()
    return b"".join(lines)


def _blank(line: bytes) -> bool:
    return not line.strip(b" \t\r\n")


def _excerpt(line: bytes) -> str:
    text = line[:60].decode("utf-8", "replace").rstrip("\r\n")
    return repr(text + "..." if len(line) > 60 else text)


# -- one article in -----------------------------------------------------------------------------


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article of either form as a BioC document. Raises `ArticleError`.

    Identifiers keep the spelling of the file. A mention that spans two passages, or is outside all of them, belongs to
    the passage in which it begins; `corpora.model.invariant.check` reports it.
    """
    raw = raw.removeprefix(_BOM)
    if len(raw) > MAX_ARTICLE:
        raise ArticleError(_too_large(raw))
    require_bounded(raw, TABLE_MARKS)
    _require_utf8(raw)
    articles = list(_articles(_blocks(raw.split(b"\n"))))
    if len(articles) != 1:
        raise ArticleError(f"{len(articles)} articles where one is expected; read the file with `split` first")
    blocks = articles[0]
    document = BioCDocument()
    document.id = blocks[0].id.decode()
    contents = list(map(_content, blocks))
    if len(blocks) == 1:
        _read_classical(document, contents[0])
    else:
        _read_passages(document, contents)
    if missing := sum(content.missing for content in contents):
        number = quantity(missing, "identifier that marks a missing value", "identifiers that mark a missing value")
        report(f"document {document.id!r}: left out: {number}, such as NaN")
    return document


def _require_utf8(raw: bytes) -> None:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ArticleError(
            f"not UTF-8 at byte {error.start} (line {line}) of the article that begins with {_excerpt(raw)}; "
            "convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8"
        ) from error


@dataclass(slots=True)
class _Content:
    """The content of a block: texts with their tags in the order of the file, rows of mentions and of relations."""

    texts: list[tuple[str, str]]
    mentions: list[Row]
    relations: list[Row]
    missing: int = 0
    """Identifiers that were removed, because they mark a missing value."""


def _content(block: _Block) -> _Content:
    content = _Content([], [], [])
    for number, raw in enumerate(block.lines, 1):
        if _INSIDE_LINE.search(raw):
            raise ArticleError(
                f"line {number} of document {block.id.decode()!r}, {_excerpt(raw)}, contains line ends of another kind "
                "(CR); save the file with one kind of line ends"
            )
        line = raw.decode("utf-8").rstrip("\r\n")
        if text := _TEXT_LINE.match(raw):
            content.texts.append((text[2].decode(), line[len(text[0].decode()) :]))
        elif not _blank(raw):
            _add_row(line.split("\t"), content, number, block)
    if not content.texts:
        name = block.id.decode()
        raise ArticleError(f"document {name!r} has mentions, but no text; put a line {name}|t|title before them")
    return content


def _add_row(columns: list[str], content: _Content, number: int, block: _Block) -> None:
    """Add the row of a table to the mentions or the relations. Raises `ArticleError` for one that is neither."""
    if (mention := mention_row(columns)) is not None:
        content.missing += remove_missing(mention)
        content.mentions.append(mention)
        return
    if (relation := relation_row(columns)) is not None:
        content.relations.append(relation)
        return
    raise ArticleError(
        f"line {number} of document {block.id.decode()!r}, {_excerpt(chr(9).join(columns).encode())}, is neither a "
        "text (ID|t|...) nor a mention (ID, start, end, text, type, identifier) nor a relation (ID, type, two ids); "
        "correct the line, or remove it"
    )


def _read_classical(document: BioCDocument, content: _Content) -> None:
    offset = 0
    for tag, text in content.texts:
        # An empty title or abstract is not a passage, but the one character after it counts.
        if not is_empty(text):
            document.add_passage(_passage(text, offset, classical_infons(tag)))
        offset += len(text) + 1
    if not document.passages:
        tag, text = content.texts[0]
        document.add_passage(_passage(text, 0, classical_infons(tag)))
    offsets = [passage.offset for passage in document.passages]
    for number, (id, columns) in enumerate(content.mentions):
        annotation = _annotation(columns, 0, id or str(number))
        start = annotation.locations[0].offset
        document.passages[max(0, bisect_right(offsets, start) - 1)].add_annotation(annotation)
    for number, (id, columns) in enumerate(content.relations):
        document.add_relation(_relation(columns, id or f"R{number}"))


def _read_passages(document: BioCDocument, contents: list[_Content]) -> None:
    offset, mentions, relations = 0, count(), count()
    for index, content in enumerate(contents):
        text = next(text for tag, text in content.texts if tag.lower() == "t")
        passage = _passage(text, offset, passage_infons(index))
        for (id, columns), number in zip(content.mentions, mentions, strict=False):
            passage.add_annotation(_annotation(columns, offset, id or str(number)))
        for (id, columns), number in zip(content.relations, relations, strict=False):
            passage.add_relation(_relation(columns, id or f"R{number}"))
        document.add_passage(passage)
        offset += len(text) + 1


def _passage(text: str, offset: int, infons: dict[str, str]) -> BioCPassage:
    passage = BioCPassage()
    passage.text, passage.offset, passage.infons = text, offset, infons
    return passage


def _annotation(columns: list[str], base: int, id: str) -> BioCAnnotation:
    start, end = int(columns[1]), int(columns[2])
    annotation = BioCAnnotation()
    annotation.id, annotation.text = id, columns[3]
    annotation.add_location(BioCLocation(base + start, end - start))
    values = _without_trailing_blanks(columns[4:], 2)
    annotation.infons = dict(zip(columns_from(5, MENTION_COLUMNS), values, strict=False))
    if not annotation.infons.get("type"):
        annotation.infons.pop("type", None)
    return annotation


def _relation(columns: list[str], id: str) -> BioCRelation:
    relation = BioCRelation()
    relation.id = id
    values = _without_trailing_blanks(columns[1:], 3)
    relation.infons = dict(zip(columns_from(2, RELATION_COLUMNS), values, strict=False))
    return relation


def _without_trailing_blanks(values: list[str], least: int) -> list[str]:
    """Values without blanks at the end of the line, and without empty columns after the first `least` ones."""
    values = [*values[:-1], values[-1].rstrip(" ")] if values else []
    while len(values) > least and not values[-1]:
        values.pop()
    return values


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps, SEPARATOR, opening, closing)
WITH_ABBREVIATIONS = Joined(partial(dumps, abbreviations=True), SEPARATOR, opening, closing)
