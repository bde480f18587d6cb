"""What a format cannot hold: counted by kind, told in one sentence a document."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from corpora.reporting import Report

__all__ = ["Losses", "extra_keys", "infon_value"]


def extra_keys(holder: Any) -> dict[str, Any]:
    """The JSON keys that a BioC object came with and that BioC does not name."""
    found: dict[str, Any] = getattr(holder, "extra", None) or {}
    return found


class Losses:
    """Kinds of loss with how often each happened in one document."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, number: int = 1) -> None:
        """Note a loss, such as `relations`."""
        if number:
            self.counts[kind] += number

    def extra(self, holder: Any) -> None:
        """Note the keys of a BioC object that only JSON can hold."""
        if found := extra_keys(holder):
            # The `bioc` package writes the name of each object's class, which says nothing new.
            self.add("JSON keys that BioC does not name", len(found.keys() - {"bioctype"}))

    def tell(self, report: Report, format_name: str) -> None:
        """Report all kinds in one sentence; nothing where nothing was lost."""
        if self.counts:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.counts.items()))
            report(f"{format_name} cannot hold {kinds}; left out")


def infon_value(value: object, losses: Losses) -> str | None:
    """An infon's value as text; None for a null. Numbers, lists and objects become their JSON text."""
    if value is None:
        losses.add("nulls")
        return None
    if isinstance(value, str):
        return value
    losses.add("types of infon values (kept as text)")
    return json.dumps(value, ensure_ascii=False, default=str)
