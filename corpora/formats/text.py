"""Plain text: one article in a file, or one in each line where the user states it (`lines`).

Paragraphs of a file are passages. Blank lines separate them; in a text that is not wrapped, each line is one: a line
there is longer than `LONGEST_WRAPPED`. Offsets count code points from the start of the file, so that they fit other
annotations of the same file. Line breaks inside a paragraph become blanks. No content is typical of plain text: the
suffix `.txt` selects the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.format import Header, Joined, Reader
from corpora.formats.losses import Losses, encoded
from corpora.formats.other_files import refuse_other_than_prose
from corpora.formats.streams import lines_of, whole
from corpora.model.document import every_annotation
from corpora.model.metadata import set_line_number
from corpora.model.passages import passage_text
from corpora.reporting import Report

_LONE_RETURN = re.compile(r"\r(?!\n)")
_BREAK = re.compile(r"[\r\n\u2028\u2029\x0b\x0c]")
# A byte order mark before a paragraph is from a file that was joined to another one.
_PARAGRAPH = re.compile(r"[^\s\ufeff].*?(?=\s*(?:\n[ \t\r]*\n|\Z))", re.DOTALL)
_LINE = re.compile(r"[^\s\ufeff][^\n]*?(?=\s*(?:\n|\Z))")
LONGEST_WRAPPED = 200
"""Characters. Programs that wrap lines make shorter ones."""


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The whole file."""
    yield whole(stream)


def decoded(raw: bytes) -> str:
    """The text of a file in UTF-8, without byte order mark. Raises `ArticleError`."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArticleError(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from error


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article without id. Raises `ArticleError` for text that is not UTF-8."""
    document = BioCDocument()
    add_paragraphs(document, decoded(raw))
    return document


def add_paragraphs(document: BioCDocument, text: str, offset: int = 0) -> None:
    """Add the paragraphs of a text as passages. `offset`: where the text begins in the document."""
    # Characters are replaced one by one, so that offsets stay right.
    text = _LONE_RETURN.sub("\n", text).replace("\n\ufeff", "\n ")
    is_wrapped = all(len(line) <= LONGEST_WRAPPED for line in text.split("\n"))
    for match in (_PARAGRAPH if is_wrapped else _LINE).finditer(text):
        passage = BioCPassage()
        passage.offset = offset + match.start()
        passage.text = _BREAK.sub(" ", match[0])
        document.add_passage(passage)


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The texts of the passages, a blank line between them. Reports everything else as left out."""
    losses = Losses()
    annotations = sum(1 for _ in every_annotation(document))
    losses.add("ids of articles")
    losses.add("annotations", annotations)
    losses.relations(document)
    losses.around(document)
    texts = list(map(passage_text, document.passages))
    losses.add("empty passages", sum(not text.strip() for text in texts))
    losses.add("line breaks in passages (read as blanks)", sum(len(_BREAK.findall(text.strip())) for text in texts))
    losses.add("articles without text", not any(text.strip() for text in texts))
    losses.report(report, "text")
    return encoded("\n\n".join(text for text in texts if text.strip()) + "\n", document)


READER = Reader(split, parse, is_other=refuse_other_than_prose)
WRITER = Joined(dumps, separator=b"\n")


def split_lines(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """Each line that is not blank, after its number and a line break. The number makes the id of the article."""
    for number, line in enumerate(lines_of(stream), 1):
        if line.strip():
            yield b"%d\n" % number + line.rstrip(b"\r\n")


def parse_line(raw: bytes, report: Report) -> BioCDocument:
    """One article without id, with the number of its line. Raises `ArticleError` for text that is not UTF-8."""
    number, _, line = raw.partition(b"\n")
    if not number.isdigit():
        raise ArticleError("the first line must be the number of the article's line; correct it")
    document = BioCDocument()
    set_line_number(document, int(number))
    passage = BioCPassage()
    passage.offset = 0
    passage.text = decoded(line).rstrip("\r\n").replace("\r", " ").replace("\n", " ")
    document.add_passage(passage)
    return document


LINES_READER = Reader(split_lines, parse_line)
