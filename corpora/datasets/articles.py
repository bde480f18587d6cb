"""Readers of corpora in a format for articles, the repair of known faults in them, and documents made of texts.

In CHEMDNER (BioC) title and abstract both have offset 0. One mention of the NLM-Chem training part is a
few characters away from its text. The pieces of discontinuous mentions have blanks at their ends or include the text
between them. The text of a mention lacks punctuation. Concept ids have many spellings; they get one, `MESH:D014867`.
Each repair is reported; a mention without a repair is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from corpora.datasets.registry import Files, json_lines, streams
from corpora.errors import ArticleError
from corpora.formats import pubmed, registry
from corpora.formats.format import Reader
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, add_mention, mentions, set_identifiers
from corpora.model.invariant import check
from corpora.model.passages import passage_text
from corpora.reading import OpenInput, documents
from corpora.reporting import Report, prefixed

NEAR = 20
"""The text of a mention is searched up to this number of code points from its location."""


def read(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Articles in any format that is recognised by content. Ids get one spelling and known faults are repaired."""
    # The offsets are repaired, and what cannot be repaired is reported then.
    for file, stream in streams(files["text"]):
        for document in documents(OpenInput(file, stream, check_offsets=False).articles(report)):
            unify(document)
            repair(document, prefixed(report, file))
            yield document


def read_medline(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Citations of MEDLINE/PubMed XML, with their substances as index terms."""
    return _in_format(pubmed.INDEX_READER, files, report)


def read_conll(files: Files, report: Report) -> Iterator[BioCDocument]:
    """Sentences of IOB files. A document without id gets the name of its file and its number in the file."""
    return _in_format(registry.readable("conll"), files, report)


def _in_format(reader: Reader, files: Files, report: Report) -> Iterator[BioCDocument]:
    for file, stream in streams(files["text"]):
        yield from documents(OpenInput(file, stream, check_offsets=False).articles(report, reader))


def read_plain_text(files: Files, report: Report) -> Iterator[BioCDocument]:
    """JSON lines `{"id": ..., "text": ...}`. Each line of the text is a passage; the first one is the title."""
    for file, stream in streams(files["text"]):
        yield from json_lines(stream, file, _plain_document, 'a JSON object with "id" and "text"', "correct the line")


def _plain_document(value: dict[str, Any]) -> BioCDocument:
    identifier, text = str(value["id"]), str(value["text"])
    title, *lines = text.split("\n")
    pmcid = identifier.removeprefix("PMC")
    texts = [(title, "TITLE", "front"), *((line, None, "paragraph") for line in lines)]
    return article(pmcid, texts, {"pmc": pmcid} if identifier.startswith("PMC") else {})


# -- documents of texts and spans, for corpora without a format for articles --------------------


def article(
    id: str, texts: Sequence[tuple[str, str | None, str]], ids: Mapping[str, str] | None = None, step: int = 1
) -> BioCDocument:
    """A document of passages, one after another, with `step` characters between them.

    `texts`: (text, section type, type) of each passage. An empty text makes no passage, but its step counts. `ids`: the
    ids of the article by kind (`pmc`, `pmid`, `doi`).
    """
    document = BioCDocument()
    document.id = id
    document.infons = {f"article-id_{kind}": value for kind, value in (ids or {}).items()}
    offset = 0
    for text, section, type in texts:
        if text:
            passage = BioCPassage()
            passage.offset, passage.text = offset, text
            passage.infons = {"section_type": section, "type": type} if section else {"type": type}
            document.add_passage(passage)
        offset += len(text) + step
    return document


def title_and_abstract(pmid: str, title: str, abstract: str) -> BioCDocument:
    """A PubMed abstract with offsets as in PubTator: the abstract begins one character after the title."""
    texts = [(title, "TITLE", "title"), (abstract, "ABSTRACT", "abstract")]
    return article(pmid, texts, {"pmid": pmid})


def mark(
    document: BioCDocument,
    spans: Sequence[Span],
    text: str,
    ids: Iterator[str],
    annotator: str,
    report: Report,
    type: str = CHEMICAL,
) -> None:
    """Add a gold mention at document offsets. If its text is not at these offsets, it is left out and reported."""
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    where = f"document {document.id!r}: the mention {text!r} at {start}..{end}"
    if not text:
        report(f"{where} was left out: it has no text; compare with the publisher's file")
        return
    passage = next((p for p in document.passages if p.offset <= start and end <= p.offset + len(p.text)), None)
    if passage is None:
        report(f"{where} is in no passage and was left out; compare with the publisher's file")
        return
    found = " ".join(passage.text[a - passage.offset : b - passage.offset] for a, b in spans)
    if found != text:
        report(f"{where} was left out: the text there is {found!r}; compare with the publisher's file")
        return
    try:
        add_mention(passage, spans, id=next(ids), annotator=annotator, type=type)
    except ArticleError as error:
        report(f"{where} was left out: {error}")


# -- repairs ------------------------------------------------------------------------------------


def unify(document: BioCDocument) -> None:
    """Rewrite the ids of all mentions in one spelling. A mention without ids is not changed."""
    for mention in mentions(document, None):
        if mention.identifiers:
            set_identifiers(mention, mention.identifiers)


def repair(document: BioCDocument, report: Report) -> None:
    """Correct the offsets of a document, so that passages do not overlap and mentions are at their locations.

    Raises `ArticleError` where no repair is known.
    """
    reached = 0
    for index, passage in enumerate(document.passages):
        if index and passage.offset < reached:
            by = reached + 1 - passage.offset
            report(
                f"document {document.id!r}: passage {index + 1} overlaps an earlier passage; moved by {by} characters"
            )
            _move(passage, by)
        reached = max(reached, passage.offset + len(passage_text(passage)))
    if not check(document):
        return
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            holder.annotations[:] = [a for a in holder.annotations if _repair(document, passage, a, report)]
    left = check(document)
    if left:
        raise ArticleError(f"{left[0]}; no repair is known for this")


def _move(passage: BioCPassage, by: int) -> None:
    """Move a passage. Its mentions are moved too, unless their offsets already fit the new position."""
    text = passage_text(passage)
    annotations = [annotation for holder in (passage, *passage.sentences) for annotation in holder.annotations]
    along = [_text_of(text, passage.offset, a.locations) == a.text for a in annotations]
    stays = [_text_of(text, passage.offset + by, a.locations) == a.text for a in annotations]
    most_move = sum(along) >= sum(stays)
    for annotation, moves, is_right in zip(annotations, along, stays, strict=True):
        if moves or (most_move and not is_right):
            annotation.locations = [BioCLocation(place.offset + by, place.length) for place in annotation.locations]
    for holder in (passage, *passage.sentences):
        holder.offset += by


def _repair(document: BioCDocument, passage: BioCPassage, annotation: BioCAnnotation, report: Report) -> bool:
    """Repair an annotation. Returns whether it is correct now."""
    text, offset, places = passage_text(passage), passage.offset, annotation.locations
    if not places or (found := _text_of(text, offset, places)) == annotation.text:
        return True
    where = f"document {document.id!r}, mention {annotation.text!r} at {places[0].offset}"
    if found is not None and len(places) > 1:
        annotation.locations = _trimmed(text, offset, places)
        if (whole := _text_of(text, offset, annotation.locations)) != annotation.text:
            annotation.text = whole
            report(f"{where}: it has {len(places)} pieces; its text is now the text of these pieces, {whole!r}")
        return True
    if found is not None and _bare(found) == _bare(str(annotation.text)):
        report(f"{where}: the text there is {found!r}, which is now its text")
        annotation.text = found
        return True
    # The text may be near: the nearest place counts, of two that are equally near the first.
    wanted, start = str(annotation.text or ""), places[0].offset - offset
    window = range(max(0, start - NEAR), min(len(text), start + NEAR) + 1) if wanted else ()
    hits = [place for place in window if text.startswith(wanted, place)]
    if len(places) == 1 and hits:
        nearest = offset + min(hits, key=lambda place: (abs(place - start), place))
        report(f"{where}: its text is at {nearest}; the mention was moved there")
        annotation.locations = [BioCLocation(nearest, len(annotation.text))]
        return True
    report(f"{where}: its text is not at or near this offset; the mention was left out")
    return False


def _trimmed(text: str, offset: int, places: list[BioCLocation]) -> list[BioCLocation]:
    """The pieces without blanks at their ends. Blank pieces are removed."""
    trimmed: list[BioCLocation] = []
    for place in places:
        piece = text[place.offset - offset : place.offset - offset + place.length]
        start = place.offset + len(piece) - len(piece.lstrip())
        if piece.strip():
            trimmed.append(BioCLocation(start, len(piece.strip())))
    return trimmed


def _bare(text: str) -> str:
    """The letters and digits of a text; the whole text if it has none."""
    return "".join(filter(str.isalnum, text)) or text


def _text_of(text: str, offset: int, places: list[BioCLocation]) -> str | None:
    pieces: list[str] = []
    for place in places:
        start = place.offset - offset
        if place.length <= 0 or start < 0 or start + place.length > len(text):
            return None
        pieces.append(text[start : start + place.length])
    return " ".join(pieces)
