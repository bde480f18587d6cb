"""Published corpora have known faults; these are mended, each with a sentence, or the mention is left out.

Faults that are known: CHEMDNER in BioC has title and abstract both at offset 0; one mention of NLM-Chem's
training part stands a few characters from its text; the pieces of discontinuous mentions have blanks at their ends
or carry the text in between; marks were lost from a mention's text.
"""

from __future__ import annotations

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from corpora.errors import ArticleError
from corpora.model.document import passage_text
from corpora.model.invariant import check
from corpora.reporting import Report

__all__ = ["NEAR", "repair"]

NEAR = 20
"""How many code points from its place a mention's text is sought."""


def repair(document: BioCDocument, report: Report) -> None:
    """Make the offset invariant hold in a document: passages follow one another, mentions stand where they say."""
    _part_passages(document, report)
    if not check(document):
        return
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            holder.annotations[:] = [a for a in holder.annotations if _repair(document, passage, a, report)]
    left = check(document)
    if left:
        raise ArticleError(f"{left[0]}; no way to mend this is known")


def _part_passages(document: BioCDocument, report: Report) -> None:
    """Move a passage that begins before the one in front of it ends, and what it holds, behind it."""
    reached = 0
    for index, passage in enumerate(document.passages):
        if index and passage.offset < reached:
            by = reached + 1 - passage.offset
            report(f"document {document.id!r}: passage {index + 1} overlaps the one before; moved by {by} characters")
            _move(passage, by)
        reached = max(reached, passage.offset + len(passage_text(passage)))


def _move(passage: BioCPassage, by: int) -> None:
    """Mentions move along, unless their offsets count from the document's start already."""
    text = passage_text(passage)
    annotations = [annotation for holder in (passage, *passage.sentences) for annotation in holder.annotations]
    along = [_says(text, passage.offset, a.locations) == a.text for a in annotations]
    stays = [_says(text, passage.offset + by, a.locations) == a.text for a in annotations]
    most_move = sum(along) >= sum(stays)
    for annotation, moves, is_right in zip(annotations, along, stays, strict=True):
        if moves or (most_move and not is_right):
            annotation.locations = [BioCLocation(place.offset + by, place.length) for place in annotation.locations]
    passage.offset += by
    for sentence in passage.sentences:
        sentence.offset += by


def _repair(document: BioCDocument, passage: BioCPassage, annotation: BioCAnnotation, report: Report) -> bool:
    """Whether the annotation holds now."""
    text = passage_text(passage)
    places = annotation.locations
    if not places or _says(text, passage.offset, places) == annotation.text:
        return True
    where = f"document {document.id!r}, mention {annotation.text!r} at {places[0].offset}"
    there = _says(text, passage.offset, places)
    if there is not None and len(places) > 1:
        annotation.locations = _trimmed(text, passage.offset, places)
        if _says(text, passage.offset, annotation.locations) != annotation.text:
            annotation.text = _says(text, passage.offset, annotation.locations)
            report(f"{where}: it stands in {len(places)} pieces; its text is now theirs, {annotation.text!r}")
        return True
    if there is not None and _bare(there) == _bare(str(annotation.text)):
        report(f"{where}: {there!r} stands there, which is now its text")
        annotation.text = there
        return True
    start = _nearest(text, str(annotation.text or ""), places[0].offset - passage.offset)
    if len(places) == 1 and start is not None:
        report(f"{where}: its text stands at {passage.offset + start}; moved there")
        annotation.locations = [BioCLocation(passage.offset + start, len(annotation.text))]
        return True
    report(f"{where}: its text does not stand there nor near it; left out")
    return False


def _trimmed(text: str, offset: int, places: list[BioCLocation]) -> list[BioCLocation]:
    """The pieces without blanks at their ends; those of nothing but blanks go."""
    found: list[BioCLocation] = []
    for place in places:
        piece = text[place.offset - offset : place.offset - offset + place.length]
        start = place.offset + len(piece) - len(piece.lstrip())
        if piece.strip():
            found.append(BioCLocation(start, len(piece.strip())))
    return found


def _bare(text: str) -> str:
    """Letters and digits, of which there must be some for a comparison to say anything."""
    return "".join(filter(str.isalnum, text)) or text


def _says(text: str, offset: int, places: list[BioCLocation]) -> str | None:
    pieces: list[str] = []
    for place in places:
        start = place.offset - offset
        if place.length <= 0 or start < 0 or start + place.length > len(text):
            return None
        pieces.append(text[start : start + place.length])
    return " ".join(pieces)


def _nearest(text: str, sought: str, start: int) -> int | None:
    if not sought:
        return None
    window = range(max(0, start - NEAR), min(len(text), start + NEAR) + 1)
    hits = [place for place in window if text.startswith(sought, place)]
    return min(hits, key=lambda place: (abs(place - start), place), default=None)
