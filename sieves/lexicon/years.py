"""The identifiers that a MeSH year has, and those that replace the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError
from sieves.lexicon.store import CURRENT


class Years:
    """The identifiers of one year in a lexicon that has the identifiers of several."""

    __slots__ = ("_bit", "_query", "_renamed")

    def __init__(
        self, query: Callable[..., list[tuple[Any, ...]]], as_of: int | None, meta: Mapping[str, str], path: Path
    ) -> None:
        """`query`: runs a query of the lexicon at `path` with the properties `meta`. `as_of`: the year; None for that
        of the files that the lexicon was built from. Raises `ConfigurationError` for a year without history."""
        self._query = query
        self._bit = _bit(as_of, meta, path)
        self._renamed = self._read_renamed()

    def dated(self, identifier: str, years: int | None = None) -> str | None:
        """An identifier (several are joined by `,`) as the year has it; None if the year does not have the concept.

        `years`: the bits of the years that have the identifier, where they are known.
        """
        if "," in identifier:
            parts = [self.dated(part) for part in identifier.split(",")]
            return None if None in parts else ",".join(part for part in parts if part)
        renamed = self._renamed.get(identifier)
        if renamed:
            return renamed
        return identifier if (self._of(identifier) if years is None else years) & self._bit else None

    def _of(self, identifier: str) -> int:
        rows = self._query("SELECT years FROM concept WHERE id = ?", identifier)
        return int(rows[0][0]) if rows else self._bit

    def _read_renamed(self) -> dict[str, str]:
        """Identifiers that the year does not have -> those that it has for the same concept."""
        concerned = "SELECT old FROM replaced UNION SELECT new FROM replaced"
        years = dict(self._query(f"SELECT id, years FROM concept WHERE id IN ({concerned})"))
        renamed: dict[str, str] = {}
        for old, new in self._query("SELECT old, new FROM replaced ORDER BY old, new"):
            has_old, has_new = (bool(years.get(identifier, self._bit) & self._bit) for identifier in (old, new))
            if has_new and not (has_old and old in years):
                renamed.setdefault(old, new)
            elif has_old and not has_new:
                renamed.setdefault(new, old)
        return renamed


def _bit(as_of: int | None, meta: Mapping[str, str], path: Path) -> int:
    """The bit of a year in the column `years` of concepts."""
    if as_of is None:
        return CURRENT
    years = meta.get("history", "").split()
    if str(as_of) == meta.get("year"):
        return CURRENT
    if str(as_of) not in years:
        known = ", ".join(dict.fromkeys([*years, *filter(None, [meta.get("year")])])) or "none"
        raise ConfigurationError(
            f"the lexicon at {path} has no history of MeSH {as_of} (it has {known}); build one with ",
            Argument("history"),
            ", or leave ",
            Argument("as_of"),
            " out",
        )
    return int(CURRENT << 1 + years.index(str(as_of)))
