"""Writers that spell MeSH identifiers in another way: the option `identifiers` of all formats."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bioc import BioCDocument

from corpora.formats.format import Dumps, Writer
from corpora.model.spelling import spelt_as
from corpora.reporting import Report


def spelling_writer(writer: Writer, spelling: str) -> Writer:
    """The writer, with the identifiers in a spelling of `corpora.model.spelling.SPELLINGS`."""
    return replace(writer, dumps=partial(_dumps, writer.dumps, spelling))


def _dumps(dumps: Dumps, spelling: str, document: BioCDocument, report: Report) -> bytes:
    with spelt_as(spelling, document):
        return dumps(document, report)
