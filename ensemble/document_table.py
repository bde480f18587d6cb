"""Which documents of the runs are the same, and where the vote of each run on each document is stored.

Two documents are the same if their texts are equal passage by passage, and their join key (PMCID without prefix, else
PMID) or their id is equal. One id may belong to several documents of different texts: an article and its tables, for
example.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from corpora.errors import ConfigurationError
from ensemble.first_pass import RunIndex

__all__ = ["DocumentTable"]

_NOWHERE = -1


class DocumentTable:
    """Rows are documents, columns are sources (the runs, then the gold standard), cells are positions of votes."""

    def __init__(self, sources: Sequence[str], indexes: Sequence[RunIndex]) -> None:
        self.sources = sources
        self.names: list[str] = []
        """The id of each row's document, in the first source that has it."""
        self._positions = [array("q") for _ in sources]
        self._keys: list[str] = []
        self._rows: dict[tuple[str, str], int] = {}
        for column, index in enumerate(indexes):
            for id, key, digest, position in index.entries:
                self._enter(column, id, key, digest, position)

    def row(self, id: str, key: str, digest: str) -> int | None:
        """The row of a document, by its join key and text, else by its id and text."""
        found = self._rows.get((key, digest))
        return self._rows.get((id.removeprefix("PMC"), digest)) if found is None else found

    def _enter(self, column: int, id: str, key: str, digest: str, position: int) -> None:
        row = self.row(id, key, digest)
        if row is None:
            row = len(self.names)
            self.names.append(id)
            self._keys.append(key)
            self._rows[key, digest] = row
            self._rows.setdefault((id.removeprefix("PMC"), digest), row)
            for positions in self._positions:
                positions.append(_NOWHERE)
        if self.has(column, row):
            raise ConfigurationError(f"document {id!r} occurs twice in {self.sources[column]}; remove one of them")
        self._positions[column][row] = position

    def has(self, column: int, row: int) -> bool:
        """Whether a source has a document."""
        return self._positions[column][row] != _NOWHERE

    def position(self, column: int, row: int) -> int | None:
        """Where the vote of a source on a document is stored; None if the source does not have the document."""
        return self._positions[column][row] if self.has(column, row) else None

    def conflict(self) -> tuple[int, int, int, int] | None:
        """Two cells (column, row, column, row) of one article whose texts differ, or None.

        Texts differ if each of two sources has a document of the article that the other source does not have.
        """
        groups: dict[str, list[int]] = {}
        for row, key in enumerate(self._keys):
            groups.setdefault(key, []).append(row)
        for rows in groups.values():
            if len(rows) == 1:
                continue
            for here in range(len(self.sources)):
                for there in range(here + 1, len(self.sources)):
                    mine = [row for row in rows if self.has(here, row) and not self.has(there, row)]
                    other = [row for row in rows if self.has(there, row) and not self.has(here, row)]
                    if mine and other:
                        return here, mine[0], there, other[0]
        return None
