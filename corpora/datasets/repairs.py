"""Repairs of known faults in published corpora. Each repair is reported; a mention without a repair is left out.

Known faults: in CHEMDNER (BioC) title and abstract both have offset 0. One mention of the NLM-Chem training part is a
few characters away from its text. The pieces of discontinuous mentions have blanks at their ends or include the text
between them. The text of a mention lacks punctuation. Concept ids have many spellings; they get one, `MESH:D014867`.
"""

from __future__ import annotations

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from corpora.errors import ArticleError
from corpora.model.document import mentions, set_identifiers
from corpora.model.invariant import check
from corpora.model.passages import passage_text
from corpora.reporting import Report

NEAR = 20
"""The text of a mention is searched up to this number of code points from its location."""


def repair(document: BioCDocument, report: Report) -> None:
    """Correct the offsets of a document, so that passages do not overlap and mentions are at their locations.

    Raises `ArticleError` where no repair is known.
    """
    _separate_passages(document, report)
    if not check(document):
        return
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            holder.annotations[:] = [a for a in holder.annotations if _repair(document, passage, a, report)]
    left = check(document)
    if left:
        raise ArticleError(f"{left[0]}; no repair is known for this")


def _separate_passages(document: BioCDocument, report: Report) -> None:
    """Move a passage that begins before the end of an earlier passage to that end, with its contents."""
    reached = 0
    for index, passage in enumerate(document.passages):
        if index and passage.offset < reached:
            by = reached + 1 - passage.offset
            report(
                f"document {document.id!r}: passage {index + 1} overlaps an earlier passage; moved by {by} characters"
            )
            _move(passage, by)
        reached = max(reached, passage.offset + len(passage_text(passage)))


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
    passage.offset += by
    for sentence in passage.sentences:
        sentence.offset += by


def _repair(document: BioCDocument, passage: BioCPassage, annotation: BioCAnnotation, report: Report) -> bool:
    """Repair an annotation. Returns whether it is correct now."""
    text = passage_text(passage)
    places = annotation.locations
    if not places or _text_of(text, passage.offset, places) == annotation.text:
        return True
    where = f"document {document.id!r}, mention {annotation.text!r} at {places[0].offset}"
    there = _text_of(text, passage.offset, places)
    if there is not None and len(places) > 1:
        annotation.locations = _trimmed(text, passage.offset, places)
        if _text_of(text, passage.offset, annotation.locations) != annotation.text:
            annotation.text = _text_of(text, passage.offset, annotation.locations)
            report(
                f"{where}: it has {len(places)} pieces; its text is now the text of these pieces, {annotation.text!r}"
            )
        return True
    if there is not None and _bare(there) == _bare(str(annotation.text)):
        report(f"{where}: the text there is {there!r}, which is now its text")
        annotation.text = there
        return True
    start = _nearest(text, str(annotation.text or ""), places[0].offset - passage.offset)
    if len(places) == 1 and start is not None:
        report(f"{where}: its text is at {passage.offset + start}; the mention was moved there")
        annotation.locations = [BioCLocation(passage.offset + start, len(annotation.text))]
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


def _nearest(text: str, wanted: str, start: int) -> int | None:
    if not wanted:
        return None
    window = range(max(0, start - NEAR), min(len(text), start + NEAR) + 1)
    hits = [place for place in window if text.startswith(wanted, place)]
    return min(hits, key=lambda place: (abs(place - start), place), default=None)


def unify(document: BioCDocument) -> None:
    """Rewrite the ids of all mentions in one spelling. A mention without ids is not changed."""
    for mention in mentions(document, None):
        if mention.identifiers:
            set_identifiers(mention, mention.identifiers)
