"""The columns of tables: one table of mentions and one of index terms, the same in TSV, CSV, Parquet and Python.

`docs/reference/tables.md` describes them for users, and is tested against this module. `VERSION` changes when a column
is removed, is renamed or changes its meaning; a new column at the end does not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from bioc import BioCDocument, BioCPassage

from corpora.model.cross_references import cross_reference
from corpora.model.document import IndexTerm, Mention, every_annotation, index_terms, is_index_term
from corpora.model.metadata import pmcid, pmid, source_file
from corpora.model.passages import section_type

VERSION = 1

Value: TypeAlias = str | int | float | None
"""One cell. None is an empty cell of TSV and CSV, a null of Parquet."""
T = TypeVar("T")


class ColumnType(StrEnum):
    """What the cells of a column are."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class ArticleIds:
    """What all rows of an article have in common."""

    file: str | None
    document: str
    pmid: str | None
    pmcid: str | None


@dataclass(frozen=True, slots=True)
class MentionRow:
    """An annotation, its article, and its passage (None: it is outside passages)."""

    article: ArticleIds
    mention: Mention
    passage: BioCPassage | None


@dataclass(frozen=True, slots=True)
class TermRow:
    """An index term and its article."""

    article: ArticleIds
    term: IndexTerm


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column: its name, what its cells are, its meaning as documented, and how a cell is read from a row."""

    name: str
    type: ColumnType
    meaning: str
    read: Callable[[T], Value]


_TEXT, _INTEGER, _NUMBER = ColumnType.TEXT, ColumnType.INTEGER, ColumnType.NUMBER


def _start(row: MentionRow) -> int | None:
    return min((start for start, _ in row.mention.spans), default=None)


def _end(row: MentionRow) -> int | None:
    return max((end for _, end in row.mention.spans), default=None)


def _section(row: MentionRow) -> str | None:
    return None if row.passage is None else section_type(row.passage)


MENTIONS: tuple[Column[MentionRow], ...] = (
    Column("file", _TEXT, "the path of the file that the article was read from, as it was named; of a member of an "
           "archive the path of the archive, `/` and the member; empty for standard input",
           lambda row: row.article.file),
    Column("document", _TEXT, "the id of the article", lambda row: row.article.document),
    Column("pmid", _TEXT, "the PMID of the article, if the file states it", lambda row: row.article.pmid),
    Column("pmcid", _TEXT, "the PMCID of the article with the prefix `PMC`, if the file states it",
           lambda row: row.article.pmcid),
    Column("section", _TEXT, "the section of the passage: `TITLE`, `ABSTRACT`, `METHODS` ...", _section),
    Column("start", _INTEGER, "the first code point of the mention, from the start of the document", _start),
    Column("end", _INTEGER, "the code point after the last one; a mention of several pieces goes from the first "
           "piece to the last", _end),
    Column("text", _TEXT, "the text of the mention", lambda row: row.mention.text),
    Column("type", _TEXT, "`Chemical`, or another type that the file has", lambda row: row.mention.type),
    Column("identifier", _TEXT, "the concepts, `MESH:D014867`; several are joined by `,`; empty if there is none",
           lambda row: ",".join(row.mention.identifiers) or None),
    Column("name", _TEXT, "the preferred names of the concepts, as far as the file or the lexicon has them; several "
           "are joined by a vertical bar between blanks", lambda row: row.mention.concept_name),
    Column("probability", _NUMBER, "how probable it is that the text is a mention, 0 to 1; empty if its tagger has no "
           "calibration",
           lambda row: row.mention.evidence.probability),
    Column("identifier_probability", _NUMBER, "how probable it is that the concepts are right if it is one, 0 to 1",
           lambda row: row.mention.evidence.identifier_probability),
    Column("sieve", _TEXT, "the sieve that found the concepts", lambda row: _text(row.mention.evidence.sieve)),
    Column("matched_name", _TEXT, "the name in the lexicon that matched",
           lambda row: _text(row.mention.evidence.matched_name)),
)  # fmt: skip
"""The columns of the table of mentions: one row for each annotation that is no index term and no abbreviation."""

_ONE_FOR_EACH = "one for each concept, joined by `,`; `-` where there is none"
XREFS: tuple[Column[MentionRow], ...] = (
    Column("chebi", _TEXT, f"the identifiers in ChEBI, `CHEBI:15377`: {_ONE_FOR_EACH}",
           lambda row: cross_reference(row.mention, "chebi")),
    Column("pubchem", _TEXT, f"the numbers of the compounds in PubChem, `962`: {_ONE_FOR_EACH}",
           lambda row: cross_reference(row.mention, "pubchem")),
)  # fmt: skip
"""Columns of the table of mentions on demand: what `annotate` adds with the option `xrefs`."""

TERMS: tuple[Column[TermRow], ...] = (
    Column("file", _TEXT, MENTIONS[0].meaning, lambda row: row.article.file),
    Column("document", _TEXT, MENTIONS[1].meaning, lambda row: row.article.document),
    Column("pmid", _TEXT, MENTIONS[2].meaning, lambda row: row.article.pmid),
    Column("pmcid", _TEXT, MENTIONS[3].meaning, lambda row: row.article.pmcid),
    Column("identifier", _TEXT, "the concept, `MESH:D014867`", lambda row: row.term.identifier),
    Column("name", _TEXT, "its name: the entry term of MeSH that the article is indexed with",
           lambda row: _text(row.term.entry_term)),
    Column("score", _NUMBER, "the score of the indexer, 0 to 1", lambda row: row.term.score),
)  # fmt: skip
"""The columns of the table of index terms."""


def names(columns: Sequence[Column[T]]) -> tuple[str, ...]:
    """The names of columns, in their order."""
    return tuple(column.name for column in columns)


def cells(columns: Sequence[Column[T]], row: T) -> dict[str, Value]:
    """The values of a row by the name of the column."""
    return {column.name: column.read(row) for column in columns}


def mention_rows(document: BioCDocument) -> Iterator[MentionRow]:
    """A row for each annotation but the index terms, in the order of the file; abbreviations are included."""
    article = article_ids_of(document)
    for annotation, passage in every_annotation(document):
        if not is_index_term(annotation):
            # `Mention` needs a passage, but none of the properties of a row reads it.
            yield MentionRow(article, Mention(annotation, passage or BioCPassage()), passage)


def term_rows(document: BioCDocument) -> Iterator[TermRow]:
    """A row for each index term, in the order of the file."""
    article = article_ids_of(document)
    return (TermRow(article, term) for term in index_terms(document))


def article_ids_of(document: BioCDocument) -> ArticleIds:
    """What the rows of a document have in common."""
    return ArticleIds(source_file(document), str(document.id), pmid(document), pmcid(document))


def _text(value: object) -> str | None:
    # JSON files may contain numbers where text is expected.
    return None if value is None else str(value)
