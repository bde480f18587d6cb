"""BioC JSON lines: one document a line. Reading is `corpora.formats.biocjson`'s; a file of lines has no header."""

from __future__ import annotations

from corpora.formats.biocjson import dumps, parse, split
from corpora.formats.header import Header

__all__ = ["SEPARATOR", "SUFFIX", "closing", "dumps", "opening", "parse", "split"]

SUFFIX = ".jsonl"
SEPARATOR = b"\n"


def opening(header: Header) -> bytes:
    """Nothing: JSON lines have no header, so the collection's own is lost (see docs/formats.md)."""
    return b""


def closing(header: Header) -> bytes:
    """The last newline."""
    return b"\n"
