"""Writers that spell MeSH identifiers in another way: the option `identifiers` of all formats."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from bioc import BioCAnnotation, BioCDocument

from corpora.errors import OptionError
from corpora.formats.format import Dumps, Writer
from corpora.model.document import every_annotation, identifier_text, set_identifier_text
from corpora.model.mesh_ids import canonical, is_mesh_id
from corpora.model.spelling import SPELLINGS, in_spelling, respelt
from corpora.reporting import Report


def spelling_writer(writer: Writer, spelling: str) -> Writer:
    """The writer, with the identifiers in a spelling of `SPELLINGS`. Raises `OptionError` for another one."""
    if spelling not in SPELLINGS:
        raise OptionError("identifiers", f"must be {', '.join(SPELLINGS[:-1])} or {SPELLINGS[-1]}, not {spelling!r}")
    return replace(writer, dumps=partial(_dumps, writer.dumps, spelling))


def _dumps(dumps: Dumps, spelling: str, document: BioCDocument, report: Report) -> bytes:
    with _spelt_as(spelling, document), in_spelling(spelling):
        return dumps(document, report)


@contextmanager
def _spelt_as(spelling: str, document: BioCDocument) -> Iterator[None]:
    """The document has its MeSH identifiers in this spelling, joined by `,`, until the end of the block."""
    changed: list[tuple[BioCAnnotation, str]] = []
    try:
        for annotation, _ in every_annotation(document):
            stated = identifier_text(annotation)
            identifiers = canonical(stated or "")
            if stated is not None and any(map(is_mesh_id, identifiers)):
                changed.append((annotation, stated))
                set_identifier_text(annotation, ",".join(respelt(identifier, spelling) for identifier in identifiers))
        yield
    finally:
        for annotation, stated in changed:
            set_identifier_text(annotation, stated)
