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
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, count
from operator import add, eq, le, sub
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
from corpora.formats.line_ends import blocks_of
from corpora.formats.losses import Losses
from corpora.formats.utf8 import encoded
from corpora.model.chemical import CHEMICAL
from corpora.model.document import ABBREVIATION, add_mention, every_annotation, mentions_of
from corpora.model.passages import passage_text
from corpora.reporting import Report
from corpora.words.quantities import quantity

_START = DOCUMENT_START.encode()
_FIRST_LINE = b"\x1f%d\n"
_NUMBERED = re.compile(rb"\x1f(\d{1,15})\n")
_OFFSET = re.compile(r"\d{1,15}")
_OWN_ROWS = re.compile(rf"(?:\S+\t{_OFFSET.pattern}\t{_OFFSET.pattern}\t(?:{TAG.pattern})\n)++")
"""Lines as they are written here; other lines are read column by column, with the same result."""
_BORDER = re.compile(rb"\n(?=%s|[ \t\r\v\f]*\n)" % _START)
_BLANK_LINE = re.compile(r"\n[ \t\r]*(?=\n)")
_COMMENTS = re.compile(b"^" + COMMENT, re.MULTILINE)
_COMMENT_LINE = COMMENT.decode().rstrip("\n")
_ID = re.compile(rf"{DOCUMENT_START}[ \t]*\((.*)\)")
_BREAK = re.compile(r"[\t\r\n]")
# U+FEFF is a byte order mark at the start of a line, and a blank elsewhere.
_OTHER_BLANK = re.compile("[^\\S ]|\ufeff")
_TOKEN = re.compile("[^\\W\\d_]+|\\d+|[^\\s\ufeff]")
_TOKEN_AND_GAP = re.compile(f"({_TOKEN.pattern})")


# -- reading ------------------------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The lines of each document, or of each sentence where the file does not begin with `-DOCSTART-`.

    The number of the first line is in front of them, for messages. Reports the number of comments, which are left out.
    """
    pieces: list[bytes] = []
    number = first = 1
    comments, has_tokens = 0, False
    by_document: bool | None = None
    for piece in _pieces(without_numbers(without_comments(blocks_of(stream)))):
        starts = piece.startswith(_START)
        blank = not piece.strip()
        of_comments = _COMMENTS.findall(piece) if COMMENT in piece else ()
        is_comment = len(of_comments) * len(COMMENT) == len(piece)
        comments += len(of_comments)
        if by_document is None and not blank and not is_comment:
            by_document = starts
        if (starts or (blank and not by_document)) and has_tokens:
            yield _FIRST_LINE % first + b"".join(pieces)
            pieces, has_tokens = [], False
        if not pieces:
            first = number
        if starts or not blank or pieces:
            pieces.append(piece)
            has_tokens |= not (blank or is_comment)
        number += piece.count(b"\n")
    if has_tokens:
        yield _FIRST_LINE % first + b"".join(pieces)
    if comments:
        report(f"left out: {quantity(comments, 'line')} of comments, which begin with #")


def _pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Each line that is blank or begins a document, and the lines between them, many in one piece."""
    for block in blocks:
        at = 0
        for border in _BORDER.finditer(b"\n" + block):
            start = border.start()
            end = block.find(b"\n", start) + 1 or len(block)
            yield from filter(None, (block[at:start], block[start:end]))
            at = end
        if at < len(block):
            yield block[at:]


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One document. Its id is the text in parentheses after `-DOCSTART-`, as in `-DOCSTART- (123)`, else empty.

    Mentions have the type of the tag, or `Chemical` where the tag has none. Raises `ArticleError`.
    """
    numbered = _NUMBERED.match(raw)
    number = int(numbered[1]) if numbered else 1
    try:
        text = raw[numbered.end() if numbered else 0 :].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArticleError(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from error
    document = BioCDocument()
    ids = map("T{}".format, count(1))
    for lines in _BLANK_LINE.split(f"\n{text}\n"):
        sentence = _sentence(lines.strip("\n"), number, document)
        if sentence is not None:
            _add_sentence(document, sentence, ids, report)
        number += lines.count("\n") + 1
    return document


class _Sentence(NamedTuple):
    """The columns of the tokens of a sentence."""

    line: int
    """The number of the first of them."""
    texts: list[str]
    tags: list[str]
    starts: list[int]
    """`_NONE`: the line has no offsets; `_UNFIT`: they do not fit the token."""
    width: int = 0
    """The number of columns of the first line, if it has no offsets."""


_NONE, _UNFIT = -1, -2


def _sentence(lines: str, first: int, document: BioCDocument) -> _Sentence | None:
    """The tokens of lines without a blank one; `document` gets the id that they state. None: there are no tokens."""
    if _OWN_ROWS.fullmatch(lines + "\n") and DOCUMENT_START not in lines:
        columns = lines.replace("\n", "\t").split("\t")
        texts = columns[::4]
        starts = _fitting(texts, map(int, columns[1::4]), map(int, columns[2::4]))
        return _Sentence(first, texts, columns[3::4], starts)
    rows: dict[int, list[str]] = {}
    for number, line in enumerate(lines.split("\n"), first):
        if line.startswith(DOCUMENT_START):
            named = _ID.match(line)
            document.id = named[1] if named else ""
        elif line.strip(" \t\r") and line != _COMMENT_LINE:
            rows[number] = _row(line, number)
    if not rows:
        return None
    number, columns = next(iter(rows.items()))
    starts = [start for row in rows.values() for start in _start(row)]
    texts, tags = [row[0] for row in rows.values()], [row[-1] for row in rows.values()]
    return _Sentence(number, texts, tags, starts, len(columns) if starts[0] == _NONE else 0)


def _row(line: str, number: int) -> list[str]:
    columns = columns_of(line)
    if not is_row(columns):
        where = f"line {number} is {line[:60]!r}"
        raise ArticleError(f"{where}: a token and its tag (O, B-..., I-...) are expected; correct the line")
    return columns


def _start(columns: list[str]) -> list[int]:
    if len(columns) == 4 and all(_OFFSET.fullmatch(column) for column in columns[1:3]):
        return _fitting([columns[0]], [int(columns[1])], [int(columns[2])])
    return [_NONE]


def _fitting(texts: list[str], starts: Iterable[int], ends: Iterable[int]) -> list[int]:
    starts = list(starts)
    fits = map(eq, ends, map(add, starts, map(len, texts)))
    return [start if fit else _UNFIT for start, fit in zip(starts, fits, strict=True)]


def spans_of(tags: list[str]) -> list[tuple[int, int, str]]:
    """(first token, one past the last, type) of each mention in IOB1, IOB2, IOBES, BILOU or BMEWO tags.

    An `I-` tag with nothing before it, or after another type, begins a mention.
    """
    spans: list[tuple[int, int, str]] = []
    open_type: str | None = None
    start = reached = 0
    for position, tag in [(position, tag) for position, tag in enumerate(tags) if tag[0] != "O"]:
        prefix, _, kind = tag.partition("-")
        goes_on = position == reached and prefix in ("I", "E", "L", "M") and open_type == kind
        if not goes_on:
            if open_type is not None:
                spans.append((start, reached, open_type))
            open_type, start = kind, position
        reached = position + 1
        if prefix in ("E", "S", "L", "U", "W"):
            spans.append((start, reached, kind))
            open_type = None
    if open_type is not None:
        spans.append((start, reached, open_type))
    return spans


def _spans_of_several(tags: list[str]) -> list[tuple[int, int, str]]:
    """The mentions of tags that can be several, as in `B-Chemical|B-Drug`: those of each type, in order."""
    different = {part for tag in set(tags) for part in tag.split("|")}
    if different.issuperset(tags) or not all(map(TAG.fullmatch, different)):
        return spans_of(tags)
    split_tags = [tag.split("|") for tag in tags]
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


def _add_sentence(document: BioCDocument, sentence: _Sentence, ids: Iterator[str], report: Report) -> None:
    texts = sentence.texts
    if len(texts) > 2 and sentence.width > 2 and texts[0].isalnum() and len(set(texts)) == 1:
        raise ArticleError(
            f"line {sentence.line}: the first column has {shortened(texts[0], 60)!r} in all lines of a "
            "sentence; put the column of the tokens first"
        )
    before = document.passages[-1] if document.passages else None
    reached = before.offset + len(before.text) + 1 if before is not None else 0
    starts = _places(sentence, reached)
    if starts != sentence.starts and any(
        given not in (start, _NONE) for given, start in zip(sentence.starts, starts, strict=True)
    ):
        report(
            f"line {sentence.line}: the offsets in its sentence do not fit the tokens, so they were not used: "
            "the tokens were joined by blanks"
        )
    passage = BioCPassage()
    passage.offset = starts[0]
    passage.text = _text(texts, starts)
    document.add_passage(passage)
    for first, last, kind in _spans_of_several(sentence.tags):
        span = (starts[first], starts[last - 1] + len(texts[last - 1]))
        add_mention(passage, [span], id=next(ids), annotator=None, type=kind or CHEMICAL)


def _places(sentence: _Sentence, reached: int) -> list[int]:
    """The start of each token: that of the file where all tokens have one and they ascend, else one blank apart."""
    texts = sentence.texts
    given = sentence.starts
    # A passage may follow the one before it without a gap.
    if given[0] >= reached - 1 and min(given) >= 0 and all(map(le, map(add, given, map(len, texts)), given[1:])):
        return given
    return list(accumulate((len(text) + 1 for text in texts[:-1]), initial=reached))


def _text(texts: list[str], starts: list[int]) -> str:
    ends = map(add, starts, map(len, texts))
    pieces = [""] * (2 * len(texts) - 1)
    pieces[::2] = texts
    pieces[1::2] = map(" ".__mul__, map(sub, starts[1:], ends))
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
        texts, starts, tags = tagged_tokens(passage_text(passage), passage.offset, marks)
        ends = map(add, starts, map(len, texts))
        rows = zip(texts, starts, ends, tags, strict=True)
        losses.add("empty passages", not texts)
        lines += ["%s\t%d\t%d\t%s\n" * len(texts) % tuple(chain.from_iterable(rows)), "\n"] if texts else []
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
    losses.add("annotations without location", sum(not one.locations for one, _ in every_annotation(document)))
    losses.add("annotations of the document", sum(bool(one.locations) for one in document.annotations))
    for passage in document.passages:
        blanks = len(_OTHER_BLANK.findall(passage_text(passage)))
        losses.add("blanks other than U+0020 (read as U+0020)", blanks)


def marks_of(passage: BioCPassage, losses: Losses) -> list[tuple[int, int, str]]:
    """(start, end, type) in the text of a passage, of each mention that tags can store; counts the others.

    A short or long form that overlaps another mention is left out, because it is often a chemical itself.
    """
    text, offset = passage_text(passage), passage.offset
    marks: list[tuple[int, int, str]] = []
    placed: list[tuple[bool, int, int, int, int, str, str]] = []
    for number, mention in enumerate(mentions_of(passage)):
        spans, kind = mention.spans, mention.type
        start, end = spans[0]
        placed.append((kind == ABBREVIATION, start - offset, offset - end, number, len(spans), kind, mention.text))
    for _, start, before, _, spans_of_it, type, own in sorted(placed):
        end = -before
        at = bisect(marks, (start,))
        overlaps = (at > 0 and start < marks[at - 1][1]) or (at < len(marks) and marks[at][0] < end)
        if spans_of_it > 1 or overlaps:
            losses.add("mentions that overlap another, or have several pieces")
            continue
        if start < 0 or not _TOKEN.search(text, start, end) or own not in ("", text[start:end]):
            losses.add("mentions whose text is not at their offsets")
            continue
        kind = "_".join(type.split())
        losses.add("blanks in types (written as _)", kind != type)
        marks.insert(at, (start, end, kind))
    return marks


def tagged_tokens(text: str, offset: int, marks: list[tuple[int, int, str]]) -> tuple[list[str], list[int], list[str]]:
    """The text of each token, where it starts (plus `offset`), and its tag. `marks`: of `marks_of`.

    A token is cut where a mark begins or ends.
    """
    pieces = _TOKEN_AND_GAP.split(text)
    starts = list(accumulate(map(len, pieces[:-1]), initial=0))[1::2]
    texts = pieces[1::2]
    for place in dict.fromkeys(chain.from_iterable((start, end) for start, end, _ in marks)):
        at = bisect(starts, place) - 1
        if at >= 0 and starts[at] < place < starts[at] + len(texts[at]):
            cut = place - starts[at]
            texts[at : at + 1] = texts[at][:cut], texts[at][cut:]
            starts.insert(at + 1, place)
    tags = ["O"] * len(texts)
    for start, end, kind in marks:
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        begin, further = (f"{prefix}-{kind}" if kind else prefix for prefix in "BI")
        tags[first:last] = [begin, *[further] * (last - first - 1)]
    return texts, list(map(offset.__add__, starts)), tags


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps)
