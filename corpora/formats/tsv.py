"""TSV and CSV: tables of mentions and of index terms, for spreadsheets and data frames. They are only written.

The columns are those of `corpora.formats.columns`. Cells with a separator, a quote or a line break are quoted as in
RFC 4180, so pandas and spreadsheet programs read both as they are:

    pandas.read_csv("a.csv", keep_default_na=False, na_values=[""])

Without these arguments pandas reads a mention such as `NA` (sodium) as a missing value. CSV begins with a byte order
mark: without it Excel does not read Greek letters.

Short forms of abbreviations have rows on demand only (`WITH_ABBREVIATIONS`), with the long form in three more columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.formats.columns import (
    MENTIONS,
    TERMS,
    XREFS,
    Abbreviations,
    Column,
    MentionRow,
    Value,
    is_definition,
    mention_rows,
    names,
    term_rows,
)
from corpora.formats.format import Header, Joined
from corpora.formats.losses import Losses, relations_of
from corpora.model.document import ABBREVIATION, MENTION_INFONS, every_annotation, index_terms
from corpora.reporting import Report, no_formula

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
    losses = mention_losses(document, sum(not is_definition(relation) for relation in relations_of(document)))
    short_forms = Abbreviations(document, abbreviations)
    rows: list[str] = []
    for row in mention_rows(document):
        if short_forms.leave_out(row.mention.annotation):
            continue
        values = [column.read(row) for column in columns]
        if abbreviations:
            long_form = short_forms.long_form(row.mention.annotation)
            values.append(None if long_form is None else long_form.text)
            values += (None, None) if long_form is None or long_form.span is None else long_form.span
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
