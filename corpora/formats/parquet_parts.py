"""Numbered parts as Parquet: a table of mentions, one of index terms and one of articles, each in a folder of its own.

All parts of a table have one schema, so that query engines read them as one table:

    SELECT * FROM read_parquet('annotated/mentions/*.parquet')
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.formats.abbreviations import Abbreviations
from corpora.formats.article_columns import ARTICLES, article_row
from corpora.formats.columns import MENTIONS, TERMS, Column, cells, mention_rows, term_rows
from corpora.formats.format import Parted
from corpora.formats.losses import relations_of
from corpora.formats.parquet import ROWS, schema
from corpora.formats.tsv import mention_losses
from corpora.reporting import Report
from corpora.storage import spool

if TYPE_CHECKING:
    import pyarrow

_TABLES: tuple[tuple[str, Sequence[Column[Any]]], ...] = (
    ("mentions", MENTIONS),
    ("terms", TERMS),
    ("articles", ARTICLES),
)


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The rows of one article for each table, as record batches of Arrow. Raises `ArticleError`.

    A worker makes them, because the process that writes the parts is one for all workers.
    """
    import pyarrow as pa

    mention_losses(document, sum(1 for _ in relations_of(document))).report(report, "Parquet")
    short_forms = Abbreviations(document, wanted=False)
    rows = (
        [cells(MENTIONS, row) for row in mention_rows(document) if not short_forms.leave_out(row.mention.annotation)],
        [cells(TERMS, row) for row in term_rows(document)],
        [cells(ARTICLES, article_row(document))],
    )
    short_forms.report(report, "TSV, not Parquet,")
    stream = io.BytesIO()
    try:
        for (table, columns), of_table in zip(_TABLES, rows, strict=True):
            batch = pa.RecordBatch.from_pylist(of_table, schema=schema(columns, table))
            spool.write_record(stream, batch.serialize().to_pybytes())
    except UnicodeEncodeError as error:
        raise ArticleError(
            f"an annotation of document {document.id!r} contains a lone surrogate, which UTF-8 cannot store; correct it"
        ) from error
    return stream.getvalue()


@dataclass(slots=True)
class _Table:
    """A table that is being written, in row groups of a fixed size: the same rows give the same bytes."""

    schema: pyarrow.Schema
    writer: Any
    batches: list[Any]
    rows: int = 0

    def add(self, article: bytes) -> None:
        import pyarrow as pa

        batch = pa.ipc.read_record_batch(pa.py_buffer(article), self.schema)
        self.batches.append(batch)
        self.rows += batch.num_rows
        while self.rows >= ROWS:
            whole = pa.Table.from_batches(self.batches, self.schema).combine_chunks()
            self.writer.write_table(whole.slice(0, ROWS))
            self.batches = whole.slice(ROWS).to_batches()
            self.rows -= ROWS

    def end(self) -> None:
        import pyarrow as pa

        if self.rows:
            self.writer.write_table(pa.Table.from_batches(self.batches, self.schema).combine_chunks())


def write(articles: Iterable[bytes], streams: Sequence[BinaryIO]) -> None:
    """Write the rows of all articles, as `dumps` returned them, to one stream for each table."""
    from pyarrow import parquet

    with ExitStack() as stack:
        tables: list[_Table] = []
        for (name, columns), stream in zip(_TABLES, streams, strict=True):
            of_table = schema(columns, name)
            writer = stack.enter_context(parquet.ParquetWriter(stream, of_table))
            tables.append(_Table(of_table, writer, []))
        for article in articles:
            for table, batch in zip(tables, _batches(article), strict=True):
                table.add(batch)
        for table in tables:
            table.end()


def _batches(article: bytes) -> Iterator[bytes]:
    return spool.records(io.BytesIO(article))


PARTED = Parted(dumps, tuple(name for name, _ in _TABLES), ".parquet", write)
