"""BioC JSON lines: one document a line, without header. `corpora.formats.biocjson` reads them."""

from __future__ import annotations

from corpora.formats.biocjson import dumps
from corpora.formats.format import Format, Joined
from corpora.formats.header import Header

__all__ = ["FORMAT", "SEPARATOR", "closing", "dumps", "opening"]

SEPARATOR = b"\n"


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
    writer=Joined(dumps, SEPARATOR, opening, closing),
)
