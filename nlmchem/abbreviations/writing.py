"""An occurrence of a short form, written into a document.

It belongs beside `corpora.document.add_definition`, in whose form it writes.
"""

from __future__ import annotations

from collections.abc import Iterator

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation

from corpora.document import ABBREVIATION, LONG_FORM, SHORT_FORM, Span, passage_text

__all__ = ["OCCURRENCE", "add_occurrence", "long_form_id"]

OCCURRENCE = "Occurrence"
"""The `strategy` of a relation that ties an occurrence to a long form defined elsewhere in the article."""


def long_form_id(passage: BioCPassage) -> str:
    """The id of the long form of the definition that was last added to a passage."""
    return str(next(node.refid for node in passage.relations[-1].nodes if node.role == LONG_FORM))


def add_occurrence(
    document: BioCDocument, passage: BioCPassage, span: Span, long_id: str, ids: Iterator[str], *, same_passage: bool
) -> None:
    """Add the short form at `span` (document offsets), and a relation to the long form with the id `long_id`.

    The relation is the passage's where the long form stands in the same one, else the document's. Two ids are drawn.
    """
    annotation = BioCAnnotation()
    annotation.id = next(ids)
    annotation.infons = {"type": ABBREVIATION, ABBREVIATION: SHORT_FORM}
    annotation.text = passage_text(passage)[span[0] - passage.offset : span[1] - passage.offset]
    annotation.add_location(BioCLocation(span[0], span[1] - span[0]))
    passage.add_annotation(annotation)
    relation = BioCRelation()
    relation.id = next(ids)
    relation.infons = {"type": ABBREVIATION, "strategy": OCCURRENCE}
    relation.nodes = [BioCNode(annotation.id, SHORT_FORM), BioCNode(long_id, LONG_FORM)]
    (passage if same_passage else document).add_relation(relation)
