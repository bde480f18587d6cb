"""CoNLL: one token a line, its tag in the last column, a blank line after each sentence.

The corpora of BioNLP's benchmark collections (BC4CHEMD, BC5CDR-chem) have this form, with tabs or blanks between
columns and IOB1, IOB2 or IOBES tags. Sentences between two `-DOCSTART-` lines are passages of one document. Without
such lines, each sentence is a document. The text consists of the tokens, joined by blanks. Lines that begin with `#`
and have no tag are comments.

Files written here have four columns: token, start, end, tag (IOB2). Start and end count code points from the start of
the document. They are used when such a file is read, so that all spans come back as they were.
"""

from __future__ import annotations

import json
import re
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, count
from operator import add, eq, le, sub
from typing import Any, BinaryIO, NamedTuple

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError, shortened
from corpora.formats.format import Header, Joined, Reader
from corpora.formats.losses import Losses, encoded
from corpora.formats.streams import blocks_of
from corpora.formats.text import decoded
from corpora.model.chemical import CHEMICAL
from corpora.model.document import ABBREVIATION, add_mention, mentions, mentions_of
from corpora.model.passages import passage_text, section_type
from corpora.reporting import Report
from corpora.words.quantities import quantity

DOCUMENT_START = "-DOCSTART-"
TAG = re.compile(r"[BIESLUMW]-\S+|O(?:-\S+)?|[BIESLU]")
"""AIONER also has `O-TYPE`, for a token outside of all mentions of the type; BMEWO has M inside, W for one token."""
COMMENT = b"\x1f\n"
"""In the lines of an article, the place of a comment that was left out: the lines after it keep their numbers."""

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
_BLANKS = re.compile("[ \t]+")
_NUMBER = re.compile(rb"^[ \t]*\d+[ \t]+", re.MULTILINE)
_HASHED = re.compile(rb"^#[^\n]*\n?", re.MULTILINE)
_NAMED = re.compile(rb"#+ *(?:newdoc +id|doc_?id|document_?id) *[=:] *([^\r\n]*[^\s])", re.I)
_LOOKED_AT = 1000
"""Lines of a file that show which columns it has."""
_FEW = 3
"""Lines without tabs, and columns."""
_SHARE = 0.75
"""Of the lines of a file, those that must have a tag: a bad line is reported with its number."""
_ID = re.compile(rf"{DOCUMENT_START}[ \t]*\((.*)\)")
_BREAK = re.compile(r"[\t\r\n]")
# U+FEFF is a byte order mark at the start of a line, and a blank elsewhere.
_OTHER_BLANK = re.compile("[^\\S ]|\ufeff")
_TOKEN = re.compile("[^\\W\\d_]+|\\d+|[^\\s\ufeff]")
_TOKEN_AND_GAP = re.compile(f"({_TOKEN.pattern})")


# -- lines --------------------------------------------------------------------------------------


def columns_of(line: str) -> list[str]:
    """The columns of a line, which are separated by tabs or else by blanks.

    Other characters that count as blanks are part of a token, such as the no-break space of `10 mM`.
    """
    line = line.rstrip("\r\n\t ")
    return [column.strip(" ") for column in (line.split("\t") if "\t" in line else _BLANKS.split(line.lstrip(" ")))]


def is_row(columns: list[str]) -> bool:
    """Whether the columns of a line are a token and its tag."""
    return len(columns) > 1 and bool(columns[0]) and TAG.fullmatch(columns[-1]) is not None


def without_comments(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file (`streams.blocks_of`) with `COMMENT` in place of each comment.

    `# doc_id = 7` and `# newdoc id = 7` begin a document: they become lines `-DOCSTART- (7)`. A comment begins with
    `#`. So does a token such as `#`, which has a tag and as many columns as the other tokens.
    """
    before, blocks = _begun(blocks)
    first = next((line for line in before if line.strip() and not line.startswith((b"#", _START))), None)
    # 0: the number of columns is not known.
    width, has_tabs = (0, False) if first is None else (len(_columns(first)), b"\t" in first)

    def replaced(match: re.Match[bytes]) -> bytes:
        line = match.group()
        columns = _columns(line)
        if is_row(columns) and (not width or (len(columns) == width and (b"\t" in line) == has_tabs)):
            return line
        named = _NAMED.match(line)
        return _START + b" (%s)\n" % named[1] if named else COMMENT

    return (_HASHED.sub(replaced, block) if b"#" in block else block for block in blocks)


def without_numbers(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file, without the first column where it numbers the tokens of each sentence, as in CoNLL-U.

    The tokens are numbered from 0 or 1, and the next two columns are no offsets.
    """
    before, blocks = _begun(blocks)
    numbers: list[list[str]] = [[]]
    for line in before:
        if not line.strip() or line == COMMENT or line.startswith(_START):
            numbers.append([])
            continue
        columns = _columns(line)
        if len(columns) < _FEW or (columns[1].isdigit() and columns[2].isdigit()):
            return iter(blocks)
        numbers[-1].append(columns[0])
    is_long = any(len(sentence) > 1 for sentence in numbers)
    are_numbers = any(
        all(sentence == [*map(str, range(first, first + len(sentence)))] for sentence in numbers) for first in (0, 1)
    )
    return (_NUMBER.sub(b"", block) for block in blocks) if is_long and are_numbers else iter(blocks)


def _begun(blocks: Iterable[bytes]) -> tuple[list[bytes], Iterator[bytes]]:
    """The first lines, and all blocks."""
    remaining = iter(blocks)
    before: list[bytes] = []
    number = 0
    while number < _LOOKED_AT and (block := next(remaining, b"")):
        before.append(block)
        number += block.count(b"\n")
    return b"".join(before).splitlines(keepends=True)[:_LOOKED_AT], chain(before, remaining)


def sniff(head: bytes) -> bool:
    """Whether a file begins with `-DOCSTART-`, or its lines have tags in their last columns.

    A line that has none is reported when the file is read, if most of the others have one. Tags without a type are not
    enough in a file with other tags, or in a few lines without tabs, and neither is a single line without tabs.
    """
    if head.startswith(_START):
        return True
    lines = head.split(b"\n")
    # The last line of a head may be incomplete.
    complete = [line for line in lines[: max(1, len(lines) - 1)] if line.strip()]
    rows = [columns for line in complete if is_row(columns := _columns(line))]
    others = sum(not line.startswith(b"#") for line in complete) - sum(row[0][:1] != "#" for row in rows)
    if not rows or len(rows) < _SHARE * (len(rows) + others):
        return False
    has_types = any("-" in row[-1] for row in rows)
    if any(b"\t" in line for line in complete):
        return has_types or (not others and any(row[-1] == "O" for row in rows))
    # Sentences can end in words such as B-cell, but not all in tags, with the same number of words.
    same_width = len(set(map(len, rows))) == 1
    tags = {row[-1] for row in rows}
    bare = not others and len(rows) > _FEW and len(rows[0]) == 2 and "B" in tags
    return (has_types or bare) and len(rows) > 1 and same_width and "O" in tags


def _columns(line: bytes) -> list[str]:
    return columns_of(line.decode("utf-8", "surrogateescape"))


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
    text = decoded(raw[numbered.end() if numbered else 0 :])
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
        fitting = _fitting(texts, map(int, columns[1::4]), map(int, columns[2::4]))
        return _Sentence(first, texts, columns[3::4], fitting)
    rows: dict[int, list[str]] = {}
    for number, line in enumerate(lines.split("\n"), first):
        if line.startswith(DOCUMENT_START):
            named = _ID.match(line)
            document.id = named[1] if named else ""
        elif line.strip(" \t\r") and line != _COMMENT_LINE:
            rows[number] = columns_of(line)
            if not is_row(rows[number]):
                raise ArticleError(
                    f"line {number} is {line[:60]!r}: a token and its tag (O, B-..., I-...) are expected; correct the "
                    "line"
                )
    if not rows:
        return None
    number, columns = next(iter(rows.items()))
    starts: list[int] = []
    for row in rows.values():
        has_offsets = len(row) == 4 and all(map(_OFFSET.fullmatch, row[1:3]))
        starts += _fitting(row[:1], [int(row[1])], [int(row[2])]) if has_offsets else [_NONE]
    texts, tags = [row[0] for row in rows.values()], [row[-1] for row in rows.values()]
    return _Sentence(number, texts, tags, starts, len(columns) if starts[0] == _NONE else 0)


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
    # The offsets of the file, where all tokens have one and they ascend; else the tokens are one blank apart. A passage
    # may follow the one before it without a gap.
    starts = given = sentence.starts
    ends = map(add, given, map(len, texts))
    if given[0] < reached - 1 or min(given) < 0 or not all(map(le, ends, given[1:])):
        starts = list(accumulate((len(text) + 1 for text in texts[:-1]), initial=reached))
    if starts != given and any(one not in (start, _NONE) for one, start in zip(given, starts, strict=True)):
        report(
            f"line {sentence.line}: the offsets in its sentence do not fit the tokens, so they were not used: "
            "the tokens were joined by blanks"
        )
    # The tokens, with blanks in the gaps between them.
    pieces = [""] * (2 * len(texts) - 1)
    pieces[::2] = texts
    pieces[1::2] = map(" ".__mul__, map(sub, starts[1:], map(add, starts, map(len, texts))))
    passage = BioCPassage.of_text("".join(pieces), starts[0])
    document.add_passage(passage)
    for first, last, kind in _spans_of_several(sentence.tags):
        span = (starts[first], starts[last - 1] + len(texts[last - 1]))
        add_mention(passage, [span], id=next(ids), annotator=None, type=kind or CHEMICAL)


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
    # The type is in the tag.
    losses.beside_mentions(document, (), {"type"})
    lines = [f"{DOCUMENT_START} ({document.id})\t0\t0\tO\n", "\n"]
    for passage in document.passages:
        text = passage_text(passage)
        count_blanks(text, losses)
        texts, starts, tags = tagged_tokens(text, passage.offset, marks_of(passage, losses))
        ends = map(add, starts, map(len, texts))
        rows = zip(texts, starts, ends, tags, strict=True)
        losses.add("empty passages", not texts)
        lines += ["%s\t%d\t%d\t%s\n" * len(texts) % tuple(chain.from_iterable(rows)), "\n"] if texts else []
    losses.report(report, "CoNLL")
    return encoded("".join(lines), document)


def count_blanks(text: str, losses: Losses) -> None:
    """Count the blanks that the tokens do not show."""
    losses.add("blanks other than U+0020 (read as U+0020)", len(_OTHER_BLANK.findall(text)))


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


# -- Hugging Face datasets ----------------------------------------------------------------------

# JSON lines in the layout of token classification, one passage a line: load_dataset("json", data_files=...).
# Training scripts read `tokens` and `ner_tags` (IOB2). `offsets` has start and end of each token, and `entities` all
# mentions with their identifiers; both count code points from the start of the document.


def dumps_hf(document: BioCDocument, report: Report) -> bytes:
    """One JSON object a line, for each passage with text. Raises `ArticleError`. Reports what is left out."""
    losses = Losses()
    losses.beside_mentions(document, {"section_type"}, {"type", "identifier"})
    entities: dict[int, list[dict[str, Any]]] = {}
    for mention in mentions(document, None):
        identifiers = mention.identifiers
        losses.add("marks of mentions without a concept (-)", mention.sought and not identifiers)
        entity = {
            "id": str(mention.annotation.id or ""),
            "text": mention.text,
            "type": mention.type,
            "spans": [{"start": start, "end": end} for start, end in mention.spans],
            "identifiers": list(identifiers),
        }
        entities.setdefault(id(mention.passage), []).append(entity)
    lines: list[str] = []
    for number, passage in enumerate(document.passages):
        text = passage_text(passage)
        count_blanks(text, losses)
        if not text.strip():
            continue
        section = section_type(passage) or ""
        # All rows have the same keys and types, as tables need them.
        head = {"id": f"{document.id}-{number}", "document": str(document.id), "passage": number, "section": section}
        only_tags = Losses()
        texts, starts, tags = tagged_tokens(text, passage.offset, marks_of(passage, only_tags))
        # These are in `entities`, and only the tags lack them.
        losses.add("tags of mentions that overlap another, or have several pieces", sum(only_tags.counts.values()))
        # The values for each token take most of the time.
        ends = map(add, starts, map(len, texts))
        offsets = "[%d, %d], " * len(starts) % tuple(chain.from_iterable(zip(starts, ends, strict=True)))
        tokens = f'"tokens": {_json(texts)}, "ner_tags": {_json(tags)}, "offsets": [{offsets[:-2]}]'
        lines.append(f'{_json(head)[:-1]}, {tokens}, "entities": {_json(entities.get(id(passage), []))}}}\n')
    losses.add("empty passages", len(document.passages) - len(lines))
    losses.add("articles without text", not lines)
    losses.report(report, "the layout of Hugging Face datasets")
    return encoded("".join(lines), document)


_json = json.JSONEncoder(ensure_ascii=False).encode

READER = Reader(split, parse, sniff)
WRITER = Joined(dumps)
HF_WRITER = Joined(dumps_hf)
