"""Readers of corpora that keep texts and annotations apart: tables (DrugProt, ChemProt, CHEMDNER as published by
BioCreative IV), and CRAFT (plain text, ChEBI concepts in Knowtator XML, ids in lists).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

from bioc import BioCDocument, BioCPassage
from lxml import etree

from corpora.datasets.articles import mark, title_and_abstract
from corpora.datasets.registry import Files, read_text, streams
from corpora.errors import ArticleError, InputError
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, add_mention, set_identifiers
from corpora.parsing.safe_xml import parse_fragment, refuse_entities
from corpora.reporting import Report
from corpora.storage.members import Member
from corpora.words.quantities import quantity

Row = tuple[str, Span, str, str]
"""A mention: the part in which its offsets count (T: title, or title and abstract; A: abstract), span, text, type."""


def read_entities(files: Files, report: Report) -> Iterator[BioCDocument]:
    """DrugProt and ChemProt: `id, title, abstract` and `id, term, type, start, end, text`.

    Offsets count in title + one character + abstract. The type `CHEMICAL` becomes `Chemical`; types of genes are not
    changed. Relations are not read, because they contain no mentions.
    """
    rows: dict[str, list[Row]] = defaultdict(list)
    for columns, where in _rows(files["entities"], 6):
        kind = CHEMICAL if columns[2] == "CHEMICAL" else columns[2]
        rows[columns[0]].append(("T", _span(columns[3], columns[4], where), columns[5], kind))
    return _marked(files, rows, report)


def read_chemdner(files: Files, report: Report) -> Iterator[BioCDocument]:
    """CHEMDNER: `id, title, abstract` and `id, T or A, start, end, text, class`; offsets count in title or abstract.

    All seven classes (SYSTEMATIC, TRIVIAL, FAMILY, ...) become `Chemical`. There are no concept ids.
    """
    rows: dict[str, list[Row]] = defaultdict(list)
    for columns, where in _rows(files["entities"], 5):
        if columns[1] not in ("T", "A"):
            raise InputError(f"{where}: the part is {columns[1]!r}, not T or A; get the file again")
        rows[columns[0]].append((columns[1], _span(columns[2], columns[3], where), columns[4], CHEMICAL))
    return _marked(files, rows, report)


def _marked(files: Files, rows: dict[str, list[Row]], report: Report) -> Iterator[BioCDocument]:
    """The documents of the texts with their mentions."""
    for columns, _ in _rows(files["text"], 3):
        document = title_and_abstract(*columns[:3])
        bases = {"T": 0, "A": len(columns[1]) + 1}
        mentions = [
            ((start + bases[part], end + bases[part]), text, kind)
            for part, (start, end), text, kind in rows.pop(columns[0], [])
        ]
        ids = map("T{}".format, count(1))
        for span, text, kind in sorted(mentions):
            mark(document, [span], text, ids, "gold", report, kind)
        yield document
    if rows:
        report(
            f"{quantity(sum(map(len, rows.values())), 'mention belongs', 'mentions belong')} to "
            f"{quantity(len(rows), 'article')} without text "
            f"(the first is {next(iter(rows))}); text and entities are of different versions"
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


# -- CRAFT --------------------------------------------------------------------------------------

Marks = list[tuple[tuple[Span, ...], str]]
"""The spans of each mention, and its concept."""

_LINE = re.compile(r"[^\n]+")


def read_craft(files: Files, report: Report) -> Iterator[BioCDocument]:
    """The articles in the split's list of PMIDs. Their ids are PMCIDs if the id mapping has them.

    Offsets count code points of the text file. Each line that is not empty becomes a passage at its offset, so the
    offsets of documents are those of the corpus. Source: Bada et al. 2012, BMC Bioinformatics 13:161.
    """
    wanted = {line for entry, stream in streams(files["ids"]) for line in read_text(stream, entry).split()}
    pmcids: dict[str, str] = {}
    for entry, stream in streams(files["mapping"]):
        for line in read_text(stream, entry).splitlines():
            columns = line.split("\t")
            if not line.startswith("#") and len(columns) == 3:
                pmcids[columns[2]] = columns[1].removeprefix("PMC")
    marks: dict[str, Marks] = {}
    for entry, stream in streams(files["annotations"]):
        pmid = entry.relative.name.partition(".")[0]
        if pmid in wanted:
            marks[pmid] = _marks(stream.read(), str(entry))
    for entry, stream in streams(files["text"]):
        pmid = entry.relative.stem
        if pmid not in wanted:
            continue
        wanted.discard(pmid)
        if pmid not in marks:
            report(f"{entry}: this article has no Knowtator file; it was read without mentions")
        yield _craft_article(pmid, pmcids.get(pmid), read_text(stream, entry), marks.pop(pmid, []), report)
    if wanted:
        report(
            f"{quantity(len(wanted), 'article')} of the split without a text (the first is {min(wanted)}); "
            "get the corpus again"
        )


def _marks(raw: bytes, where: str) -> Marks:
    try:
        refuse_entities(raw)
        root = parse_fragment(raw)
    except etree.XMLSyntaxError as error:
        raise InputError(f"{where}: the XML is broken ({error}); get the corpus again") from error
    concepts = {
        mention.get("id"): cls.get("id")
        for mention in root.iter("classMention")
        for cls in mention.iter("mentionClass")
    }
    marks: Marks = []
    for annotation in root.iter("annotation"):
        mention = annotation.find("mention")
        concept = concepts.get(mention.get("id") if mention is not None else None)
        try:
            spans = tuple((int(span.get("start")), int(span.get("end"))) for span in annotation.iter("span"))
        except (TypeError, ValueError):
            raise InputError(f"{where}: a span has no numbers; get the corpus again") from None
        if not spans or concept is None:
            raise InputError(f"{where}: an annotation has no span or no concept; get the corpus again")
        marks.append((spans, concept))
    return sorted(marks)


def _craft_article(pmid: str, pmcid: str | None, text: str, marks: Marks, report: Report) -> BioCDocument:
    document = BioCDocument()
    document.id = pmcid or pmid
    document.infons = {"article-id_pmid": pmid}
    if pmcid:
        document.infons["article-id_pmc"] = pmcid
    for line in _LINE.finditer(text):
        passage = BioCPassage()
        passage.offset, passage.text = line.start(), line.group()
        passage.infons = {"type": "paragraph" if document.passages else "front"}
        document.add_passage(passage)
    for number, (spans, concept) in enumerate(marks, 1):
        start, end = min(span[0] for span in spans), max(span[1] for span in spans)
        passage = next((p for p in document.passages if p.offset <= start < p.offset + len(p.text)), None)
        try:
            if passage is None:
                raise ArticleError("there is no text")
            mention = add_mention(passage, spans, id=f"T{number}", annotator="CRAFT")
        except ArticleError as error:
            report(f"document {document.id!r}: the mention of {concept} at {start}..{end} was left out ({error})")
            continue
        set_identifiers(mention, [concept])
    return document
