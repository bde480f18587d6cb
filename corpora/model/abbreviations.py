"""Abbreviations written into a document, as in the BioC abbreviation corpora: annotations joined by a relation.

`corpora.model.document.definitions` reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

from bioc import BioCDocument, BioCNode, BioCPassage, BioCRelation

from corpora.model.document import ABBREVIATION, LONG_FORM, OCCURRENCE, SHORT_FORM, Definition
from corpora.model.locations import Span, locate
from corpora.model.passages import passage_text


def add_definition(passage: BioCPassage, definition: Definition, ids: Iterator[str]) -> str:
    """Add a definition as two annotations and a relation, as in the BioC abbreviation corpora.

    Takes three ids from `ids` (see `fresh_ids`). Returns the id of the long form, for `add_occurrence`.
    """
    nodes = []
    for role, span in ((SHORT_FORM, definition.short_span), (LONG_FORM, definition.long_span)):
        annotation = locate(passage, [span], next(ids), passage_text(passage))
        annotation.infons = {"type": ABBREVIATION, ABBREVIATION: role}
        nodes.append(BioCNode(annotation.id, role))
    relation = BioCRelation()
    relation.id = next(ids)
    relation.infons = {"type": ABBREVIATION}
    if definition.strategy is not None:
        relation.infons["strategy"] = definition.strategy
    if definition.score is not None:
        relation.infons["score"] = f"{definition.score:.4f}"
    relation.nodes = nodes
    passage.add_relation(relation)
    return str(nodes[-1].refid)


def add_occurrence(
    document: BioCDocument, passage: BioCPassage, span: Span, long_id: str, ids: Iterator[str], *, same_passage: bool
) -> None:
    """Add the short form at `span` (document offsets), and a relation to the long form with the id `long_id`.

    The passage contains the relation if the long form is in the same passage, else the document does. Takes two ids.
    """
    annotation = locate(passage, [span], next(ids), passage_text(passage))
    annotation.infons = {"type": ABBREVIATION, ABBREVIATION: SHORT_FORM}
    relation = BioCRelation()
    relation.id = next(ids)
    relation.infons = {"type": ABBREVIATION, "strategy": OCCURRENCE}
    relation.nodes = [BioCNode(annotation.id, SHORT_FORM), BioCNode(long_id, LONG_FORM)]
    (passage if same_passage else document).add_relation(relation)
