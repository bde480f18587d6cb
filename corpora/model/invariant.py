"""The offset invariant: the text of an annotation is the text at its locations.

Several locations are joined by one blank. The invariant is checked after reading, annotating and writing. A violation
in the input is reported and kept unchanged. A violation in an annotation of nlmchem makes the article fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.model.locations import text_at
from corpora.model.passage_search import PassageSearch
from corpora.model.passages import passage_text

SHOWN = 60
"""Characters of a text in a message."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An annotation with a text that differs from the text at its locations.

    `passage`: the offset of its passage; None at document level.
    """

    document: str
    passage: int | None
    annotation: str
    reason: str

    def __str__(self) -> str:
        place = "document level" if self.passage is None else f"passage at offset {self.passage}"
        return f"document {self.document!r}, {place}, annotation {self.annotation!r}: {self.reason}"


def check(document: BioCDocument) -> list[Violation]:
    """All violations in a document. Annotations without location do not violate the invariant."""
    violations: list[Violation] = []
    name = str(document.id)
    for passage in document.passages:
        try:
            text = passage_text(passage)
        except ArticleError as error:
            violations.append(Violation(name, passage.offset, "", str(error)))
            text = ""
        for holder in (passage, *passage.sentences):
            violations += _violations(name, passage, text, holder.annotations)
    violations += _document_level_violations(document)
    return violations


def overlapping_passages(document: BioCDocument) -> list[str]:
    """A sentence for every passage that begins before the end of an earlier passage."""
    sentences: list[str] = []
    reached = 0
    for passage in document.passages:
        if passage.offset < reached:
            sentences.append(
                f"document {document.id!r}: the passage at offset {passage.offset} begins before an earlier "
                f"passage ends ({reached}); the offsets were not changed"
            )
        reached = max(reached, passage.offset + len(_text_or_none(passage) or ""))
    return sentences


def require_invariant(document: BioCDocument, known: Iterable[Violation] = ()) -> None:
    """Raise `ArticleError` for the first violation that is not in `known` (the violations of the input)."""
    known = set(known)
    for violation in check(document):
        if violation not in known:
            raise ArticleError(f"{violation}; this is an error in nlmchem; please report it")


def _violations(document: str, passage: BioCPassage, text: str, held: Iterable[BioCAnnotation]) -> Iterator[Violation]:
    for annotation in held:
        reason = _mismatch(annotation, text, passage.offset)
        if reason:
            yield Violation(document, passage.offset, str(annotation.id), reason)


def _document_level_violations(document: BioCDocument) -> Iterator[Violation]:
    if not any(annotation.locations for annotation in document.annotations):
        return
    passages = [(passage.offset, _text_or_none(passage) or "") for passage in document.passages]
    search = PassageSearch(passages)
    for annotation in document.annotations:
        if not annotation.locations or _across_passages(annotation, passages, search) == annotation.text:
            continue
        first = annotation.locations[0]
        around = (passages[at] for at in search.around(first.offset, first.offset + first.length))
        if all(_mismatch(annotation, text, offset) for offset, text in around):
            reason = "its text is not at its locations in any passage"
            yield Violation(str(document.id), None, str(annotation.id), reason)


def _across_passages(
    annotation: BioCAnnotation, passages: Sequence[tuple[int, str]], search: PassageSearch
) -> str | None:
    """The text at the locations of a document-level annotation, each in the passage that contains it."""
    pieces = [
        next((piece for at in search.around(*span) if (piece := text_at(passages[at][1], passages[at][0], span))), "")
        for span in ((place.offset, place.offset + place.length) for place in annotation.locations)
    ]
    return " ".join(pieces) if all(pieces) else None


def _text_or_none(passage: BioCPassage) -> str | None:
    try:
        return passage_text(passage)
    except ArticleError:
        return None


def _mismatch(annotation: BioCAnnotation, text: str, offset: int) -> str | None:
    if not annotation.locations:
        return None
    pieces: list[str] = []
    for place in annotation.locations:
        start = place.offset - offset
        if place.length <= 0:
            return f"its location at offset {place.offset} is empty"
        if start < 0 or start + place.length > len(text):
            return (
                f"its location {place.offset}..{place.offset + place.length} is outside its passage "
                f"({offset}..{offset + len(text)})"
            )
        pieces.append(text[start : start + place.length])
    there = " ".join(pieces)
    if there == annotation.text:
        return None
    return f"its text is {_short(str(annotation.text))}, but the text at its location is {_short(there)}"


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")
