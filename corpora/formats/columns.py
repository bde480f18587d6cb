"""Tables of mentions, of index terms and of articles: their columns, the same in TSV, CSV, Parquet and Python.

TSV and CSV are written here; they are not read.

Abbreviations have rows in a table of mentions on demand only (`Abbreviations`).

`docs/reference/tables.md` describes them for users, and is tested against this module. `VERSION` changes when a column
is removed, is renamed or changes its meaning; a new column at the end does not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from bioc import BioCAnnotation, BioCDocument, BioCPassage, BioCRelation

from corpora.errors import Argument, ArticleError, Text
from corpora.formats.format import Header, Joined
from corpora.formats.losses import Losses
from corpora.model.document import (
    ABBREVIATION,
    LONG_FORM,
    MENTION_INFONS,
    SHORT_FORM,
    IndexTerm,
    Mention,
    Span,
    definitions,
    every_annotation,
    every_relation,
    index_terms,
    is_index_term,
    mentions,
)
from corpora.model.mention_infons import cross_reference
from corpora.model.metadata import article_ids, pmcid, pmid, publication_year, source_file
from corpora.model.passages import section_type
from corpora.model.short_forms import inferred_long_forms
from corpora.reporting import Report, no_formula

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
class ArticleRow:
    """An article: a row of its own, also without mentions, and what the rows of its mentions and terms share."""

    document: BioCDocument
    id: str
    """The column `document`, which joins the tables."""
    file: str | None
    pmid: str | None
    pmcid: str | None

    @property
    def article(self) -> ArticleRow:
        return self


@dataclass(frozen=True, slots=True)
class MentionRow:
    """An annotation, its article, and its passage (None: it is outside passages)."""

    article: ArticleRow
    mention: Mention
    passage: BioCPassage | None


@dataclass(frozen=True, slots=True)
class TermRow:
    """An index term and its article."""

    article: ArticleRow
    term: IndexTerm


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column of a table whose rows are of a type."""

    name: str
    type: ColumnType
    meaning: str
    """As documented."""
    read: Callable[[T], Value]
    """Returns the cell of a row."""


_TEXT, _INTEGER, _NUMBER = ColumnType.TEXT, ColumnType.INTEGER, ColumnType.NUMBER


_OF_ARTICLE: tuple[Column[Any], ...] = (
    Column("file", _TEXT, "the path of the file that the article was read from, as it was named; of a member of an "
           "archive the path of the archive, `/` and the member; empty for standard input",
           lambda row: row.article.file),
    Column("document", _TEXT, "the id of the article", lambda row: row.article.id),
    Column("pmid", _TEXT, "the PMID of the article, if the file states it", lambda row: row.article.pmid),
    Column("pmcid", _TEXT, "the PMCID of the article with the prefix `PMC`, if the file states it",
           lambda row: row.article.pmcid),
)  # fmt: skip
"""The first columns of all tables."""

MENTIONS: tuple[Column[MentionRow], ...] = (
    *_OF_ARTICLE,
    Column("section", _TEXT, "the section of the passage: `TITLE`, `ABSTRACT`, `METHODS` ...",
           lambda row: None if row.passage is None else section_type(row.passage)),
    Column("start", _INTEGER, "the first code point of the mention, from the start of the document",
           lambda row: min((start for start, _ in row.mention.spans), default=None)),
    Column("end", _INTEGER, "the code point after the last one; a mention of several pieces goes from the first "
           "piece to the last", lambda row: max((end for _, end in row.mention.spans), default=None)),
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
    *_OF_ARTICLE,
    Column("identifier", _TEXT, "the concept, `MESH:D014867`", lambda row: row.term.identifier),
    Column("name", _TEXT, "its name: the entry term of MeSH that the article is indexed with",
           lambda row: _text(row.term.entry_term)),
    Column("score", _NUMBER, "the score of the indexer, 0 to 1", lambda row: row.term.score),
)  # fmt: skip
"""The columns of the table of index terms."""


def _is_stated(infon: str) -> Callable[[ArticleRow], Value]:
    return lambda row: int(row.document.infons.get(infon) == "true")


def _version(row: ArticleRow) -> Value:
    value = str(row.document.infons.get("article-version") or "")
    return int(value) if value.isascii() and value.isdecimal() else None


ARTICLES: tuple[Column[ArticleRow], ...] = (
    *_OF_ARTICLE,
    Column("doi", _TEXT, "the DOI of the article, if the file or its metadata state it",
           lambda row: article_ids(row.document).get("doi")),
    Column("year", _INTEGER, "the year of publication, if the file states it",
           lambda row: publication_year(row.document)),
    Column("license", _TEXT, "the licence by the metadata of PMC, such as `CC BY`",
           lambda row: _text(row.document.infons.get("license"))),
    Column("version", _INTEGER, "the version of the article in PMC", _version),
    Column("retracted", _INTEGER, "1 if the metadata call it retracted, else 0", _is_stated("retracted")),
    Column("manuscript", _INTEGER, "1 if it is a manuscript of its authors, else 0", _is_stated("manuscript")),
    Column("historical_ocr", _INTEGER, "1 if its text was scanned, else 0", _is_stated("historical-ocr")),
    Column("mentions", _INTEGER, "the number of its mentions", lambda row: sum(1 for _ in mentions(row.document))),
    Column("terms", _INTEGER, "the number of its index terms", lambda row: sum(1 for _ in index_terms(row.document))),
)  # fmt: skip
"""The columns of the table of articles: what the file or metadata beside it state (`corpora.storage.pmc_files`)."""


def names(columns: Sequence[Column[T]]) -> tuple[str, ...]:
    """The names of columns, in their order."""
    return tuple(column.name for column in columns)


def cells(columns: Sequence[Column[T]], row: T) -> dict[str, Value]:
    """The values of a row by the name of the column."""
    return {column.name: column.read(row) for column in columns}


def mention_rows(document: BioCDocument) -> Iterator[MentionRow]:
    """A row for each annotation but the index terms, in the order of the file; abbreviations are included."""
    article = article_row(document)
    for annotation, passage in every_annotation(document):
        if not is_index_term(annotation):
            # `Mention` needs a passage, but none of the properties of a row reads it.
            yield MentionRow(article, Mention(annotation, passage or BioCPassage()), passage)


def term_rows(document: BioCDocument) -> Iterator[TermRow]:
    """A row for each index term, in the order of the file."""
    article = article_row(document)
    return (TermRow(article, term) for term in index_terms(document))


def article_row(document: BioCDocument) -> ArticleRow:
    return ArticleRow(document, str(document.id), source_file(document), pmid(document), pmcid(document))


def _text(value: object) -> str | None:
    # JSON files may contain numbers where text is expected.
    return None if value is None else str(value)


# -- abbreviations ------------------------------------------------------------------------------

# BioC stores a definition as two annotations and a relation. A table has no relations, and its rows are read as
# mentions of chemicals. So tables have short forms on demand only, and no rows for long forms.


LongForm: TypeAlias = tuple[str, Span | None]
"""The long form of a short form: its text, and its span if the article contains it."""


class Abbreviations:
    """The abbreviations of an article that is written. `wanted`: whether its short forms get a row."""

    def __init__(self, document: BioCDocument, wanted: bool) -> None:
        self.wanted = wanted
        self._left_out = 0
        self._long: dict[Span, LongForm] = {}
        if wanted:
            self._long = {inferred.span: (inferred.long_form, None) for inferred in inferred_long_forms(document)}
            self._long |= {each.short_span: (each.long_form, each.long_span) for each in definitions(document)}

    def leave_out(self, annotation: BioCAnnotation) -> bool:
        """Whether an annotation has no row; abbreviations that nobody wants are counted for `report`."""
        if not is_abbreviation(annotation):
            return False
        self._left_out += not self.wanted
        return not self.wanted or annotation.infons.get(ABBREVIATION) != SHORT_FORM

    def report(self, report: Report, title: str) -> None:
        """Report how many annotations were left out. `title` names the format that has them on demand."""
        if self._left_out:
            left_out = f"annotations of abbreviations ({self._left_out}) were left out; {title} has them with "
            report(Text(left_out, Argument("with_abbreviations", True)))

    def long_form(self, annotation: BioCAnnotation) -> LongForm | None:
        """The long form of a short form; None for other annotations, and where the article states none."""
        if not self.wanted or not is_abbreviation(annotation) or not annotation.locations:
            return None
        places = annotation.locations
        return self._long.get((min(p.offset for p in places), max(p.offset + p.length for p in places)))


def is_abbreviation(annotation: BioCAnnotation) -> bool:
    """Whether an annotation is the short or the long form of an abbreviation."""
    return annotation.infons.get("type") == ABBREVIATION and annotation.infons.get(ABBREVIATION) is not None


def is_definition(relation: BioCRelation) -> bool:
    """Whether a relation joins a short form and a long form."""
    roles = {node.role for node in relation.nodes}
    return relation.infons.get("type") == ABBREVIATION and {SHORT_FORM, LONG_FORM} <= roles


# -- TSV and CSV --------------------------------------------------------------------------------

# Cells with a separator, a quote or a line break are quoted as in RFC 4180, so pandas and spreadsheet programs read
# both formats as they are; `pandas.read_csv("a.csv", keep_default_na=False, na_values=[""])` does not take `NA` (the
# symbol of sodium) for a missing value. Without the byte order mark of CSV, Excel does not read Greek letters.

LONG_FORM_COLUMNS = ("long_form", "long_start", "long_end")

TSV, CSV = "TSV", "CSV"
_SEPARATORS = {TSV: "\t", CSV: ","}
_BYTE_ORDER_MARK = "\ufeff"


def opening(header: Header, names: Sequence[str], kind: str = TSV) -> bytes:
    """The line of column names. The header of the collection is lost."""
    return ((_BYTE_ORDER_MARK if kind == CSV else "") + _row(names, kind)).encode()


def dumps(
    document: BioCDocument,
    report: Report,
    abbreviations: bool = False,
    kind: str = TSV,
    columns: Sequence[Column[MentionRow]] = MENTIONS,
) -> bytes:
    """One row for each mention of any type, in the order of the file; short forms only with `abbreviations`.

    Index terms, relations and the pieces of mentions are reported as left out. Raises `ArticleError` where a value
    cannot be written as UTF-8.
    """
    losses = mention_losses(document, sum(not is_definition(relation) for relation in every_relation(document)))
    short_forms = Abbreviations(document, abbreviations)
    rows: list[str] = []
    for row in mention_rows(document):
        if short_forms.leave_out(row.mention.annotation):
            continue
        values = [column.read(row) for column in columns]
        if abbreviations:
            text, span = short_forms.long_form(row.mention.annotation) or (None, None)
            values += (text, *(span or (None, None)))
        rows.append(_row(values, kind))
    losses.report(report, kind)
    short_forms.report(report, kind)
    return _encoded(rows)


def dumps_terms(document: BioCDocument, report: Report, kind: str = TSV) -> bytes:
    """One row for each index term, in the order of the file. Everything else is left out, and not reported.

    Raises `ArticleError` where a value cannot be written as UTF-8.
    """
    return _encoded([_row((column.read(row) for column in TERMS), kind) for row in term_rows(document)])


def table(names: Sequence[str], rows: Iterable[Sequence[Value]], kind: str = TSV) -> str:
    """Any other table as TSV or CSV, in the same form: with a line of column names."""
    return opening(Header(), names, kind).decode() + "".join(_row(row, kind) for row in rows)


def mention_losses(document: BioCDocument, relations: int) -> Losses:
    """What a table of mentions cannot store of a document. `relations`: those that are left out."""
    losses = Losses()
    losses.add("relations", relations)
    losses.infons_of_mentions(document, MENTION_INFONS, without=ABBREVIATION)
    losses.add("index terms, which have a table of their own", sum(1 for _ in index_terms(document)))
    pieces = (len(annotation.locations) for annotation, _ in every_annotation(document))
    losses.add("places of the pieces of a mention", sum(number for number in pieces if number > 1))
    return losses


def _encoded(rows: Sequence[str]) -> bytes:
    try:
        return "".join(rows).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArticleError(
            f"the table contains a lone surrogate (U+{ord(error.object[error.start]):04X}), "
            "which UTF-8 cannot store; correct the annotation"
        ) from error


def _row(values: Iterable[Value], kind: str) -> str:
    separator = _SEPARATORS[kind]
    return separator.join(_cell(value, separator) for value in values) + "\n"


def _cell(value: Value, separator: str) -> str:
    if value is None:
        return ""
    cell = f"{value:.4f}" if isinstance(value, float) else no_formula(str(value))
    is_plain = separator not in cell and '"' not in cell and "\n" not in cell and "\r" not in cell
    return cell if is_plain else '"' + cell.replace('"', '""') + '"'


def _writer(kind: str, abbreviations: bool, columns: Sequence[Column[MentionRow]] = MENTIONS) -> Joined:
    opened = (*names(columns), *(LONG_FORM_COLUMNS if abbreviations else ()))
    return Joined(
        partial(dumps, abbreviations=abbreviations, kind=kind, columns=columns),
        opening=partial(opening, names=opened, kind=kind),
    )


tsv_with_xrefs = partial(_writer, TSV, columns=(*MENTIONS, *XREFS))
csv_with_xrefs = partial(_writer, CSV, columns=(*MENTIONS, *XREFS))


def _terms_writer(kind: str) -> Joined:
    return Joined(partial(dumps_terms, kind=kind), opening=partial(opening, names=names(TERMS), kind=kind))


WRITER, WITH_ABBREVIATIONS = _writer(TSV, False), _writer(TSV, True)
CSV_WRITER, CSV_WITH_ABBREVIATIONS = _writer(CSV, False), _writer(CSV, True)
TERMS_WRITER, CSV_TERMS_WRITER = _terms_writer(TSV), _terms_writer(CSV)
