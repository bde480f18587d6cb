"""What a format cannot store of a document: counted by kind, reported in one sentence."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

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

    def listed(self) -> str:
        """The kinds with their numbers, as in `relations (2), sentences (5)`; empty where there are none."""
        return ", ".join(f"{kind} ({number})" for kind, number in sorted(self.counts.items()))

    def report(self, report: Report, title: str) -> None:
        """Report all kinds in one sentence; nothing where there was no loss. `title` names the format."""
        if self.counts:
            report(f"left out, because {title} cannot store it: {self.listed()}")


def infon_value(value: object, losses: Losses) -> str | None:
    """An infon's value as text; None for a null. Numbers, lists and objects become their JSON text."""
    if value is None:
        losses.add("null values")
        return None
    if isinstance(value, str):
        return value
    losses.add("types of infon values (stored as text)")
    return json.dumps(value, ensure_ascii=False, default=str)
