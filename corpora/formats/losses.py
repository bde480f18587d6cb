"""What a format cannot store of a document: counted by kind, reported in one sentence; and what UTF-8 cannot store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container
from typing import Any

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.model.document import every_annotation, every_relation, holders_of
from corpora.reporting import Report


def extra_keys(holder: Any) -> dict[str, Any]:
    """The JSON keys of a BioC object that BioC does not define."""
    keys: dict[str, Any] = getattr(holder, "extra", None) or {}
    return keys


class Losses:
    """How often each kind of loss occurred in one document."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, number: int = 1) -> None:
        """Count a loss, such as `relations`."""
        if number:
            self.counts[kind] += number

    def extra(self, holder: Any) -> None:
        """Count the keys of a BioC object that only JSON can store."""
        if keys := extra_keys(holder):
            # The `bioc` package writes the class name of each object as `bioctype`: no information is lost with it.
            self.add("JSON keys that BioC does not define", len(keys.keys() - {"bioctype"}))

    def around(self, document: BioCDocument, stored: Container[str] = ()) -> None:
        """Count what stands around the annotations: infons but those that the format has `stored`, sentences, keys."""
        holders = holders_of(document)
        self.add(
            "infons of documents and passages", sum(key not in stored for holder in holders for key in holder.infons)
        )
        self.add("sentences", sum(len(passage.sentences) for passage in document.passages))
        for holder in holders:
            self.extra(holder)

    def relations(self, document: BioCDocument) -> None:
        self.add("relations", sum(1 for _ in every_relation(document)))

    def infons_of_mentions(self, document: BioCDocument, stored: Container[str], without: str | None = None) -> None:
        """Count the infons of mentions but those that the format has `stored`, and keys that only JSON can store.

        `without`: a type of mentions that are counted in another way.
        """
        number = 0
        for annotation, _ in every_annotation(document):
            if without is not None and annotation.infons.get("type") == without:
                continue
            for key in annotation.infons:
                number += key not in stored
            self.extra(annotation)
        self.add("infons of mentions", number)

    def beside_mentions(self, document: BioCDocument, infons: Container[str], of_mentions: Container[str]) -> None:
        """Count all but the mentions of passages, for a format that stores these infons: of passages, `of_mentions`."""
        self.relations(document)
        self.around(document, infons)
        self.infons_of_mentions(document, of_mentions)
        unplaced = sum(not annotation.locations for annotation, _ in every_annotation(document))
        self.add("annotations without location", unplaced)
        self.add("annotations of the document", sum(bool(one.locations) for one in document.annotations))

    def listed(self) -> str:
        """The kinds with their numbers, as in `relations (2), sentences (5)`; empty where there are none."""
        return ", ".join(f"{kind} ({number})" for kind, number in sorted(self.counts.items()))

    def report(self, report: Report, title: str) -> None:
        """Report all kinds in one sentence; nothing where there was no loss. `title` names the format."""
        if self.counts:
            report(f"left out, because {title} cannot store it: {self.listed()}")

    def report_changes(self, report: Report, title: str) -> None:
        """Report all kinds as changes of the content."""
        if self.counts:
            report(f"changed to fit into {title}: {self.listed()}")


def infon_value(value: object, losses: Losses) -> str | None:
    """An infon's value as text; None for a null. Numbers, lists and objects become their JSON text."""
    if value is None:
        losses.add("null values")
        return None
    if isinstance(value, str):
        return value
    losses.add("types of infon values (stored as text)")
    return json.dumps(value, ensure_ascii=False, default=str)


def encoded(text: str, document: BioCDocument) -> bytes:
    """`text`, which is from `document`, in UTF-8. Raises `ArticleError` for a lone surrogate."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArticleError(
            f"document {document.id!r} contains a lone surrogate, which UTF-8 cannot store; correct the text"
        ) from error
