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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import BinaryIO, TypeAlias

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCRelation

from corpora.errors import ArticleError, InputError
from corpora.formats.format import Header, Reader
from corpora.formats.streams import BOM
from corpora.parsing import MAX_NODES, TABLE_MARKS, require_bounded
from corpora.reporting import Report
from corpora.words.quantities import quantity

MAX_ARTICLE = 64 << 20
"""Bytes of one article. A larger one is a file of another kind, and would fill the memory."""
MAX_LINES = MAX_NODES // 4
"""Lines of one article; a line has several cells."""

MENTION_COLUMNS = ("type", "identifier")
"""The infons in the columns of a mention, from the fifth column on."""
RELATION_COLUMNS = ("type", "entity1", "entity2")
"""The infons in the columns of a relation, from the second column on."""

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
    """Neighbouring lines with one id."""

    id: bytes
    lines: list[bytes] = field(default_factory=list)
    tags: set[bytes] = field(default_factory=set)
    body: bool = False
    """Whether it has a text in a line other than `|t|`."""
    size: int = 0
    fault: InputError | None = None
    """The error that ended the file in this block."""

    @property
    def is_passage(self) -> bool:
        return b"t" in self.tags and not self.body


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The raw bytes of each article, one at a time. `header` is not changed: PubTator has no header.

    Raises `InputError` where the file is not PubTator or breaks off, after the articles before that place.
    """
    for article in _articles(_blocks(_lines(stream, report))):
        lines = [line for block in article for line in block.lines]
        while _blank(lines[-1]):
            lines.pop()
        yield b"".join(lines)


def _lines(stream: BinaryIO, report: Report) -> Iterator[bytes]:
    """Lines with their line ends, without byte order mark and comments at the beginning, which are reported.

    The first other line that is not blank must be PubTator.
    """
    searching, comments = True, 0
    try:
        for line in iter(stream.readline, b""):
            # A file that was joined from several can have several byte order marks.
            line = line.removeprefix(BOM)
            if searching and not _blank(line):
                is_pubtator = _TEXT_LINE.match(line) or _TABLE_LINE.match(line)
                if not is_pubtator and line.startswith(b"#"):
                    comments += 1
                    continue
                if not is_pubtator:
                    raise InputError(
                        f"its first line, {_excerpt(line)}, is not PubTator in UTF-8 (such as ID|t|title); "
                        "convert the file to PubTator in UTF-8, or remove it from the input"
                    )
                searching = False
                if comments:
                    report(f"left out: {quantity(comments, 'line')} of comments, which begin with #")
            yield line
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"it cannot be read any further ({error}); get the file again") from error


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
            named = text or _TABLE_LINE.match(line)
            tag = text[2].lower() if text else b""
            is_repeated = block is not None and tag in block.tags and (tag == b"t" or after_blank)
            # A new id, a second title, or a repeated tag after a blank line begins a block.
            if block is None or (named and named[1] != block.id) or is_repeated:
                if block is not None:
                    yield block
                block = _Block(named[1] if named else b"")
            if text:
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
    raw = raw.removeprefix(BOM)
    if len(raw) > MAX_ARTICLE:
        raise ArticleError(_too_large(raw))
    require_bounded(raw, TABLE_MARKS)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ArticleError(
            f"not UTF-8 at byte {error.start} (line {line}) of the article that begins with {_excerpt(raw)}; "
            "convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8"
        ) from error
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
        elif (mention := mention_row(columns := line.split("\t"))) is not None:
            content.missing += remove_missing(mention)
            content.mentions.append(mention)
        elif (relation := relation_row(columns)) is not None:
            content.relations.append(relation)
        elif not _blank(raw):
            raise ArticleError(
                f"line {number} of document {block.id.decode()!r}, {_excerpt(line.encode())}, is neither a "
                "text (ID|t|...) nor a mention (ID, start, end, text, type, identifier) nor a relation (ID, type, two "
                "ids); correct the line, or remove it"
            )
    if not content.texts:
        name = block.id.decode()
        raise ArticleError(f"document {name!r} has mentions, but no text; put a line {name}|t|title before them")
    return content


def _read_classical(document: BioCDocument, content: _Content) -> None:
    offset = 0
    for tag, text in content.texts:
        # An empty title or abstract is not a passage, but the one character after it counts.
        if not is_empty(text):
            _add_passage(document, text, offset, classical_infons(tag))
        offset += len(text) + 1
    if not document.passages:
        tag, text = content.texts[0]
        _add_passage(document, text, 0, classical_infons(tag))
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
        passage = _add_passage(document, text, offset, passage_infons(index))
        for (id, columns), number in zip(content.mentions, mentions, strict=False):
            passage.add_annotation(_annotation(columns, offset, id or str(number)))
        for (id, columns), number in zip(content.relations, relations, strict=False):
            passage.add_relation(_relation(columns, id or f"R{number}"))
        offset += len(text) + 1


def _add_passage(document: BioCDocument, text: str, offset: int, infons: dict[str, str]) -> BioCPassage:
    passage = BioCPassage.of_text(text, offset)
    passage.infons = infons
    document.add_passage(passage)
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


def is_empty(text: str) -> bool:
    """Whether a text has only blanks. Such a title or abstract counts as missing."""
    return not text.strip(" \t")


def classical_infons(tag: str) -> dict[str, str]:
    """The infons of a passage, from the tag of its text."""
    match tag.lower():
        case "t":
            return {"section_type": "TITLE", "type": "title"}
        case "a":
            return {"section_type": "ABSTRACT", "type": "abstract"}
    return {"type": tag}


def passage_infons(index: int) -> dict[str, str]:
    """The infons of a passage in the passages form, as in the BioC edition of NLM-Chem. The form has no sections."""
    return {"type": "paragraph" if index else "front"}


def columns_from(first: int, named: Sequence[str]) -> Iterator[str]:
    """The infons for the columns from `first` on: the named ones, then `column7` and so on. The iterator is infinite.

    BC5CDR has the parts of a composite mention in column 7, BioRED the novelty of a relation in column 5.
    """
    return chain(named, map("column{}".format, count(first + len(named))))


# -- rows of tables -----------------------------------------------------------------------------

_WHOLE = re.compile(r" *(-?[0-9]{1,15})(?:\.0+)? *")
"""An offset. Tables that went through a program for statistics have `12.0`."""
_ROW_ID = re.compile(r"[A-Z]{1,3}[0-9]+")
"""The id of a mention or relation, such as `T1`, which some files have in the second column."""
_RELATION_ID = re.compile(r"R(?:EL)?[0-9]+")
_IDENTIFIER = 5
"""The column of the identifier."""
_MISSING = frozenset({"nan", "none", "null", "<na>"})
"""What stands for a missing value in tables that went through a program for statistics, in lower case."""
_NO_VALUE = _MISSING | {"", "-", "--", "\u2013", "\u2014", "na", "n/a", ".", "?", "inf", "infinity"}
_WORD = re.compile(r"[^\W\d_]{2}")
"""What the type of a relation has, and a number such as `1.4e1` has not."""
Row: TypeAlias = tuple[str | None, list[str]]
"""The id that a row of a mention or a relation states (None: no id), and its columns without the id."""


def mention_row(columns: Sequence[str]) -> Row | None:
    """The row of a mention as `ID, start, end, text, type, ...`; None for another row.

    Some files have the id of a mention before its offsets, `ID, T1, start, end, text, type`, or its id and its type,
    `ID, T1, type, start, end, text`. A row of numbers has an id if its text fits the second and third one only.
    """
    is_numbered = len(columns) > 5 and _fits(columns, 2) and not _fits(columns, 1)
    if len(columns) > 3 and not is_numbered and (span := offsets(columns, 1)):
        return None, [columns[0], *span, *columns[3:]]
    if len(columns) <= 5 or not (is_numbered or _ROW_ID.fullmatch(columns[1])):
        return None
    if span := offsets(columns, 2):
        return columns[1], [columns[0], *span, *columns[4:]]
    if span := offsets(columns, 3):
        return columns[1], [columns[0], *span, columns[5], columns[2], *columns[6:]]
    return None


def remove_missing(mention: Row) -> bool:
    """Remove the identifier from the row of a mention if it marks a missing value. Returns whether it did."""
    _, columns = mention
    if len(columns) <= _IDENTIFIER or columns[_IDENTIFIER].strip().lower() not in _MISSING:
        return False
    columns[_IDENTIFIER:] = ["", *columns[_IDENTIFIER + 1 :]] if len(columns) > _IDENTIFIER + 1 else []
    return True


def _fits(columns: Sequence[str], at: int) -> bool:
    """Whether a row has a span at a column, with a text of its length behind it."""
    span = offsets(columns, at)
    return span is not None and 0 < int(span[1]) - int(span[0]) == len(columns[at + 2])


def relation_row(columns: Sequence[str]) -> Row | None:
    """The row of a relation as `ID, type, two ids, ...`; None for another row. Its id can stand before the type."""
    if is_relation(columns):
        return None, list(columns)
    if len(columns) > 4 and _RELATION_ID.fullmatch(columns[1]) and is_relation(columns[1:]):
        return columns[1], [columns[0], *columns[2:]]
    return None


def is_relation(columns: Sequence[str]) -> bool:
    """Whether a row has a type in words and two ids, and no span with a text of its length.

    A row without offsets is not a relation for that reason alone: it can be a mention with damaged offsets.
    """
    kind, *ids = (column.strip() for column in columns[1:4]) if len(columns) > 3 else ("",)
    if _WORD.search(kind) is None or _ROW_ID.fullmatch(kind) or kind.lower() in _NO_VALUE:
        return False
    if len(ids) < 2 or any(id.lower() in _NO_VALUE for id in ids):
        return False
    return not any(_fits(columns, at) for at in range(2, len(columns) - 2))


def offsets(columns: Sequence[str], at: int) -> tuple[str, str] | None:
    """Start and end in two columns of a row, as whole numbers; None where they are something else, or no span."""
    matches = [_WHOLE.fullmatch(column) for column in columns[at : at + 2]]
    if len(matches) < 2 or matches[0] is None or matches[1] is None or int(matches[0][1]) > int(matches[1][1]):
        return None
    return matches[0][1], matches[1][1]


READER = Reader(split, parse, sniff)
