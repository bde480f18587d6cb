"""Readers of corpora in a format for articles: BioC, PubTator, JATS, MEDLINE, CoNLL, lines of text."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bioc import BioCDocument

from corpora.datasets.corpus_files import streams
from corpora.datasets.document_builder import article
from corpora.datasets.registry import Files
from corpora.datasets.repairs import repair, unify
from corpora.errors import DAMAGE, InputError, damage
from corpora.formats import medline, registry
from corpora.reading import OpenInput, documents
from corpora.reporting import Report, prefixed


def read(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Articles in any format that is recognised by content. Ids get one spelling and known faults are repaired."""
    for source in _sources(files):
        for document in documents(source.articles(report)):
            unify(document)
            repair(document, prefixed(report, source.member))
            yield document


def read_medline(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Citations of MEDLINE/PubMed XML, with their substances as index terms."""
    for source in _sources(files):
        yield from documents(source.articles(report, medline.READER))


def read_conll(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Sentences of IOB files. A document without id gets the name of its file and its number in the file."""
    reader = registry.readable("conll")
    for source in _sources(files):
        yield from documents(source.articles(report, reader))


def read_plain_text(files: Files, report: Report) -> Iterator[BioCDocument]:
    """JSON lines `{"id": ..., "text": ...}`. Each line of the text is a passage; the first one is the title."""
    for file, stream in streams(files["text"]):
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield _plain_document(line, f"{file}, line {number}")


def _sources(files: Files) -> Iterator[OpenInput]:
    # The offsets are repaired, and what cannot be repaired is reported then.
    return (OpenInput(file, stream, check_offsets=False) for file, stream in streams(files["text"]))


def _plain_document(line: bytes, where: str) -> BioCDocument:
    try:
        value = json.loads(line)
        identifier, text = str(value["id"]), str(value["text"])
    except DAMAGE as error:
        raise InputError(
            f'{where}: not a JSON object with "id" and "text" ({damage(error)}); correct the line'
        ) from error
    lines = text.split("\n")
    texts = [(lines[0], "TITLE", "front"), *((rest, None, "paragraph") for rest in lines[1:])]
    ids = {"pmc": identifier.removeprefix("PMC")} if identifier.startswith("PMC") else {}
    return article(identifier.removeprefix("PMC"), texts, ids)
