"""Readers of corpora in tables: DrugProt, ChemProt, and CHEMDNER as published by BioCreative IV."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

from bioc import BioCDocument

from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.document_builder import mark, title_and_abstract
from corpora.datasets.registry import Files
from corpora.errors import InputError
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span
from corpora.reporting import Report
from corpora.storage.members import Member
from corpora.words.quantities import quantity

Row = tuple[Span, str, str]
"""The span of a mention, its text, its type."""


def read_entities(files: Files, report: Report) -> Iterator[BioCDocument]:
    """DrugProt and ChemProt: `id, title, abstract` and `id, term, type, start, end, text`.

    Offsets count in title + one character + abstract. The type `CHEMICAL` becomes `Chemical`; types of genes are not
    changed. Relations are not read, because they contain no mentions.
    """
    rows: dict[str, list[Row]] = defaultdict(list)
    for columns, where in _rows(files["entities"], 6):
        kind = CHEMICAL if columns[2] == "CHEMICAL" else columns[2]
        rows[columns[0]].append((_span(columns[3], columns[4], where), columns[5], kind))
    for columns, _ in _rows(files["text"], 3):
        document = title_and_abstract(*columns[:3])
        _mark_all(document, rows.pop(columns[0], []), report)
        yield document
    _report_without_text(rows, report)


def read_chemdner(files: Files, report: Report) -> Iterator[BioCDocument]:
    """CHEMDNER: `id, title, abstract` and `id, T or A, start, end, text, class`; offsets count in title or abstract.

    All seven classes (SYSTEMATIC, TRIVIAL, FAMILY, ...) become `Chemical`. There are no concept ids.
    """
    by_document: dict[str, list[tuple[str, Span, str]]] = defaultdict(list)
    for columns, where in _rows(files["entities"], 5):
        if columns[1] not in ("T", "A"):
            raise InputError(f"{where}: the part is {columns[1]!r}, not T or A; get the file again")
        by_document[columns[0]].append((columns[1], _span(columns[2], columns[3], where), columns[4]))
    for columns, _ in _rows(files["text"], 3):
        document = title_and_abstract(*columns[:3])
        bases = {"T": 0, "A": len(columns[1]) + 1}
        rows = [
            ((start + bases[part], end + bases[part]), text, CHEMICAL)
            for part, (start, end), text in by_document.pop(columns[0], [])
        ]
        _mark_all(document, rows, report)
        yield document
    _report_without_text(by_document, report)


def _mark_all(document: BioCDocument, rows: list[Row], report: Report) -> None:
    ids = map("T{}".format, count(1))
    for span, text, kind in sorted(rows):
        mark(document, [span], text, ids, "gold", report, kind)


def _report_without_text(left: dict[str, list[Row]] | dict[str, list[tuple[str, Span, str]]], report: Report) -> None:
    if left:
        report(
            f"{quantity(sum(map(len, left.values())), 'mention belongs', 'mentions belong')} to "
            f"{quantity(len(left), 'article')} without text "
            f"(the first is {next(iter(left))}); text and entities are of different versions"
        )


def _rows(entries: Sequence[Member], least: int) -> Iterator[tuple[list[str], str]]:
    for entry, stream in streams(entries):
        # Only a line feed ends a line: abstracts contain U+2028 and other line separators.
        for number, line in enumerate(read_text(stream, entry).split("\n"), 1):
            columns = line.removesuffix("\r").split("\t")
            if columns == [""]:
                continue
            where = f"{entry}, line {number}"
            if len(columns) < least:
                present = quantity(len(columns), "column")
                raise InputError(f"{where}: {present} where {least} are expected; get the file again")
            yield columns, where


def _span(start: str, end: str, where: str) -> Span:
    try:
        return int(start), int(end)
    except ValueError:
        raise InputError(f"{where}: {start!r} to {end!r} are not offsets; get the file again") from None
