"""The annotations of a BioC document, of any type: all of them, ids that are free, removal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import isfinite

from bioc import BioCAnnotation, BioCDocument, BioCPassage


def every_annotation(document: BioCDocument) -> Iterator[tuple[BioCAnnotation, BioCPassage | None]]:
    """Every annotation of a document, with its passage (None at document level), also those in sentences."""
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            for annotation in holder.annotations:
                yield annotation, passage
    for annotation in document.annotations:
        yield annotation, None


def fresh_ids(document: BioCDocument, prefix: str) -> Iterator[str]:
    """Ids `C1`, `C2`, ... (for the prefix `C`) that no annotation or relation of the document uses."""
    taken = {annotation.id for annotation, _ in every_annotation(document)}
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            taken.update(relation.id for relation in holder.relations)
    taken.update(relation.id for relation in document.relations)
    return (name for name in map(f"{prefix}{{}}".format, count(1)) if name not in taken)


def remove_of_type(document: BioCDocument, type: str) -> int:
    """Remove all annotations of one type from the document and its passages. Returns their number."""
    removed = 0
    for holder in (*document.passages, document):
        kept = [a for a in holder.annotations if a.infons.get("type") != type]
        removed += len(holder.annotations) - len(kept)
        holder.annotations[:] = kept
    return removed


def number_in(value: object) -> float | None:
    """The finite number that an infon states; None if it states none."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
