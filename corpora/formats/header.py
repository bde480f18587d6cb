"""The header of a collection: everything in it except its documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Header:
    """Source, date, key and infons of a BioC collection; `extra` contains JSON keys that BioC does not define.

    The date is that of the input, never today's: outputs contain no clock time.
    """

    source: str = ""
    date: str = ""
    key: str = ""
    infons: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
