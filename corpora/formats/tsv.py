"""TSV: a table with one row for each annotation, for spreadsheets and data frames. It is only written.

Tabs, line breaks and backslashes inside a value are written as `\\t`, `\\n`, `\\r` and `\\\\`. So each row is one line,
and no value needs quotes. To read it with pandas:

    pandas.read_csv(path, sep="\\t", quoting=3, dtype=str, keep_default_na=False)

Without `keep_default_na=False` pandas reads a mention such as `NA` (sodium) as a missing value.
"""

from __future__ import annotations

from collections.abc import Iterator

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.format import Joined
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.model.document import Mention, every_annotation
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
)

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def opening(header: Header) -> bytes:
    """The line of column names. The header of the collection is lost."""
    return ("\t".join(COLUMNS) + "\n").encode()


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One row for each annotation of any type, in the order of the file.

    `start` and `end` count code points from the start of the document. Several locations are joined by `;`; index
    terms have no location, so both are empty. `identifier` is the value in the file: empty where no concept was looked
    up, `-` where none was found. The table does not contain the texts of the passages. Relations are reported as
    left out. Raises `ArticleError` where a value cannot be written as UTF-8.
    """
    losses = Losses()
    losses.add("relations", _relations(document))
    losses.report(report, "TSV")
    rows = [
        "\t".join(_cells(document, annotation, passage)) + "\n" for annotation, passage in every_annotation(document)
    ]
    try:
        return "".join(rows).encode("utf-8")
    except UnicodeEncodeError as error:
        row = error.object.count("\n", 0, error.start) + 1
        raise ArticleError(
            f"row {row} of the table contains a lone surrogate (U+{ord(error.object[error.start]):04X}), "
            "which UTF-8 cannot store; correct the annotation"
        ) from error


def _cells(document: BioCDocument, annotation: BioCAnnotation, passage: BioCPassage | None) -> Iterator[str]:
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
    )
    return ("" if value is None else _cell(str(value)) for value in values)


def _cell(value: str) -> str:
    return no_formula(value.translate(_ESCAPES))


def _relations(document: BioCDocument) -> int:
    holders = [document, *document.passages, *(s for p in document.passages for s in p.sentences)]
    return sum(len(holder.relations) for holder in holders)


WRITER = Joined(dumps, opening=opening)
