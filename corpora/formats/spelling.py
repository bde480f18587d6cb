"""Writers that spell MeSH identifiers in another way: the option `identifiers` of all formats."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bioc import BioCDocument

from corpora.errors import OptionError
from corpora.formats.format import Dumps, Writer
from corpora.model.spelling import SPELLINGS, spelt_as
from corpora.reporting import Report


def spelling_writer(writer: Writer, spelling: str) -> Writer:
    """The writer, with the identifiers in a spelling of `SPELLINGS`. Raises `OptionError` for another one."""
    if spelling not in SPELLINGS:
        raise OptionError("identifiers", f"must be {', '.join(SPELLINGS[:-1])} or {SPELLINGS[-1]}, not {spelling!r}")
    return replace(writer, dumps=partial(_dumps, writer.dumps, spelling))


def _dumps(dumps: Dumps, spelling: str, document: BioCDocument, report: Report) -> bytes:
    with spelt_as(spelling, document):
        return dumps(document, report)
