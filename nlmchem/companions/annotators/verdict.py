"""What was found for one mention by `nlmchem verify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpora.model.document import Mention

SURE = 0.9
"""Lowest probability of another concept with which an identifier counts as wrong
(docs/reference/annotators.md has what this gives)."""


class Finding(StrEnum):
    """What is right or wrong with a mention, the worst first."""

    TEXT = "text not at the offsets"
    FORM = "no identifier of MeSH by its form"
    UNKNOWN = "not in MeSH"
    REPLACED = "replaced in MeSH"
    KIND = "not a chemical"
    DEFINITION = "contradicts a definition of the article"
    OTHER_CONCEPT = "name of another concept"
    TWO_IDENTIFIERS = "two identifiers for one text"
    SUBSTANCE = "substance of another kind"
    UNCONFIRMED = "no sieve confirms it"
    OTHER_VOCABULARY = "identifier of another vocabulary"
    NO_IDENTIFIER = "no identifier"
    CONFIRMED = "confirmed"

    @property
    def is_wrong(self) -> bool:
        """Whether the annotation needs a correction."""
        return self not in _RIGHT


_RIGHT = (Finding.SUBSTANCE, Finding.UNCONFIRMED, Finding.OTHER_VOCABULARY, Finding.NO_IDENTIFIER, Finding.CONFIRMED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One mention with what was found.

    Args:
        document: The id of the article.
        mention: The mention.
        finding: The worst of what was found.
        reason: The finding in words.
        suggested: The concepts that it should have; empty if none is known.
        probability: How sure the suggested concepts are, 0 to 1; None if this was not measured.
    """

    document: str
    mention: Mention
    finding: Finding
    reason: str
    suggested: tuple[str, ...] = ()
    probability: float | None = None

    def as_row(self) -> Mapping[str, Any]:
        """The verdict as plain values, by the columns of the report."""
        spans = self.mention.spans
        return {
            "document": self.document,
            "id": str(self.mention.annotation.id or ""),
            "start": spans[0][0],
            "end": spans[-1][1],
            "text": self.mention.text,
            "identifier": ",".join(self.mention.identifiers),
            "finding": str(self.finding),
            "reason": self.reason,
            "suggested": ",".join(self.suggested),
            "probability": None if self.probability is None else round(self.probability, 4),
        }
