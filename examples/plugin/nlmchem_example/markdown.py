"""A format: a Markdown table with one row for each mention. It is only written."""

from __future__ import annotations

from bioc import BioCDocument

from corpora.formats.format import Format, Header, Joined
from corpora.model.document import mentions
from corpora.reporting import Report


def opening(header: Header) -> bytes:
    """The head of the table."""
    return b"| article | start | mention | identifiers |\n|---|---|---|---|\n"


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The rows of an article."""
    rows = (
        (str(document.id), str(mention.spans[0][0]), mention.text, ", ".join(mention.identifiers) or "-")
        for mention in mentions(document)
    )
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |\n" for row in rows).encode()


FORMAT = Format("markdown", "Markdown table", (".markdown",), writes=Joined(dumps, opening=opening))
