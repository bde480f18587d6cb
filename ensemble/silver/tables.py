"""The tables of a data set in Parquet: for each configuration and split some files, as `datasets.load_dataset` reads.

The bytes depend on the rows and on the version of pyarrow alone: row groups, compression and its level are fixed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.formats.losses import encoded
from corpora.storage import atomic
from corpora.tools.leaks import split
from corpora.words.quantities import quantity
from ensemble.silver.article_table import ARTICLES, article_row
from ensemble.silver.articles import ArticleStore, Serialize, StoredArticle
from ensemble.silver.bigbio import KB, kb_row
from ensemble.silver.fields import TableSchema

_ROWS: dict[str, Callable[[BioCDocument], dict[str, Any]]] = {ARTICLES.name: article_row, KB.name: kb_row}
ROW_GROUP = 100
"""Articles of one row group: they are in memory at once."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file of a table: its path in the data set, and how many articles it has."""

    schema: TableSchema
    split: str
    name: str
    documents: int


def schemas(bigbio: bool) -> tuple[TableSchema, ...]:
    """The tables of a data set, the default one first."""
    return (ARTICLES, KB) if bigbio else (ARTICLES,)


def serializer(schema: TableSchema) -> Serialize:
    """The function that turns an article into the row of a table, as JSON."""
    return partial(_serialized, _ROWS[schema.name])


def _serialized(row: Callable[[BioCDocument], dict[str, Any]], document: BioCDocument) -> bytes:
    return encoded(json.dumps(row(document), ensure_ascii=False), document)


def split_articles(articles: Sequence[StoredArticle], shares: Mapping[str, float]) -> dict[str, list[StoredArticle]]:
    """The articles of each split, by the hash of their ids and words. Copies of an article are in the same split.

    Raises `ConfigurationError` for a split without articles.
    """
    if len(shares) == 1:
        return {next(iter(shares)): list(articles)}
    prints = [article.content for article in articles if article.content is not None]
    parts = split(prints, shares)
    splits = {name: [article for article, part in zip(articles, parts, strict=True) if part == name] for name in shares}
    for name, members in splits.items():
        if not members:
            raise ConfigurationError(
                f"the split {name!r} has no article: there are {quantity(len(articles), 'article')}; "
                "use fewer splits, or a larger share"
            )
    return splits


def write_tables(
    store: ArticleStore,
    tables: Sequence[TableSchema],
    splits: Mapping[str, Sequence[StoredArticle]],
    size: int,
    folder: Path,
) -> list[TableFile]:
    """Write the tables into a folder, `size` articles in each file. Raises `OSError`."""
    files = []
    for schema in tables:
        for name, articles in splits.items():
            parts = _parts(articles, size)
            for number, part in enumerate(parts):
                path = f"{schema.folder}/{name}-{number:05}-of-{len(parts):05}.parquet"
                _write(folder / path, schema, store, part)
                files.append(TableFile(schema, name, path, len(part)))
    return files


def _parts(articles: Sequence[StoredArticle], size: int) -> list[Sequence[StoredArticle]]:
    return [articles[start : start + size] for start in range(0, len(articles), size)]


def _write(path: Path, schema: TableSchema, store: ArticleStore, articles: Sequence[StoredArticle]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    of_table = schema.arrow()
    with (
        atomic.replacing(path, sync=False) as stream,
        parquet.ParquetWriter(stream, of_table, version="2.6", compression="zstd", compression_level=3) as writer,
    ):
        for part in _parts(articles, ROW_GROUP):
            rows = [json.loads(row) for row in store.read(schema.name, part)]
            writer.write_table(pa.Table.from_pylist(rows, schema=of_table))
