"""BioC JSON lines: one document a line, without header. The reader is that of `corpora.formats.biocjson`."""

from __future__ import annotations

from corpora.formats.biocjson import dumps, parse, split
from corpora.formats.format import Format, Joined, Reader
from corpora.formats.header import Header

__all__ = ["FORMAT", "SEPARATOR", "closing", "dumps", "opening", "sniff"]

SEPARATOR = b"\n"


def sniff(head: bytes) -> bool:
    """Never: the content of JSON lines is detected as BioC JSON, which has the same reader."""
    return False


def opening(header: Header) -> bytes:
    """Nothing: the header of the collection is lost."""
    return b""


def closing(header: Header) -> bytes:
    """The last line feed."""
    return b"\n"


FORMAT = Format(
    name="jsonl",
    title="JSON lines",
    suffixes=(".jsonl", ".ndjson"),
    losses=("header of the collection",),
    reader=Reader(sniff, split, parse),
    writer=Joined(dumps, SEPARATOR, opening, closing),
)
