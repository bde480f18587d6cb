"""The identifiers of a lexicon in the years that it knows, and what replaced them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sieves.lexicon.file import LOOKUP, lookup_in

_PARAMETERS = 500
"""Values of one query; SQLite has a limit."""


class IdentifierHistory:
    """Queries about identifiers of any year."""

    __slots__ = ("_each",)

    def __init__(self, each: Callable[..., Iterator[tuple[Any, ...]]]) -> None:
        """`each`: the rows of a query of the lexicon."""
        self._each = each

    def listing(self, identifier: str) -> tuple[int, str] | None:
        """The years that list an identifier (`StoredConcept.listed`), and its parents; None if no year does."""
        query = "SELECT listed, parents FROM {} WHERE id = ?"
        rows = self._rows(query.format("concept"), identifier) or self._rows(query.format("nameless"), identifier)
        return rows[0] if rows and rows[0][0] else None

    def has_listed(self, start: str, years: int) -> bool:
        """Whether any of the years (bits of `StoredConcept.listed`) lists an identifier that begins with `start`."""
        query = "SELECT EXISTS (SELECT 1 FROM concept WHERE listed & ? AND id >= ? AND id < ?)"
        return bool(self._rows(query, years, start, f"{start}\U0010ffff")[0][0])

    def newest_number(self, start: str) -> int:
        """The highest number of the listed identifiers that begin with `start`: NLM counts upwards."""
        every = "(SELECT id FROM concept WHERE listed UNION ALL SELECT id FROM nameless)"
        query = f"SELECT max(CAST(substr(id, ?) AS INTEGER)) FROM {every} WHERE id >= ? AND id < ?"
        return int(self._rows(query, len(start) + 1, start, f"{start}\U0010ffff")[0][0] or 0)

    def replacements(self) -> list[tuple[str, str]]:
        """All pairs of an identifier and the one that replaced it, sorted."""
        return self._rows("SELECT old, new FROM replaced ORDER BY old, new")

    def holders(self, key: str) -> tuple[str, ...]:
        """The identifiers, of all years and kinds, of the concepts with a name with this `relaxed` key, sorted."""
        rows = self._rows(LOOKUP, key) + self._rows(lookup_in("elsewhere"), key)
        return tuple(sorted({row[0] for row in rows}))

    def names_with_keys(self, identifiers: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """(identifier, `relaxed` key, name) for all names of concepts. Reads all names for each 500 concepts, 0.2 s."""
        for first in range(0, len(identifiers), _PARAMETERS):
            some = identifiers[first : first + _PARAMETERS]
            marks = ",".join("?" * len(some))
            rows = dict(self._rows(f"SELECT row, id FROM concept WHERE id IN ({marks})", *some))
            among = f"concept IN ({','.join('?' * len(rows))})"
            for table in ("name", "elsewhere"):
                for concept, key, name in self._each(f"SELECT concept, key, name FROM {table} WHERE {among}", *rows):
                    yield rows[concept], key, name

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return list(self._each(query, *values))
