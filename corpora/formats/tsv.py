"""TSV: a table of the mentions of an article, one a row, for spreadsheets and data frames. Write only.

Tabs, line breaks and backslashes inside a value are written as `\\t`, `\\n`, `\\r` and `\\\\`, so that a row
is a line and nothing needs quotes. To read it with pandas:

    pandas.read_csv(path, sep="\\t", quoting=3, dtype=str, keep_default_na=False)

(without `keep_default_na=False` pandas takes a mention such as `NA`, sodium, for a missing value).
"""

from __future__ import annotations

from collections.abc import Iterator

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.model.document import Mention, every_annotation, section_type
from corpora.reporting import Report

__all__ = ["COLUMNS", "SEPARATOR", "SUFFIX", "closing", "dumps", "opening"]

SUFFIX = ".tsv"
SEPARATOR = b""
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
    """The line of column names; what a collection says of itself has no place in a table of mentions."""
    return ("\t".join(COLUMNS) + "\n").encode()


def closing(header: Header) -> bytes:
    """Nothing."""
    return b""


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One row for each annotation of any type, in the order of the file; none where there is none.

    `start` and `end` count code points from the document's start; several locations are joined by `;`, and
    both are empty for index terms, which have none. `identifier` is what the file says: empty where no
    concept was sought, `-` where none was found. The texts of the passages are no part of the table;
    relations are reported as left out. Raises `ArticleError` where a value cannot be written as UTF-8.
    """
    losses = Losses()
    losses.add("relations", _relations(document))
    losses.tell(report, "TSV")
    rows = [
        "\t".join(_cells(document, annotation, passage)) + "\n" for annotation, passage in every_annotation(document)
    ]
    try:
        return "".join(rows).encode("utf-8")
    except UnicodeEncodeError as error:
        row = error.object.count("\n", 0, error.start) + 1
        raise ArticleError(
            f"a lone surrogate (U+{ord(error.object[error.start]):04X}) stands in row {row} of the table; "
            "no UTF-8 file can hold it, mend the annotation"
        ) from error


def _cells(document: BioCDocument, annotation: BioCAnnotation, passage: BioCPassage | None) -> Iterator[str]:
    # The typed view wants a passage, but asks nothing of it here.
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
        # As the file writes it: 4 decimals where we wrote it.
        annotation.infons.get("score"),
        mention.annotator,
    )
    return ("" if value is None else str(value).translate(_ESCAPES) for value in values)


def _relations(document: BioCDocument) -> int:
    holders = [document, *document.passages, *(s for p in document.passages for s in p.sentences)]
    return sum(len(holder.relations) for holder in holders)
