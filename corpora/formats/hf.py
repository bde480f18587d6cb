"""Hugging Face datasets: JSON lines in the layout of token classification, one passage a line. It is only written.

    datasets.load_dataset("json", data_files="articles.hf.jsonl")

Training scripts for token classification read `tokens` and `ner_tags` (IOB2). `offsets` has start and end of each
token, and `entities` has all mentions with their identifiers; both count code points from the start of the document.
"""

from __future__ import annotations

import json
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.formats.conll import count_unplaced, marks_of, tagged_tokens
from corpora.formats.format import Joined
from corpora.formats.losses import Losses
from corpora.formats.utf8 import encoded
from corpora.model.document import mentions
from corpora.model.passages import passage_text, section_type
from corpora.reporting import Report


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One JSON object a line, for each passage with text. Raises `ArticleError`. Reports what is left out."""
    losses = Losses()
    losses.relations(document)
    losses.around(document, stored={"section_type"})
    losses.infons_of_mentions(document, stored={"type", "identifier"})
    count_unplaced(document, losses)
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(document, losses)]
    losses.add("empty passages", len(document.passages) - len(lines))
    losses.add("articles without text", not lines)
    losses.report(report, "the layout of Hugging Face datasets")
    return encoded("".join(lines), document)


def rows(document: BioCDocument, losses: Losses) -> list[dict[str, Any]]:
    """The row of each passage with text. All rows have the same keys and types, as tables need them."""
    entities: dict[int, list[dict[str, Any]]] = {}
    for mention in mentions(document, None):
        losses.add("marks of mentions without a concept (-)", mention.sought and not mention.identifiers)
        spans = [{"start": start, "end": end} for start, end in mention.spans]
        entity = {
            "id": str(mention.annotation.id or ""),
            "text": mention.text,
            "type": mention.type,
            "spans": spans,
            "identifiers": list(mention.identifiers),
        }
        entities.setdefault(id(mention.passage), []).append(entity)
    return [
        _row(document, number, passage, entities.get(id(passage), []), losses)
        for number, passage in enumerate(document.passages)
        if passage_text(passage).strip()
    ]


def _row(
    document: BioCDocument, number: int, passage: BioCPassage, entities: list[dict[str, Any]], losses: Losses
) -> dict[str, Any]:
    only_tags = Losses()
    text, offset = passage_text(passage), passage.offset
    tokens = tagged_tokens(text, marks_of(passage, only_tags))
    # These are in `entities`, and only the tags lack them.
    losses.add("tags of mentions that overlap another, or have several pieces", sum(only_tags.counts.values()))
    return {
        "id": f"{document.id}-{number}",
        "document": str(document.id),
        "passage": number,
        "section": section_type(passage) or "",
        "tokens": [text[start:end] for start, end, _ in tokens],
        "ner_tags": [tag for _, _, tag in tokens],
        "offsets": [(offset + start, offset + end) for start, end, _ in tokens],
        "entities": entities,
    }


WRITER = Joined(dumps)
