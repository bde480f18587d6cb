"""The schema `kb` of BigBio (Fries et al. 2022, NeurIPS Datasets and Benchmarks), version 1.0.

In this schema the text of an article is its passages joined by one blank, and all offsets count in this text.
"""

from __future__ import annotations

from typing import Any

from bioc import BioCDocument

from corpora.model.passages import passage_kind, passage_text, section_type
from ensemble.silver.article_table import entities_of
from ensemble.silver.fields import FieldType, TableField, TableSchema, as_row

_TEXTS = TableField("text", lists=1)
_OFFSETS = TableField("offsets", type=FieldType.SHORT, lists=2)
CONCEPT = (TableField("db_name"), TableField("db_id"))
PASSAGE = (TableField("id"), TableField("type"), _TEXTS, _OFFSETS)
ENTITY = (
    TableField("id"), TableField("type"), _TEXTS, _OFFSETS, TableField("normalized", parts=CONCEPT, lists=1),
)  # fmt: skip
EVENT = (
    TableField("id"),
    TableField("type"),
    TableField("trigger", parts=(_TEXTS, _OFFSETS)),
    TableField("arguments", parts=(TableField("role"), TableField("ref_id")), lists=1),
)
RELATION = (
    TableField("id"), TableField("type"), TableField("arg1_id"), TableField("arg2_id"),
    TableField("normalized", parts=CONCEPT, lists=1),
)  # fmt: skip
KB = TableSchema(
    "bigbio_kb",
    "bigbio_kb",
    "the same articles in the schema `kb` of BigBio",
    (
        TableField("id", "unique in the data set"),
        TableField("document_id", "the id of the article"),
        TableField("passages", "its text in parts", parts=PASSAGE, lists=1),
        TableField("entities", "its mentions; `normalized` has their concepts", parts=ENTITY, lists=1),
        TableField("events", "empty", parts=EVENT, lists=1),
        TableField("coreferences", "empty", parts=(TableField("id"), TableField("entity_ids", lists=1)), lists=1),
        TableField("relations", "empty", parts=RELATION, lists=1),
    ),
)


def kb_row(document: BioCDocument) -> dict[str, Any]:
    """The row of an article. Its ids are unique if the ids of the articles are."""
    name = str(document.id)
    passages, shifts, end = [], {}, 0
    for number, passage in enumerate(document.passages):
        text = passage_text(passage)
        shifts[id(passage)] = end - passage.offset
        kind = section_type(passage) or passage_kind(passage)
        passages.append(as_row(PASSAGE, (f"{name}-p{number}", kind, [text], [[end, end + len(text)]])))
        end += len(text) + 1
    entities = []
    for number, mention in enumerate(entities_of(document)):
        shift = shifts[id(mention.passage)]
        start = mention.passage.offset
        text = passage_text(mention.passage)
        pieces = [text[first - start : last - start] for first, last in mention.spans]
        offsets = [[first + shift, last + shift] for first, last in mention.spans]
        concepts = [as_row(CONCEPT, _concept(identifier)) for identifier in mention.identifiers]
        entities.append(as_row(ENTITY, (f"{name}-e{number}", mention.type, pieces, offsets, concepts)))
    return as_row(KB.columns, (name, name, passages, entities, [], [], []))


def _concept(identifier: str) -> tuple[str, str]:
    database, colon, number = identifier.partition(":")
    return (database, number) if colon else ("", identifier)
