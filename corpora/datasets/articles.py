"""Corpora that are handed round in a format of articles: BioC, PubTator, JATS, MEDLINE, CoNLL, lines of text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from bioc import BioCDocument

from corpora.datasets.building import article
from corpora.datasets.corpus_files import Entry, streams
from corpora.datasets.identifiers import unify
from corpora.datasets.registry import Files
from corpora.datasets.repairs import mend
from corpora.errors import ArticleError, InputError
from corpora.formats import conll, medline, registry
from corpora.formats.header import Header
from corpora.reading import fallback_id
from corpora.reporting import Report

__all__ = ["read", "read_conll", "read_medline", "read_plain_text"]


def read(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Articles in any format that is told by its content: ids in one spelling, known faults mended."""
    for entry, stream in streams(files["text"]):
        named = _naming(report, entry)
        for name, raw in registry.split(stream, Header(), named):
            document = _parse(registry.readable(name), raw, named, entry)
            document.id = document.id or fallback_id(entry.path)
            unify(document)
            mend(document, named)
            yield document


def read_medline(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Citations of MEDLINE/PubMed XML, substances as index terms."""
    return _with_format(files, medline, report)


def read_conll(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Sentences of IOB files; a file's documents are named after it."""
    for entry, stream in streams(files["text"]):
        for number, raw in enumerate(conll.split(stream, Header(), report), 1):
            document = _parse(conll, raw, _naming(report, entry), entry)
            document.id = document.id or f"{fallback_id(entry.path)}-{number}"
            yield document


def read_plain_text(files: Files, report: Report) -> Iterator[BioCDocument]:
    """JSON lines `{"id": ..., "text": ...}`: each line of the text is a passage, the first one the title."""
    for entry, stream in streams(files["text"]):
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield _plain_document(line, f"{entry}, line {number}")


def _plain_document(line: bytes, where: str) -> BioCDocument:
    try:
        value = json.loads(line)
        identifier, text = str(value["id"]), str(value["text"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f'{where}: not a JSON object with "id" and "text" ({error}); mend the line') from error
    lines = text.split("\n")
    texts = [(lines[0], "TITLE", "front"), *((rest, None, "paragraph") for rest in lines[1:])]
    ids = {"pmc": identifier.removeprefix("PMC")} if identifier.startswith("PMC") else {}
    return article(identifier.removeprefix("PMC"), texts, ids)


def _with_format(files: Files, format: registry.ReadableFormat, report: Report) -> Iterator[BioCDocument]:
    for entry, stream in streams(files["text"]):
        named = _naming(report, entry)
        for raw in format.split(stream, Header(), named):
            yield _parse(format, raw, named, entry)


def _parse(format: registry.ReadableFormat, raw: bytes, report: Report, entry: Entry) -> BioCDocument:
    try:
        return format.parse(raw, report)
    except ArticleError as error:
        raise ArticleError(f"{entry}: {error}") from error


def _naming(report: Report, entry: Entry) -> Callable[[str], None]:
    return lambda sentence: report(f"{entry}: {sentence}")
