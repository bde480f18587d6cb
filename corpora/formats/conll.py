"""CoNLL: one token a line, its tag in the last column, a blank line after a sentence.

The corpora of BioNLP's benchmark collections (BC4CHEMD, BC5CDR-chem) come in this form, with tabs or blanks between
columns and IOB1, IOB2 or IOBES tags. Sentences between two `-DOCSTART-` lines are passages of one document;
without such lines each sentence is a document. The text is the tokens joined by blanks: what stood between them in the
article is lost. On writing, tokens are runs of letters, runs of digits and single other characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, add_mention, mentions, passage_text
from corpora.reporting import Report

__all__ = ["SEPARATOR", "SUFFIX", "closing", "dumps", "opening", "parse", "spans_of", "split"]

SUFFIX = ".conll"
SEPARATOR = b""
DOCUMENT_START = "-DOCSTART-"
ANNOTATOR = "gold"

_START = DOCUMENT_START.encode()
_TAG = re.compile(r"([BIESLU])-(\S+)|O|[BIESLU]")
_ID = re.compile(rf"{DOCUMENT_START}[ \t]*\((.*?)\)")
_TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")


# -- reading ------------------------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The lines of each document, or, where no `-DOCSTART-` opens the file, of each sentence."""
    lines: list[bytes] = []
    by_document: bool | None = None
    for line in stream:
        starts = line.startswith(_START)
        blank = not line.strip()
        if by_document is None and not blank:
            by_document = starts
        if lines and (starts or (blank and not by_document)):
            yield b"".join(lines)
            lines = []
        if starts or not blank or lines:
            lines.append(line)
    if any(line.strip() for line in lines):
        yield b"".join(lines)


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One document; its id is what stands behind `-DOCSTART-` (`-DOCSTART- (123)`), else empty.

    Mentions get the tag's type, `Chemical` where it has none. Raises `ArticleError`.
    """
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ArticleError(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from error
    document = BioCDocument()
    if lines[0].startswith(DOCUMENT_START):
        named = _ID.match(lines.pop(0))
        document.id = named[1] if named else ""
    tokens: list[str] = []
    tags: list[str] = []
    numbers = map("T{}".format, range(1, len(lines) + 2))
    for number, line in enumerate([*lines, ""], 1):
        columns = [column.strip() for column in (line.split("\t") if "\t" in line else line.split())]
        if not any(columns):
            _add_sentence(document, tokens, tags, numbers)
            tokens, tags = [], []
            continue
        if len(columns) < 2 or not columns[0] or not (columns[-1] == "O" or _TAG.fullmatch(columns[-1])):
            raise ArticleError(f"line {number} is {line[:60]!r}: a token and its tag (O, B-..., I-...) are expected")
        tokens.append(columns[0])
        tags.append(columns[-1])
    return document


def spans_of(tags: list[str]) -> list[tuple[int, int, str]]:
    """(first token, one past the last, type) of each mention in IOB1, IOB2, IOBES or BILOU tags.

    An `I-` that continues nothing, or another type, begins a mention of its own.
    """
    found: list[tuple[int, int, str]] = []
    open_type: str | None = None
    start = 0
    for position, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        goes_on = prefix in ("I", "E", "L") and open_type == kind
        if open_type is not None and not goes_on:
            found.append((start, position, open_type))
            open_type = None
        if prefix != "O" and not goes_on:
            open_type, start = kind, position
        if open_type is not None and prefix in ("E", "S", "L", "U"):
            found.append((start, position + 1, open_type))
            open_type = None
    return found


def _add_sentence(document: BioCDocument, tokens: list[str], tags: list[str], ids: Iterator[str]) -> None:
    if not tokens:
        return
    passage = BioCPassage()
    before = document.passages[-1] if document.passages else None
    passage.offset = before.offset + len(before.text) + 1 if before is not None else 0
    passage.text = " ".join(tokens)
    document.add_passage(passage)
    places: list[Span] = []
    reached = passage.offset
    for token in tokens:
        places.append((reached, reached + len(token)))
        reached += len(token) + 1
    for first, last, kind in spans_of(tags):
        span = (places[first][0], places[last - 1][1])
        add_mention(passage, [span], id=next(ids), annotator=ANNOTATOR, type=kind or CHEMICAL)


# -- writing ------------------------------------------------------------------------------------


def opening(header: Header) -> bytes:
    """Nothing: CoNLL has no header."""
    return b""


def closing(header: Header) -> bytes:
    """Nothing: every document ends with a blank line."""
    return b""


def dumps(document: BioCDocument, report: Report) -> bytes:
    """A document as `-DOCSTART- (id)` and one sentence a passage, in IOB2.

    A mention that overlaps one before it, or has several pieces, is left out, and told; so are concept ids. A
    token is cut where a mention begins or ends, so that every mention is whole.
    """
    losses = Losses()
    lines = [f"{DOCUMENT_START} ({document.id})\tO\n", "\n"]
    for passage in document.passages:
        marks = _marks(document, passage, losses)
        lines += [f"{token}\t{tag}\n" for token, tag in _tagged(passage_text(passage), marks)]
        lines.append("\n")
    losses.tell(report, "CoNLL")
    try:
        return "".join(lines).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArticleError(f"document {document.id!r} holds a lone surrogate; no UTF-8 file can, mend it") from error


def _marks(document: BioCDocument, passage: BioCPassage, losses: Losses) -> list[tuple[int, int, str]]:
    own = [mention for mention in mentions(document, None) if mention.passage is passage]
    found: list[tuple[int, int, str]] = []
    reached = 0
    for mention in sorted(own, key=lambda mention: (mention.spans[0][0], -mention.spans[0][1])):
        start, end = (place - passage.offset for place in mention.spans[0])
        if len(mention.spans) > 1 or start < reached:
            losses.add("mentions that overlap another or stand in several pieces")
            continue
        losses.add("concept ids", bool(mention.identifiers))
        found.append((start, end, mention.type))
        reached = end
    return found


def _tagged(text: str, marks: list[tuple[int, int, str]]) -> Iterator[tuple[str, str]]:
    reached = 0
    for start, end, kind in marks:
        yield from ((token, "O") for token in _TOKEN.findall(text[reached:start]))
        for number, token in enumerate(_TOKEN.findall(text[start:end])):
            yield token, f"{'I' if number else 'B'}-{kind}"
        reached = end
    yield from ((token, "O") for token in _TOKEN.findall(text[reached:]))
