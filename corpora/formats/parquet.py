"""Parquet: a table with one row for each annotation, for data frames and query engines. It is only written.

`_schema` defines the columns. `identifiers` is a list, empty where no concept was found and null where none
was looked up. Index terms have no place in the text: their `start`, `end` and `spans` are null. To read a table:

    pandas.read_parquet("mentions.parquet")

The package pyarrow (extra `[parquet]`) writes the file. It is imported when the first article is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.format import Table
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.model.document import MENTION_INFONS, Mention, every_annotation
from corpora.model.passages import section_type
from corpora.reporting import Report

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 16
"""Rows of one row group. It bounds the memory, and it is fixed so that the same rows give the same bytes."""


def _schema() -> pyarrow.Schema:
    import pyarrow as pa

    span = pa.struct([("start", pa.int64()), ("end", pa.int64())])
    return pa.schema(
        [
            ("document", pa.string()),
            ("passage", pa.int32()),
            ("section_type", pa.string()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("spans", pa.list_(span)),
            ("text", pa.string()),
            ("type", pa.string()),
            ("identifiers", pa.list_(pa.string())),
            ("score", pa.float64()),
            ("sieve", pa.string()),
            ("matched_name", pa.string()),
            ("annotator", pa.string()),
            ("probability", pa.float64()),
            ("identifier_probability", pa.float64()),
        ]
    )


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The rows of one article as JSON, which `write` turns into a table. Raises `ArticleError`.

    `passage` is the index of the passage from 0, null for annotations of the document. `start` and `end` count code
    points from the start of the document; for a mention with several pieces they are those of the first and the last
    one, and `spans` has them all.
    """
    losses = Losses()
    losses.relations(document)
    losses.infons_of_mentions(document, MENTION_INFONS)
    losses.report(report, "Parquet")
    positions = {id(passage): position for position, passage in enumerate(document.passages)}
    rows = [
        _row(document, annotation, passage, positions.get(id(passage)))
        for annotation, passage in every_annotation(document)
    ]
    try:
        return json.dumps(rows, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArticleError(
            f"an annotation of document {document.id!r} contains a lone surrogate, which UTF-8 cannot store; correct it"
        ) from error


def _row(
    document: BioCDocument, annotation: BioCAnnotation, passage: BioCPassage | None, position: int | None
) -> dict[str, Any]:
    # `Mention` needs a passage, but none of the properties used here reads it.
    mention = Mention(annotation, passage or BioCPassage())
    evidence = mention.evidence
    spans = mention.spans
    return {
        "document": str(document.id),
        "passage": position,
        "section_type": section_type(passage) if passage else None,
        "start": min(start for start, _ in spans) if spans else None,
        "end": max(end for _, end in spans) if spans else None,
        "spans": [{"start": start, "end": end} for start, end in spans] or None,
        "text": mention.text,
        "type": mention.type,
        "identifiers": list(mention.identifiers) if mention.sought else None,
        "score": evidence.score,
        "sieve": _text(evidence.sieve),
        "matched_name": _text(evidence.matched_name),
        "annotator": _text(mention.annotator),
        "probability": evidence.probability,
        "identifier_probability": evidence.identifier_probability,
    }


def _text(value: object) -> str | None:
    # JSON files may contain numbers where text is expected.
    return None if value is None else str(value)


def write(articles: Iterable[bytes], header: Header, stream: BinaryIO) -> None:
    """Write the rows of all articles as one table; the header of the collection is lost."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = _schema()
    with parquet.ParquetWriter(stream, schema) as writer:
        for rows in _groups(articles):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _groups(articles: Iterable[bytes]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for article in articles:
        rows += json.loads(article)
        while len(rows) >= ROWS:
            yield rows[:ROWS]
            rows = rows[ROWS:]
    if rows:
        yield rows


WRITER = Table(dumps, write)
