"""Parquet: tables of mentions and of index terms, for data frames and query engines. They are only written.

The columns are those of `corpora.formats.columns`. To read a table:

    pandas.read_parquet("mentions.parquet")

The metadata of the schema has the version of the columns (`nlmchem.table`: `mentions/1`).
The package pyarrow (extra `[parquet]`) writes the file. It is imported when the first article is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from bioc import BioCDocument

from corpora.errors import ArticleError, OptionError
from corpora.formats.abbreviations import Abbreviations
from corpora.formats.columns import (
    MENTIONS,
    TERMS,
    VERSION,
    XREFS,
    Column,
    ColumnType,
    MentionRow,
    cells,
    mention_rows,
    term_rows,
)
from corpora.formats.format import Table
from corpora.formats.header import Header
from corpora.formats.losses import relations_of
from corpora.formats.tsv import mention_losses
from corpora.reporting import Report

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 16
"""Rows of one row group. It bounds the memory, and it is fixed so that the same rows give the same bytes."""


def schema(columns: Sequence[Column[Any]], table: str) -> pyarrow.Schema:
    """The schema of a table: `mentions` or `terms`."""
    import pyarrow as pa

    types = {ColumnType.TEXT: pa.string(), ColumnType.INTEGER: pa.int64(), ColumnType.NUMBER: pa.float64()}
    fields = [(column.name, types[column.type]) for column in columns]
    return pa.schema(fields, metadata={"nlmchem.table": f"{table}/{VERSION}"})


def dumps(document: BioCDocument, report: Report, columns: Sequence[Column[MentionRow]] = MENTIONS) -> bytes:
    """The rows of the mentions of one article as JSON, which `write` turns into a table.

    What the table leaves out is reported as for TSV. Raises `ArticleError`.
    """
    mention_losses(document, sum(1 for _ in relations_of(document))).report(report, "Parquet")
    short_forms = Abbreviations(document, wanted=False)
    rows = [cells(columns, row) for row in mention_rows(document) if not short_forms.leave_out(row.mention.annotation)]
    short_forms.report(report, "TSV or CSV")
    return _encoded(rows, document)


def dumps_terms(document: BioCDocument, report: Report) -> bytes:
    """The rows of the index terms of one article as JSON. Everything else is left out. Raises `ArticleError`."""
    return _encoded([cells(TERMS, row) for row in term_rows(document)], document)


def _encoded(rows: Sequence[dict[str, Any]], document: BioCDocument) -> bytes:
    try:
        return json.dumps(rows, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArticleError(
            f"an annotation of document {document.id!r} contains a lone surrogate, which UTF-8 cannot store; correct it"
        ) from error


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
        for rows in _groups(articles):
            writer.write_table(pa.Table.from_pylist(rows, schema=of_table))


def _groups(articles: Iterable[bytes]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for article in articles:
        rows += json.loads(article)
        while len(rows) >= ROWS:
            yield rows[:ROWS]
            rows = rows[ROWS:]
    if rows:
        yield rows


def with_xrefs(abbreviations: bool) -> Table:
    """The writer with the columns `XREFS`; there is no table with abbreviations."""
    if abbreviations:
        raise OptionError("with_abbreviations", "is not for the format parquet; leave it out")
    columns = (*MENTIONS, *XREFS)
    return Table(partial(dumps, columns=columns), partial(write, columns=columns))


WRITER = Table(dumps, write)
TERMS_WRITER = Table(dumps_terms, partial(write, columns=TERMS, table="terms"))
