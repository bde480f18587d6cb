"""CoNLL: one token a line, its tag in the last column, a blank line after each sentence.

The corpora of BioNLP's benchmark collections (BC4CHEMD, BC5CDR-chem) have this form, with tabs or blanks between
columns and IOB1, IOB2 or IOBES tags. Sentences between two `-DOCSTART-` lines are passages of one document. Without
such lines, each sentence is a document. The text consists of the tokens, joined by blanks. Lines that begin with `#`
and have no tag are comments (`corpora.formats.conll_rows`).

Files written here have four columns: token, start, end, tag (IOB2). Start and end count code points from the start of
the document. They are used when such a file is read, so that all spans come back as they were.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from itertools import chain, count, pairwise
from typing import BinaryIO, NamedTuple

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError, shortened
from corpora.formats.conll_rows import (
    COMMENT,
    DOCUMENT_START,
    TAG,
    columns_of,
    is_row,
    sniff,
    without_comments,
    without_numbers,
)
from corpora.formats.format import Joined, Reader
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.formats.utf8 import encoded
from corpora.model.chemical import CHEMICAL
from corpora.model.document import ABBREVIATION, Span, add_mention, every_annotation, mentions_of
from corpora.model.passages import passage_text
from corpora.reporting import Report
from corpora.words.quantities import quantity

_START = DOCUMENT_START.encode()
_FIRST_LINE = b"\x1f%d\n"
_NUMBERED = re.compile(rb"\x1f(\d{1,15})\n")
_OFFSET = re.compile(r"\d{1,15}")
_OWN_ROW = re.compile(rf"(\S+)\t({_OFFSET.pattern})\t({_OFFSET.pattern})\t({TAG.pattern})")
"""Most lines of the files that are written here; other lines are read column by column, with the same result."""
_ID = re.compile(rf"{DOCUMENT_START}[ \t]*\((.*)\)")
_BREAK = re.compile(r"[\t\r\n]")
# U+FEFF is a byte order mark at the start of a line, and a blank elsewhere.
_OTHER_BLANK = re.compile("[^\\S ]|\ufeff")
_TOKEN = re.compile("[^\\W\\d_]+|\\d+|[^\\s\ufeff]")


# -- reading ------------------------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The lines of each document, or of each sentence where the file does not begin with `-DOCSTART-`.

    The number of the first line is in front of them, for messages. Reports the number of comments, which are left out.
    """
    lines: list[bytes] = []
    first, comments = 1, 0
    by_document: bool | None = None
    for number, line in enumerate(without_numbers(without_comments(stream)), 1):
        comments += line == COMMENT
        starts = line.startswith(_START)
        blank = not line.strip()
        if by_document is None and not blank and line != COMMENT:
            by_document = starts
        if (starts or (blank and not by_document)) and _has_tokens(lines):
            yield _FIRST_LINE % first + b"".join(lines)
            lines = []
        if not lines:
            first = number
        if starts or not blank or lines:
            lines.append(line)
    if _has_tokens(lines):
        yield _FIRST_LINE % first + b"".join(lines)
    if comments:
        report(f"left out: {quantity(comments, 'line')} of comments, which begin with #")


def _has_tokens(lines: list[bytes]) -> bool:
    return any(line != COMMENT and line.strip() for line in lines)


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One document. Its id is the text in parentheses after `-DOCSTART-`, as in `-DOCSTART- (123)`, else empty.

    Mentions have the type of the tag, or `Chemical` where the tag has none. Raises `ArticleError`.
    """
    numbered = _NUMBERED.match(raw)
    first = int(numbered[1]) if numbered else 1
    try:
        lines = raw[numbered.end() if numbered else 0 :].decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ArticleError(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from error
    document = BioCDocument()
    tokens: list[_Token] = []
    ids = map("T{}".format, count(1))
    for number, line in enumerate([*lines, ""], first):
        if line.startswith(DOCUMENT_START):
            named = _ID.match(line)
            document.id = named[1] if named else ""
        elif row := _OWN_ROW.fullmatch(line):
            tokens.append(_token_at(row[1], int(row[2]), int(row[3]), row[4], number))
        elif line.strip(" \t\r") and line != COMMENT.decode().strip("\n"):
            tokens.append(_token(columns_of(line), number, line))
        elif tokens and not line.strip(" \t\r"):
            _add_sentence(document, tokens, ids, report)
            tokens = []
    return document


class _Token(NamedTuple):
    """A token with its tag.

    `start` is None in files without offsets, and where the offsets in its `line` do not fit the token.
    """

    text: str
    tag: str
    start: int | None = None
    line: int = 0
    has_offsets: bool = False
    width: int = 0
    """The number of columns."""


def _token(columns: list[str], number: int, line: str) -> _Token:
    tag = columns[-1]
    if not is_row(columns):
        where = f"line {number} is {line[:60]!r}"
        raise ArticleError(f"{where}: a token and its tag (O, B-..., I-...) are expected; correct the line")
    if len(columns) == 4 and all(_OFFSET.fullmatch(column) for column in columns[1:3]):
        return _token_at(columns[0], int(columns[1]), int(columns[2]), tag, number)
    return _Token(columns[0], tag, None, number, width=len(columns))


def _token_at(text: str, start: int, end: int, tag: str, number: int) -> _Token:
    return _Token(text, tag, start if end - start == len(text) else None, number, has_offsets=True)


def spans_of(tags: list[str]) -> list[tuple[int, int, str]]:
    """(first token, one past the last, type) of each mention in IOB1, IOB2, IOBES, BILOU or BMEWO tags.

    An `I-` tag with nothing before it, or after another type, begins a mention.
    """
    spans: list[tuple[int, int, str]] = []
    open_type: str | None = None
    start = 0
    for position, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        goes_on = prefix in ("I", "E", "L", "M") and open_type == kind
        if open_type is not None and not goes_on:
            spans.append((start, position, open_type))
            open_type = None
        if prefix != "O" and not goes_on:
            open_type, start = kind, position
        if open_type is not None and prefix in ("E", "S", "L", "U", "W"):
            spans.append((start, position + 1, open_type))
            open_type = None
    return spans


def _spans_of_several(tags: list[str]) -> list[tuple[int, int, str]]:
    """The mentions of tags that can be several, as in `B-Chemical|B-Drug`: those of each type, in order."""
    split_tags = [tag.split("|") for tag in tags]
    if all(len(parts) == 1 for parts in split_tags) or not all(TAG.fullmatch(part) for part in chain(*split_tags)):
        return spans_of(tags)
    # For each type the runs of tokens that have it: the number of the first token, and the tags.
    runs: dict[str, list[tuple[int, list[str]]]] = {}
    for position, parts in enumerate(split_tags):
        for kind, part in {part.partition("-")[2]: part for part in parts if part[0] != "O"}.items():
            of_kind = runs.setdefault(kind, [])
            if not of_kind or of_kind[-1][0] + len(of_kind[-1][1]) < position:
                of_kind.append((position, []))
            of_kind[-1][1].append(part)
    spans = [
        (start + first, start + last, kind)
        for of_kind in runs.values()
        for start, run in of_kind
        for first, last, kind in spans_of(run)
    ]
    return sorted(spans, key=lambda span: span[:2])


def _add_sentence(document: BioCDocument, tokens: list[_Token], ids: Iterator[str], report: Report) -> None:
    is_same = len(tokens) > 2 and len({token.text for token in tokens}) == 1
    if is_same and tokens[0].width > 2 and tokens[0].text.isalnum():
        raise ArticleError(
            f"line {tokens[0].line}: the first column has {shortened(tokens[0].text, 60)!r} in all lines of a "
            "sentence; put the column of the tokens first"
        )
    before = document.passages[-1] if document.passages else None
    reached = before.offset + len(before.text) + 1 if before is not None else 0
    places = _places(tokens, reached)
    if any(token.has_offsets and token.start != place[0] for token, place in zip(tokens, places, strict=True)):
        report(
            f"line {tokens[0].line}: the offsets in its sentence do not fit the tokens, so they were not used: "
            "the tokens were joined by blanks"
        )
    passage = BioCPassage()
    passage.offset = places[0][0]
    passage.text = _text(tokens, places)
    document.add_passage(passage)
    for first, last, kind in _spans_of_several([token.tag for token in tokens]):
        span = (places[first][0], places[last - 1][1])
        add_mention(passage, [span], id=next(ids), annotator=None, type=kind or CHEMICAL)


def _places(tokens: list[_Token], reached: int) -> list[Span]:
    """The span of each token: that of the file where all tokens have one and they ascend, else one blank apart."""
    starts = [token.start for token in tokens if token.start is not None]
    # A passage may follow the one before it without a gap.
    if len(starts) == len(tokens) and starts[0] >= reached - 1:
        given = [(start, start + len(token.text)) for start, token in zip(starts, tokens, strict=True)]
        if all(this[1] <= after[0] for this, after in pairwise(given)):
            return given
    places: list[Span] = []
    for token in tokens:
        places.append((reached, reached + len(token.text)))
        reached += len(token.text) + 1
    return places


def _text(tokens: list[_Token], places: list[Span]) -> str:
    pieces: list[str] = []
    reached = places[0][0]
    for token, (start, end) in zip(tokens, places, strict=True):
        pieces += [" " * (start - reached), token.text]
        reached = end
    return "".join(pieces)


# -- writing ------------------------------------------------------------------------------------


def dumps(document: BioCDocument, report: Report) -> bytes:
    """A document as a line `-DOCSTART- (id)` and one sentence for each passage.

    Tokens are runs of letters, runs of digits and single other characters. A token is cut where a mention begins or
    ends, so that every mention consists of whole tokens. Reports everything else as left out: identifiers and other
    infons, relations, and mentions that overlap another.
    """
    if _BREAK.search(str(document.id)):
        raise ArticleError(f"the document id {document.id!r} contains a tab or line break; give it another id")
    losses = Losses()
    _count_losses(document, losses)
    lines = [f"{DOCUMENT_START} ({document.id})\t0\t0\tO\n", "\n"]
    for passage in document.passages:
        marks = marks_of(passage, losses)
        text, offset = passage_text(passage), passage.offset
        rows = [
            f"{text[start:end]}\t{offset + start}\t{offset + end}\t{tag}\n"
            for start, end, tag in tagged_tokens(text, marks)
        ]
        losses.add("empty passages", not rows)
        lines += [*rows, "\n"] if rows else []
    losses.report(report, "CoNLL")
    return encoded("".join(lines), document)


def _count_losses(document: BioCDocument, losses: Losses) -> None:
    losses.relations(document)
    losses.around(document)
    # The type is in the tag.
    losses.infons_of_mentions(document, stored={"type"})
    count_unplaced(document, losses)


def count_unplaced(document: BioCDocument, losses: Losses) -> None:
    """Count the annotations that belong to no token, and blanks that the tokens do not show."""
    for annotation, passage in every_annotation(document):
        losses.add("annotations without location", not annotation.locations)
        losses.add("annotations of the document", bool(annotation.locations) and passage is None)
    for passage in document.passages:
        blanks = len(_OTHER_BLANK.findall(passage_text(passage)))
        losses.add("blanks other than U+0020 (read as U+0020)", blanks)


def marks_of(passage: BioCPassage, losses: Losses) -> list[tuple[int, int, str]]:
    """(start, end, type) in the text of a passage, of each mention that tags can store; counts the others.

    A short or long form that overlaps another mention is left out, because it is often a chemical itself.
    """
    mentions = mentions_of(passage)
    text = passage_text(passage)
    marks: list[tuple[int, int, str]] = []
    placed = sorted(
        ((mention.type == ABBREVIATION, mention.spans, mention) for mention in mentions),
        key=lambda item: (item[0], item[1][0][0], -item[1][0][1]),
    )
    for _, spans, mention in placed:
        start, end = (place - passage.offset for place in spans[0])
        at = bisect(marks, (start,))
        overlaps = (at > 0 and start < marks[at - 1][1]) or (at < len(marks) and marks[at][0] < end)
        if len(spans) > 1 or overlaps:
            losses.add("mentions that overlap another, or have several pieces")
            continue
        if start < 0 or not _TOKEN.search(text, start, end) or mention.text not in ("", text[start:end]):
            losses.add("mentions whose text is not at their offsets")
            continue
        kind = "_".join(mention.type.split())
        losses.add("blanks in types (written as _)", kind != mention.type)
        marks.insert(at, (start, end, kind))
    return marks


def tagged_tokens(text: str, marks: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Start and end in the text, and tag, of each token."""
    tokens: list[tuple[int, int, str]] = []
    reached = 0
    for start, end, kind in marks:
        tokens += [(*match.span(), "O") for match in _TOKEN.finditer(text, reached, start)]
        first, further = (f"{prefix}-{kind}" if kind else prefix for prefix in "BI")
        within = [match.span() for match in _TOKEN.finditer(text, start, end)]
        tokens += [(*span, further if number else first) for number, span in enumerate(within)]
        reached = end
    tokens += [(*match.span(), "O") for match in _TOKEN.finditer(text, reached)]
    return tokens


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps)
