"""What inputs contain and a run does not read: other forms and versions of articles, and articles left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from corpora.storage.members import Member
from corpora.storage.pmc_files import Beside
from corpora.words.quantities import quantity

LISTED = 1000
"""The largest number of articles left out that a manifest lists."""


@dataclass(slots=True)
class Apart:
    """Counts of what is not read. `left_out`: numbers of articles by reason; `first`: the first with their reasons."""

    forms: int = 0
    versions: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    first: list[tuple[str, str]] = field(default_factory=list)

    def add(self, beside: Beside) -> None:
        """Count what is beside an article that is read."""
        self.forms += beside.forms
        self.versions += beside.versions

    def leave_out(self, member: Member, reason: str) -> None:
        """Count an article that is not read."""
        self.left_out[reason] += 1
        if len(self.first) < LISTED:
            self.first.append((str(member), reason))

    def __add__(self, other: Apart) -> Apart:
        return Apart(
            self.forms + other.forms,
            self.versions + other.versions,
            self.left_out + other.left_out,
            (self.first + other.first)[:LISTED],
        )

    def sentences(self) -> list[str]:
        """What is not read, in words; empty where there is nothing."""
        words = []
        if self.forms:
            words.append(quantity(self.forms, "other form"))
        if self.versions:
            words.append(quantity(self.versions, "other version"))
        if self.left_out:
            reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(self.left_out.items()))
            words.append(f"left out {self.left_out.total()} ({reasons})")
        return words

    def as_json(self) -> dict[str, Any]:
        """The counts for the manifest."""
        return {
            "other_forms": self.forms,
            "other_versions": self.versions,
            "left_out": dict(sorted(self.left_out.items())),
            "first_left_out": [{"article": article, "reason": reason} for article, reason in self.first],
        }
