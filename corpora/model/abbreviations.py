"""The abbreviations of a document, as in the BioC abbreviation corpora: annotations joined by a relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument, BioCNode, BioCPassage, BioCRelation

from corpora.model.annotations import every_annotation, number_in
from corpora.model.locations import Span, locate, outer
from corpora.model.passages import passage_text

ABBREVIATION = "ABBR"
SHORT_FORM = "ShortForm"
LONG_FORM = "LongForm"
OCCURRENCE = "Occurrence"
"""The `strategy` of a relation between an occurrence and a long form that is defined elsewhere in the article."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form and the long form that the article defines for it, or an occurrence of the short form elsewhere."""

    short_form: str
    long_form: str
    short_span: Span
    long_span: Span
    strategy: str | None = None
    score: float | None = None

    @property
    def is_occurrence(self) -> bool:
        """Whether the long form is the one of a definition at another place."""
        return self.strategy == OCCURRENCE


def definitions(document: BioCDocument) -> Iterator[Definition]:
    """The abbreviations of a document, which are annotations joined by a relation: definitions and occurrences.

    See `Definition.is_occurrence`.
    """
    for relation, short, long in _defining(document):
        yield Definition(
            short.text,
            long.text,
            outer(short),
            outer(long),
            relation.infons.get("strategy"),
            number_in(relation.infons.get("score")),
        )


def defined_forms(document: BioCDocument) -> list[tuple[str, str]]:
    """The distinct short and long forms of the abbreviations of a document, in the order of `definitions`.

    An article repeats few of them often, so use this where their places do not matter.
    """
    return list(dict.fromkeys((short.text, long.text) for _, short, long in _defining(document)))


def _defining(document: BioCDocument) -> Iterator[tuple[BioCRelation, BioCAnnotation, BioCAnnotation]]:
    """The relations of abbreviations, each with its short and its long form, which have locations."""
    everywhere = {annotation.id: annotation for annotation, _ in every_annotation(document)}
    sentences = (sentence for passage in document.passages for sentence in passage.sentences)
    for holder in (*document.passages, *sentences, document):
        if not holder.relations:
            continue
        # Some corpora restart the numbers of annotations in each passage: an id means the nearest annotation.
        nearest = {annotation.id: annotation for annotation in holder.annotations}
        for relation in holder.relations:
            if relation.infons.get("type") != ABBREVIATION:
                continue
            parts = {node.role: nearest.get(node.refid) or everywhere.get(node.refid) for node in relation.nodes}
            short, long = parts.get(SHORT_FORM), parts.get(LONG_FORM)
            if short is not None and long is not None and short.locations and long.locations:
                yield relation, short, long


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
