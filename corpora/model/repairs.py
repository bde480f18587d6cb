"""The typed view on repaired mentions: what a repair changed, and what the other annotator had written.

Contains the keys of these infons:

| infon | value |
|---|---|
| `repair` | what the repair did; absent where it changed nothing |
| `original_span`, `original_text` | position (`start-end`, in the document) and text before the repair |
| `original_type` | the type before the repair, if it was another one |
| `original_identifier` | the identifiers of the text before the repair |

Values of `repair`: `changed` (other limits), `divided` (a further part of a mention), `added`, `joined` (now a part of
the mention before it) and `removed`.
"""

from __future__ import annotations

from bioc import BioCAnnotation, BioCLocation, BioCPassage

from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, Span, add_mention, clear_identifiers, identifier_parts
from corpora.model.locations import text_at

CHANGED, DIVIDED, ADDED, JOINED, REMOVED = "changed", "divided", "added", "joined", "removed"
REMOVED_TYPE = f"Removed_{CHEMICAL}"
"""The type of a mention that a repair removed. It stays in the document, and no score or stage counts it."""


def retype(mention: Mention, type: str = CHEMICAL) -> None:
    """Give a mention another type and store the type that it had."""
    if mention.type != type:
        mention.annotation.infons.setdefault("original_type", mention.type)
        mention.annotation.infons["type"] = type


def move(mention: Mention, span: Span, text: str, how: str = CHANGED) -> None:
    """Move a mention to another span (document offsets). `text`: the text of its passage.

    Its identifiers and their evidence described the earlier text, so they are moved to `original_identifier`.
    """
    annotation = mention.annotation
    _remember(mention, how)
    identifiers = identifier_parts(annotation)
    if identifiers is not None:
        annotation.infons["original_identifier"] = ",".join(identifiers)
    clear_identifiers(mention)
    _place(annotation, span, text_at(text, mention.passage.offset, span))


def copy_to(mention: Mention, span: Span, text: str, id: str) -> Mention:
    """A second part of a mention that a repair divides. Call it before the mention itself is moved."""
    made = BioCAnnotation()
    made.id, made.text = id, mention.annotation.text
    made.infons = dict(mention.annotation.infons)
    made.locations = list(mention.annotation.locations)
    mention.passage.add_annotation(made)
    part = Mention(made, mention.passage)
    move(part, span, text, DIVIDED)
    return part


def take_out(mention: Mention, how: str = REMOVED) -> None:
    """Remove a mention: it gets the type `REMOVED_TYPE` and keeps everything else."""
    retype(mention, REMOVED_TYPE)
    mention.annotation.infons["repair"] = how


def add_repaired(passage: BioCPassage, span: Span, *, id: str, annotator: str, score: float, text: str) -> Mention:
    """Add a mention that a rule found (as `add_mention`)."""
    mention = add_mention(passage, [span], id=id, annotator=annotator, score=score, text=text)
    mention.annotation.infons["repair"] = ADDED
    return mention


def _remember(mention: Mention, how: str) -> None:
    infons = mention.annotation.infons
    infons["repair"] = how
    infons.setdefault("original_span", ";".join(f"{start}-{end}" for start, end in mention.spans))
    infons.setdefault("original_text", mention.text)


def _place(annotation: BioCAnnotation, span: Span, text: str) -> None:
    annotation.locations = [BioCLocation(span[0], span[1] - span[0])]
    annotation.text = text
