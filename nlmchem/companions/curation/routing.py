"""Passages for another annotator, such as a language model: JSON lines, one passage a line.

    {"document": "123", "passage": 84, "text": "Zinc was given.",
     "mentions": [{"text": "Zinc", "start": 0, "end": 4, "identifier": "MESH:D015032", "probability": 0.61}]}

`passage` is the offset of the passage in its article; offsets of mentions count from the start of its text. The answer
has the same `document` and `passage`, and all mentions that are right. `nlmchem align` takes it back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.model.document import Mention, mentions_of
from corpora.model.passages import passage_text


def lines(documents: Iterable[BioCDocument]) -> str:
    """All passages of documents as JSON lines."""
    rows = (_row(document, passage) for document in documents for passage in document.passages)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def least_probability(passage: BioCPassage) -> float | None:
    """The lowest probability of the mentions of a passage; None if no mention states one."""
    stated = [value for value in map(_probability, mentions_of(passage)) if value is not None]
    return min(stated, default=None)


def _probability(mention: Mention) -> float | None:
    """The probability of a mention, or its score where it has none."""
    evidence = mention.evidence
    return evidence.score if evidence.probability is None else evidence.probability


def _row(document: BioCDocument, passage: BioCPassage) -> dict[str, Any]:
    return {
        "document": str(document.id),
        "passage": passage.offset,
        "text": passage_text(passage),
        "mentions": list(_mentions(passage)),
    }


def _mentions(passage: BioCPassage) -> Iterator[dict[str, Any]]:
    for mention in mentions_of(passage):
        (start, _), (_, end) = mention.spans[0], mention.spans[-1]
        probability = _probability(mention)
        yield {
            "text": mention.text,
            "start": start - passage.offset,
            "end": end - passage.offset,
            "identifier": ",".join(mention.identifiers) or None,
            "probability": None if probability is None else round(probability, 4),
        }
