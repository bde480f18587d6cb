"""File names of article pages."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PageNames"]


class PageNames:
    """File names made from document ids: safe characters only, and different for each document."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: set[str] = set()

    def next(self, document: str) -> Path:
        """The path of the next page."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", document)[:100] or "article"
        name, number = plain, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name.lower())
        return self._folder / f"{name}.html"
