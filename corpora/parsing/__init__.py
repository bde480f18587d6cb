"""Safe, bounded parsers for XML and JSON from unknown sources, and the limits that they share.

Compressed content can expand a thousand times, and a parser needs up to a hundred times the memory of the bytes that
it reads: one element of 4 bytes is an object of several hundred bytes. A limit on bytes alone is therefore not enough.
"""

from __future__ import annotations

from corpora.errors import ArticleError

MAX_NODES = 2_000_000
"""Elements, attributes and references (XML), values (JSON) or cells (tables) of one article: 140,000 annotations."""

XML_MARKS = b"<=&"
JSON_MARKS = b"[{,"
TABLE_MARKS = b"\n\t"


def require_bounded(raw: bytes, marks: bytes) -> None:
    """Raise `ArticleError` if an article has more parts than `MAX_NODES`."""
    # Most articles have fewer bytes than that. The number of these characters is an upper bound for that of parts.
    if len(raw) > MAX_NODES and sum(raw.count(mark) for mark in marks) > MAX_NODES:
        raise ArticleError(f"it has more than {MAX_NODES:,} elements or values; split it, or remove it from the input")
