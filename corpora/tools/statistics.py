"""Counts of a corpus, and their comparison with its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

from bioc import BioCDocument

from corpora.datasets.cards import Card
from corpora.datasets.samples import AcronymSample
from corpora.model.document import definitions, index_terms, mentions
from corpora.model.invariant import check
from corpora.model.passages import passage_text


@runtime_checkable
class Counted(Protocol):
    """An item that states its own counts, such as `{"articles": 1, "sentences": 12}`; they are added up."""

    def counts(self) -> Mapping[str, int]: ...


def measure(items: Iterable[Any]) -> dict[str, int]:
    """Counts of documents or samples, one item in memory at a time.

    For documents: `documents`, `passages`, `characters`, `definitions`, `index_terms`, `indexed` (documents with index
    terms), `violations` of the offset invariant, `pieces` of discontinuous mentions, and by type the mentions
    (`mentions.Chemical`) and the mentions with a concept (`linked.Chemical`).
    """
    counts: Counter[str] = Counter()
    shorts: set[str] = set()
    for item in items:
        match item:
            case BioCDocument():
                _count_document(item, counts)
            case AcronymSample():
                counts["samples"] += 1
                counts["masked"] += item.masked
                counts["in_dictionary"] += any(item.long_form == long.long_form for long in item.candidates)
                shorts.add(item.short_form)
                counts["short_forms"] = len(shorts)
            case Counted():
                counts.update(item.counts())
            case _:
                raise TypeError(f"cannot count a {type(item).__name__}")
    return dict(sorted(counts.items()))


def compare(card: Card, split: str, counts: Mapping[str, int]) -> list[str]:
    """A sentence for every count that differs from the card: it is another version of the corpus, or incomplete."""
    return [
        f"{card.name}, {split}: {counts.get(what, 0)} {what}, but {expected} on its card; "
        "this is another version of the corpus, or a part of it is missing"
        for what, expected in card.counts.get(split, {}).items()
        if counts.get(what, 0) != expected
    ]


def _count_document(document: BioCDocument, counts: Counter[str]) -> None:
    counts["documents"] += 1
    counts["passages"] += len(document.passages)
    counts["characters"] += sum(len(passage_text(passage)) for passage in document.passages)
    counts["violations"] += len(check(document))
    counts["definitions"] += sum(1 for definition in definitions(document) if not definition.is_occurrence)
    terms = sum(1 for _ in index_terms(document))
    counts["index_terms"] += terms
    counts["indexed"] += terms > 0
    for mention in mentions(document, None):
        counts[f"mentions.{mention.type}"] += 1
        counts[f"linked.{mention.type}"] += bool(mention.identifiers)
        counts["pieces"] += len(mention.spans) if len(mention.spans) > 1 else 0
