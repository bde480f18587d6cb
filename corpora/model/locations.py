"""Where annotations are: spans of a document, and the text at them."""

from __future__ import annotations

from collections.abc import Sequence

from bioc import BioCAnnotation, BioCLocation, BioCPassage

from corpora.errors import ArticleError

Span = tuple[int, int]
"""Start and end (exclusive) in code points from the start of the document."""


def locate(passage: BioCPassage, spans: Sequence[Span], id: str, text: str) -> BioCAnnotation:
    """Add an annotation at `spans` to a passage, with their text. `text`: that of the passage.

    Raises `ArticleError` if a span is empty or outside the passage.
    """
    pieces = [text_at(text, passage.offset, span) for span in spans]
    if not pieces or not all(pieces):
        raise ArticleError(
            f"no text at {list(spans)} in the passage at offset {passage.offset}; "
            "this is an error in the annotator; please report it"
        )
    annotation = BioCAnnotation()
    annotation.id = id
    annotation.text = " ".join(pieces)
    for start, end in spans:
        annotation.add_location(BioCLocation(start, end - start))
    passage.add_annotation(annotation)
    return annotation


def text_at(text: str, offset: int, span: Span) -> str:
    """The part of a passage's text at a span of the document; empty if the span is empty or not inside the text."""
    start, end = span[0] - offset, span[1] - offset
    if not 0 <= start < end <= len(text):
        return ""
    return text[start:end]


def outer(annotation: BioCAnnotation) -> Span:
    """From the start of the first location of an annotation to the end of the last one."""
    if len(annotation.locations) == 1:
        (place,) = annotation.locations
        return place.offset, place.offset + place.length
    starts = [place.offset for place in annotation.locations]
    ends = [place.offset + place.length for place in annotation.locations]
    return min(starts), max(ends)
