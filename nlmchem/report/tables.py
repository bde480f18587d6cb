"""A table of texts and numbers, as pages show it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` have as many cells as `head`. The first `texts` columns contain words, the others numbers.

    `id`: the HTML id, empty for none. `winners`: cells (row, column) that are highlighted.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    id: str = ""
    winners: frozenset[tuple[int, int]] = frozenset()
