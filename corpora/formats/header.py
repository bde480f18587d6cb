"""What a collection says of itself, apart from its documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Header"]


@dataclass(slots=True)
class Header:
    """Source, date, key and infons of a BioC collection; `extra` holds JSON keys that BioC does not name.

    The date is the input's, never today's: output carries no clock time.
    """

    source: str = ""
    date: str = ""
    key: str = ""
    infons: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
