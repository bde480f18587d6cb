"""A table of texts and numbers, as pages show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Link", "Table"]


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to an address: an URL, or a path relative to the page."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` have as many cells as `head`. The first `texts` columns contain words, the others numbers.

    `id`: the HTML id, empty for none. `winners`: cells (row, column) that are highlighted. `links`: cells (row, column)
    that are shown as links; their texts, joined by blanks, are the text of the cell. `sortable`: the reader can
    sort the rows; `sorted_by`: the column that they are sorted by, in ascending order. `cards`: on narrow screens, the
    cells of a row are shown below each other instead of in columns.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    id: str = ""
    winners: frozenset[tuple[int, int]] = frozenset()
    links: Mapping[tuple[int, int], tuple[Link, ...]] = field(default_factory=dict)
    sortable: bool = False
    sorted_by: int | None = None
    cards: bool = False
