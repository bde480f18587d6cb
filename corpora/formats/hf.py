"""Hugging Face datasets: JSON lines in the layout of token classification, one passage a line. It is only written.

    datasets.load_dataset("json", data_files="articles.hf.jsonl")

Training scripts for token classification read `tokens` and `ner_tags` (IOB2). `offsets` has start and end of each
token, and `entities` has all mentions with their identifiers; both count code points from the start of the document.
"""

from __future__ import annotations

import json
from itertools import chain
from operator import add
from typing import Any

from bioc import BioCDocument

from corpora.formats.conll import count_blanks, marks_of, tagged_tokens
from corpora.formats.format import Joined
from corpora.formats.losses import Losses, encoded
from corpora.model.document import mentions
from corpora.model.passages import passage_text, section_type
from corpora.reporting import Report


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One JSON object a line, for each passage with text. Raises `ArticleError`. Reports what is left out."""
    losses = Losses()
    losses.beside_mentions(document, {"section_type"}, {"type", "identifier"})
    entities: dict[int, list[dict[str, Any]]] = {}
    for mention in mentions(document, None):
        identifiers = mention.identifiers
        losses.add("marks of mentions without a concept (-)", mention.sought and not identifiers)
        entity = {
            "id": str(mention.annotation.id or ""),
            "text": mention.text,
            "type": mention.type,
            "spans": [{"start": start, "end": end} for start, end in mention.spans],
            "identifiers": list(identifiers),
        }
        entities.setdefault(id(mention.passage), []).append(entity)
    lines: list[str] = []
    for number, passage in enumerate(document.passages):
        text = passage_text(passage)
        count_blanks(text, losses)
        if not text.strip():
            continue
        section = section_type(passage) or ""
        # All rows have the same keys and types, as tables need them.
        head = {"id": f"{document.id}-{number}", "document": str(document.id), "passage": number, "section": section}
        only_tags = Losses()
        texts, starts, tags = tagged_tokens(text, passage.offset, marks_of(passage, only_tags))
        # These are in `entities`, and only the tags lack them.
        losses.add("tags of mentions that overlap another, or have several pieces", sum(only_tags.counts.values()))
        # The values for each token take most of the time.
        ends = map(add, starts, map(len, texts))
        offsets = "[%d, %d], " * len(starts) % tuple(chain.from_iterable(zip(starts, ends, strict=True)))
        tokens = f'"tokens": {_json(texts)}, "ner_tags": {_json(tags)}, "offsets": [{offsets[:-2]}]'
        lines.append(f'{_json(head)[:-1]}, {tokens}, "entities": {_json(entities.get(id(passage), []))}}}\n')
    losses.add("empty passages", len(document.passages) - len(lines))
    losses.add("articles without text", not lines)
    losses.report(report, "the layout of Hugging Face datasets")
    return encoded("".join(lines), document)


_json = json.JSONEncoder(ensure_ascii=False).encode

WRITER = Joined(dumps)
