"""Reader of CRAFT: full text as plain text, ChEBI concepts in Knowtator XML files, ids in lists.

Offsets count code points of the text file. Each line that is not empty becomes a passage at its offset, so the offsets
of documents are those of the corpus. Source: Bada et al. 2012, BMC Bioinformatics 13:161.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from bioc import BioCDocument, BioCPassage
from lxml import etree

from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.registry import Files
from corpora.errors import ArticleError, InputError
from corpora.model.document import Span, add_mention, set_identifiers
from corpora.parsing.safe_xml import parse_fragment, refuse_entities
from corpora.reporting import Report
from corpora.words.quantities import quantity

ANNOTATOR = "CRAFT"
Marks = list[tuple[tuple[Span, ...], str]]
"""The spans of each mention, and its concept."""

_LINE = re.compile(r"[^\n]+")


def read(files: Files, report: Report) -> Iterator[BioCDocument]:
    """The articles in the split's list of PMIDs. Their ids are PMCIDs if the id mapping has them."""
    wanted = {line for entry, stream in streams(files["ids"]) for line in read_text(stream, entry).split()}
    pmcids = _pmcids(files)
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
        yield _article(pmid, pmcids.get(pmid), read_text(stream, entry), marks.pop(pmid, []), report)
    if wanted:
        report(
            f"{quantity(len(wanted), 'article')} of the split without a text (the first is {min(wanted)}); "
            "get the corpus again"
        )


def _pmcids(files: Files) -> dict[str, str]:
    pmcids: dict[str, str] = {}
    for entry, stream in streams(files["mapping"]):
        for line in read_text(stream, entry).splitlines():
            columns = line.split("\t")
            if not line.startswith("#") and len(columns) == 3:
                pmcids[columns[2]] = columns[1].removeprefix("PMC")
    return pmcids


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


def _article(pmid: str, pmcid: str | None, text: str, marks: Marks, report: Report) -> BioCDocument:
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
    ids = map("T{}".format, count(1))
    for spans, concept in marks:
        _mark(document, spans, concept, next(ids), report)
    return document


def _mark(document: BioCDocument, spans: tuple[Span, ...], concept: str, id: str, report: Report) -> None:
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    passage = next((p for p in document.passages if p.offset <= start < p.offset + len(p.text)), None)
    try:
        if passage is None:
            raise ArticleError("there is no text")
        mention = add_mention(passage, spans, id=id, annotator=ANNOTATOR)
    except ArticleError as error:
        report(f"document {document.id!r}: the mention of {concept} at {start}..{end} was left out ({error})")
        return
    set_identifiers(mention, [concept])
