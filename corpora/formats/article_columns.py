"""The columns of the table of articles: one row for each article, also for one without mentions.

It has what metadata beside a file state (`corpora.storage.pmc_files`). `document` joins it with the other tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.formats.columns import MENTIONS, ArticleIds, Column, ColumnType, Value, article_ids_of
from corpora.model.document import index_terms, mentions
from corpora.model.metadata import article_ids, publication_year


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article and its ids."""

    article: ArticleIds
    document: BioCDocument


def _stated(infon: str) -> Callable[[ArticleRow], Value]:
    def read(row: ArticleRow) -> Value:
        value = row.document.infons.get(infon)
        return None if value is None else str(value)

    return read


def _is_stated(infon: str) -> Callable[[ArticleRow], Value]:
    return lambda row: int(row.document.infons.get(infon) == "true")


def _version(row: ArticleRow) -> Value:
    value = str(row.document.infons.get("article-version") or "")
    return int(value) if value.isascii() and value.isdecimal() else None


_TEXT, _INTEGER = ColumnType.TEXT, ColumnType.INTEGER

ARTICLES: tuple[Column[ArticleRow], ...] = (
    Column("file", _TEXT, MENTIONS[0].meaning, lambda row: row.article.file),
    Column("document", _TEXT, MENTIONS[1].meaning, lambda row: row.article.document),
    Column("pmid", _TEXT, MENTIONS[2].meaning, lambda row: row.article.pmid),
    Column("pmcid", _TEXT, MENTIONS[3].meaning, lambda row: row.article.pmcid),
    Column("doi", _TEXT, "the DOI of the article, if the file or its metadata state it",
           lambda row: article_ids(row.document).get("doi")),
    Column("year", _INTEGER, "the year of publication, if the file states it",
           lambda row: publication_year(row.document)),
    Column("license", _TEXT, "the licence by the metadata of PMC, such as `CC BY`", _stated("license")),
    Column("version", _INTEGER, "the version of the article in PMC", _version),
    Column("retracted", _INTEGER, "1 if the metadata call it retracted, else 0", _is_stated("retracted")),
    Column("manuscript", _INTEGER, "1 if it is a manuscript of its authors, else 0", _is_stated("manuscript")),
    Column("historical_ocr", _INTEGER, "1 if its text was scanned, else 0", _is_stated("historical-ocr")),
    Column("mentions", _INTEGER, "the number of its mentions", lambda row: sum(1 for _ in mentions(row.document))),
    Column("terms", _INTEGER, "the number of its index terms", lambda row: sum(1 for _ in index_terms(row.document))),
)  # fmt: skip
"""The columns of the table of articles."""


def article_row(document: BioCDocument) -> ArticleRow:
    """The row of an article."""
    return ArticleRow(article_ids_of(document), document)
