"""Parquet: tables of mentions and of index terms, for data frames and query engines. They are only written.

The columns are those of `corpora.formats.columns`. To read a table:

    pandas.read_parquet("mentions.parquet")

Numbered parts are a table of mentions, one of index terms and one of articles, each in a folder of its own. All parts
of a table have one schema, so that query engines read them as one table:

    SELECT * FROM read_parquet('annotated/mentions/*.parquet')

The metadata of the schema has the version of the columns (`nlmchem.table`: `mentions/1`).
The package pyarrow (extra `[parquet]`) writes the file. It is imported when the first article is written.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from bioc import BioCDocument

from corpora.errors import ArticleError, OptionError
from corpora.formats.columns import (
    ARTICLES,
    MENTIONS,
    TERMS,
    VERSION,
    XREFS,
    Abbreviations,
    Column,
    ColumnType,
    MentionRow,
    article_row,
    cells,
    mention_losses,
    mention_rows,
    term_rows,
)
from corpora.formats.format import Header, Parted, Table
from corpora.model.document import every_relation
from corpora.reporting import Report
from corpora.storage import spool

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 16
"""Rows of one row group. It bounds the memory, and it is fixed so that the same rows give the same bytes."""


def schema(columns: Sequence[Column[Any]], table: str) -> pyarrow.Schema:
    """The schema of a table: `mentions`, `terms` or `articles`."""
    import pyarrow as pa

    types = {ColumnType.TEXT: pa.string(), ColumnType.INTEGER: pa.int64(), ColumnType.NUMBER: pa.float64()}
    fields = [(column.name, types[column.type]) for column in columns]
    return pa.schema(fields, metadata={"nlmchem.table": f"{table}/{VERSION}"})


def dumps(document: BioCDocument, report: Report, columns: Sequence[Column[MentionRow]] = MENTIONS) -> bytes:
    """The rows of the mentions of one article as JSON, which `write` turns into a table.

    What the table leaves out is reported as for TSV. Raises `ArticleError`.
    """
    return _as_json(_mention_cells(document, report, columns, "TSV or CSV"), document)


def dumps_terms(document: BioCDocument, report: Report) -> bytes:
    """The rows of the index terms of one article as JSON. Everything else is left out. Raises `ArticleError`."""
    return _as_json([cells(TERMS, row) for row in term_rows(document)], document)


def _mention_cells(
    document: BioCDocument, report: Report, columns: Sequence[Column[MentionRow]], others: str
) -> list[dict[str, Any]]:
    """The rows of the mentions. Reports what they lack; `others`: the formats that have abbreviations on demand."""
    mention_losses(document, sum(1 for _ in every_relation(document))).report(report, "Parquet")
    short_forms = Abbreviations(document, wanted=False)
    rows = [cells(columns, row) for row in mention_rows(document) if not short_forms.leave_out(row.mention.annotation)]
    short_forms.report(report, others)
    return rows


def _as_json(rows: Sequence[dict[str, Any]], document: BioCDocument) -> bytes:
    try:
        return json.dumps(rows, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise _lone_surrogate(document) from error


def _lone_surrogate(document: BioCDocument) -> ArticleError:
    return ArticleError(
        f"an annotation of document {document.id!r} contains a lone surrogate, which UTF-8 cannot store; correct it"
    )


def write(
    articles: Iterable[bytes],
    header: Header,
    stream: BinaryIO,
    columns: Sequence[Column[Any]] = MENTIONS,
    table: str = "mentions",
) -> None:
    """Write the rows of all articles as one table; the header of the collection is lost."""
    import pyarrow as pa
    from pyarrow import parquet

    of_table = schema(columns, table)
    with parquet.ParquetWriter(stream, of_table) as writer:
        opened = _OpenTable(of_table, writer, [])
        for article in articles:
            opened.add(pa.RecordBatch.from_pylist(json.loads(article), schema=of_table))
        opened.end()


def with_xrefs(abbreviations: bool) -> Table:
    """The writer with the columns `XREFS`; there is no table with abbreviations."""
    if abbreviations:
        raise OptionError("with_abbreviations", "is not for the format parquet; leave it out")
    columns = (*MENTIONS, *XREFS)
    return Table(partial(dumps, columns=columns), partial(write, columns=columns))


WRITER = Table(dumps, write)
TERMS_WRITER = Table(dumps_terms, partial(write, columns=TERMS, table="terms"))


# -- numbered parts -----------------------------------------------------------------------------

_TABLES: tuple[tuple[str, Sequence[Column[Any]]], ...] = (
    ("mentions", MENTIONS),
    ("terms", TERMS),
    ("articles", ARTICLES),
)


def dumps_tables(document: BioCDocument, report: Report) -> bytes:
    """The rows of one article for each table, as record batches of Arrow. Raises `ArticleError`.

    A worker makes them, because the process that writes the parts is one for all workers.
    """
    import pyarrow as pa

    rows = (
        _mention_cells(document, report, MENTIONS, "TSV, not Parquet,"),
        [cells(TERMS, row) for row in term_rows(document)],
        [cells(ARTICLES, article_row(document))],
    )
    stream = io.BytesIO()
    try:
        for (table, columns), of_table in zip(_TABLES, rows, strict=True):
            batch = pa.RecordBatch.from_pylist(of_table, schema=schema(columns, table))
            spool.write_record(stream, batch.serialize().to_pybytes())
    except UnicodeEncodeError as error:
        raise _lone_surrogate(document) from error
    return stream.getvalue()


@dataclass(slots=True)
class _OpenTable:
    """A table that is being written, in row groups of a fixed size: the same rows give the same bytes."""

    schema: pyarrow.Schema
    writer: Any
    batches: list[Any]
    rows: int = 0

    def add(self, batch: Any) -> None:
        """Add the rows of an article, a record batch."""
        import pyarrow as pa

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


def write_tables(articles: Iterable[bytes], streams: Sequence[BinaryIO]) -> None:
    """Write the rows of all articles, as `dumps_tables` returned them, to one stream for each table."""
    import pyarrow as pa
    from pyarrow import parquet

    with ExitStack() as stack:
        tables: list[_OpenTable] = []
        for (name, columns), stream in zip(_TABLES, streams, strict=True):
            of_table = schema(columns, name)
            writer = stack.enter_context(parquet.ParquetWriter(stream, of_table))
            tables.append(_OpenTable(of_table, writer, []))
        for article in articles:
            for table, batch in zip(tables, spool.records(io.BytesIO(article)), strict=True):
                table.add(pa.ipc.read_record_batch(pa.py_buffer(batch), table.schema))
        for table in tables:
            table.end()


PARTED = Parted(dumps_tables, tuple(name for name, _ in _TABLES), ".parquet", write_tables)
