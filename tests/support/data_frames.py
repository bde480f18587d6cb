"""A data frame as polars has it, for environments without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Frame:
    """Rows with the same columns. It iterates over the names of its columns, as data frames do."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows
        self.columns = list(rows[0])
        self.shape = len(rows), len(self.columns)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, column: str) -> list[Any]:
        return [row[column] for row in self._rows]

    def iter_rows(self, *, named: bool) -> Iterator[dict[str, Any]]:
        assert named
        return iter(self._rows)
