"""Plain text: one article in a file. Paragraphs, separated by blank lines, are passages.

Offsets count code points from the start of the file, so that they fit other annotations of the same file. Line breaks
inside a paragraph become blanks. No content is typical of plain text: the suffix `.txt` selects the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.format import Format, Joined, Reader
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.formats.utf8 import encoded
from corpora.model.document import every_annotation
from corpora.model.passages import passage_text
from corpora.reporting import Report

__all__ = ["FORMAT", "decoded", "dumps", "parse", "split"]

_BREAK = re.compile(r"[\r\n\u2028\u2029\x0b\x0c]")
_PARAGRAPH = re.compile(r"\S.*?(?=\s*(?:\n[ \t\r]*\n|\Z))", re.DOTALL)


def _sniff(head: bytes) -> bool:
    return False


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The whole file."""
    pieces = []
    while chunk := stream.read(1 << 16):
        pieces.append(chunk)
    yield b"".join(pieces)


def decoded(raw: bytes) -> str:
    """The text of a file in UTF-8, without byte order mark. Raises `ArticleError`."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArticleError(f"byte {error.start} is not UTF-8; convert the file to UTF-8") from error


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article without id. Raises `ArticleError` for text that is not UTF-8."""
    document = BioCDocument()
    for found in _PARAGRAPH.finditer(decoded(raw)):
        passage = BioCPassage()
        passage.offset = found.start()
        passage.text = _BREAK.sub(" ", found[0])
        document.add_passage(passage)
    return document


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The texts of the passages, a blank line between them. Reports everything else as left out."""
    losses = Losses()
    annotations = sum(1 for _ in every_annotation(document))
    holders = [document, *document.passages, *(s for passage in document.passages for s in passage.sentences)]
    losses.add("annotations", annotations)
    losses.add("relations", sum(len(holder.relations) for holder in holders))
    losses.add("infons of documents and passages", sum(len(holder.infons) for holder in holders))
    texts = list(map(passage_text, document.passages))
    losses.add("empty passages", sum(not text.strip() for text in texts))
    losses.report(report, "text")
    return encoded("\n\n".join(text for text in texts if text.strip()) + "\n", document)


FORMAT = Format(
    name="text",
    title="plain text",
    suffixes=(".txt",),
    losses=("header of the collection", "document ids", "all annotations", "sections and other infons", "relations"),
    reader=Reader(_sniff, split, parse),
    writer=Joined(dumps, separator=b"\n"),
)
