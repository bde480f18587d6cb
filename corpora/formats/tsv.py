"""TSV and CSV: a table with one row for each annotation, for spreadsheets and data frames. It is only written.

Tabs, line breaks and backslashes inside a value are written as `\\t`, `\\n`, `\\r` and `\\\\`. So each row is one line,
and in TSV no value needs quotes. In CSV, a value with a comma or a quote is quoted as in RFC 4180. To read them with
pandas:

    pandas.read_csv("a.tsv", sep="\\t", quoting=3, dtype=str, keep_default_na=False)
    pandas.read_csv("a.csv", dtype=str, keep_default_na=False)

Without `keep_default_na=False` pandas reads a mention such as `NA` (sodium) as a missing value.

Short forms of abbreviations have rows on demand only (`WITH_ABBREVIATIONS`), with the long form in three more columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.abbreviations import Abbreviations, is_definition
from corpora.formats.format import Joined
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.model.document import (
    ABBREVIATION,
    IDENTIFIER_PROBABILITY,
    MENTION_INFONS,
    PROBABILITY,
    Mention,
    every_annotation,
)
from corpora.model.passages import section_type
from corpora.reporting import Report, no_formula

COLUMNS = (
    "document",
    "passage_offset",
    "section_type",
    "start",
    "end",
    "text",
    "type",
    "identifier",
    "matched_name",
    "sieve",
    "score",
    "annotator",
    "probability",
    "identifier_probability",
)

LONG_FORM_COLUMNS = ("long_form", "long_start", "long_end")

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


TSV, CSV = "TSV", "CSV"


def opening(header: Header, abbreviations: bool = False, kind: str = TSV) -> bytes:
    """The line of column names. The header of the collection is lost."""
    return _row((*COLUMNS, *(LONG_FORM_COLUMNS if abbreviations else ())), kind).encode()


def dumps(document: BioCDocument, report: Report, abbreviations: bool = False, kind: str = TSV) -> bytes:
    """One row for each annotation of any type, in the order of the file; short forms only with `abbreviations`.

    `start` and `end` count code points from the start of the document. Several locations are joined by `;`; index
    terms have no location, so both are empty. `identifier` is the value in the file: empty where no concept was looked
    up, `-` where none was found. The table does not contain the texts of the passages. Relations are reported as
    left out. Raises `ArticleError` where a value cannot be written as UTF-8.
    """
    losses = Losses()
    losses.add("relations", _relations(document))
    losses.infons_of_mentions(document, MENTION_INFONS, without=ABBREVIATION)
    short_forms = Abbreviations(document, abbreviations)
    rows = [
        _row(_cells(document, annotation, passage, short_forms), kind)
        for annotation, passage in every_annotation(document)
        if not short_forms.leave_out(annotation)
    ]
    losses.report(report, kind)
    short_forms.report(report, kind)
    try:
        return "".join(rows).encode("utf-8")
    except UnicodeEncodeError as error:
        row = error.object.count("\n", 0, error.start) + 1
        raise ArticleError(
            f"row {row} of the table contains a lone surrogate (U+{ord(error.object[error.start]):04X}), "
            "which UTF-8 cannot store; correct the annotation"
        ) from error


def _row(cells: Iterable[str], kind: str) -> str:
    return ("\t".join(cells) if kind == TSV else ",".join(map(_quoted, cells))) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if "," in cell or '"' in cell else cell


def _cells(
    document: BioCDocument, annotation: BioCAnnotation, passage: BioCPassage | None, short_forms: Abbreviations
) -> Iterator[str]:
    # `Mention` needs a passage, but none of the properties used here reads it.
    mention = Mention(annotation, passage or BioCPassage())
    evidence = mention.evidence
    values = (
        document.id,
        passage.offset if passage else None,
        section_type(passage) if passage else None,
        ";".join(str(start) for start, _ in mention.spans),
        ";".join(str(end) for _, end in mention.spans),
        mention.text,
        mention.type,
        annotation.infons.get("identifier"),
        evidence.matched_name or annotation.infons.get("entry_term"),
        evidence.sieve,
        # The text in the file, not a number: our own scores have 4 decimals.
        annotation.infons.get("score"),
        mention.annotator,
        annotation.infons.get(PROBABILITY),
        annotation.infons.get(IDENTIFIER_PROBABILITY),
        *(_long_form(annotation, short_forms) if short_forms.wanted else ()),
    )
    return ("" if value is None else _cell(str(value)) for value in values)


def _long_form(annotation: BioCAnnotation, short_forms: Abbreviations) -> tuple[object, ...]:
    long_form = short_forms.long_form(annotation)
    if long_form is None:
        return "", "", ""
    return long_form.text, *(long_form.span or ("", ""))


def _cell(value: str) -> str:
    return no_formula(value.translate(_ESCAPES))


def _relations(document: BioCDocument) -> int:
    holders = [document, *document.passages, *(s for p in document.passages for s in p.sentences)]
    return sum(not is_definition(relation) for holder in holders for relation in holder.relations)


def _writer(kind: str, abbreviations: bool) -> Joined:
    return Joined(
        partial(dumps, abbreviations=abbreviations, kind=kind),
        opening=partial(opening, abbreviations=abbreviations, kind=kind),
    )


WRITER, WITH_ABBREVIATIONS = _writer(TSV, False), _writer(TSV, True)
CSV_WRITER, CSV_WITH_ABBREVIATIONS = _writer(CSV, False), _writer(CSV, True)
