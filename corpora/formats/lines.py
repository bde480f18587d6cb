"""Plain text with one article in each line. It is only read, where the user selects it (`--lines`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.format import Format, Reader
from corpora.formats.header import Header
from corpora.formats.text import decoded
from corpora.model.metadata import set_line_number
from corpora.reporting import Report

__all__ = ["FORMAT", "parse", "split"]


def _sniff(head: bytes) -> bool:
    return False


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """Each line that is not blank, after its number and a line break. The number makes the id of the article."""
    for number, line in enumerate(stream, 1):
        if line.strip():
            yield b"%d\n" % number + line.rstrip(b"\r\n")


def parse(raw: bytes, report: Report) -> BioCDocument:
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


FORMAT = Format(
    name="lines", title="text with one article a line", suffixes=(".txt",), reader=Reader(_sniff, split, parse)
)
