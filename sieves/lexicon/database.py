"""The opened database of a lexicon: which of the three kinds it is, what its file states, and queries on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from corpora.errors import Argument, ResourceError
from corpora.reporting import Report
from sieves.lexicon.building import compile_tsv
from sieves.lexicon.file import WAY_OUT, checked_meta, connect, content_of, is_sqlite, stamp
from sieves.lexicon.shipped import SHIPPED, shipped_file
from sieves.lexicon.starter import STARTER, open_starter
from sieves.lexicon.store import CHEMICAL, CURRENT, ELSEWHERE, SUBSTANCE

_NAMES = """
SELECT DISTINCT name.name, concept.id FROM name JOIN concept ON concept.row = name.concept
WHERE concept.distance <= ? ORDER BY name.name, concept.id
"""

_EVERY_NAME = f"""
SELECT own.name, concept.id FROM (SELECT name, concept FROM name UNION SELECT name, concept FROM elsewhere) AS own
JOIN concept ON concept.row = own.concept WHERE concept.years & {CURRENT} ORDER BY own.name, concept.id
"""


class Database:
    """A lexicon as tables. `source` opens the same one again: `SHIPPED`, `STARTER`, or the path of a file."""

    __slots__ = ("_connection", "_content", "_stamp", "meta", "path", "source")

    def __init__(self, connection: sqlite3.Connection, path: Path, source: str, in_memory: bool = False) -> None:
        """Raises `ResourceError` if the file is broken or of another version; then the connection is closed."""
        self._connection = connection
        self._stamp = None if in_memory else stamp(path)
        self._content: str | None = None
        self.path = path
        self.source = source
        try:
            self.meta: Mapping[str, str] = MappingProxyType(checked_meta(connection, path))
            """The properties that the file states: sources, years, counts."""
        except BaseException:
            connection.close()
            raise

    @property
    def in_memory(self) -> bool:
        """Whether it was compiled into memory: the starter lexicon, or a TSV."""
        return self._stamp is None

    @property
    def place(self) -> str:
        """Which lexicon it is and where it is, for messages."""
        if self.source == SHIPPED:
            return f"the default lexicon (MeSH {self.meta.get('year')}), unpacked to {self.path}"
        return "the starter lexicon" if self.source == STARTER else str(self.path)

    def close(self) -> None:
        self._connection.close()

    def check(self) -> None:
        """Raises `ResourceError` if the file was written to since it was opened: its answers may be wrong.

        A file that was moved, removed or replaced is still open and unchanged.
        """
        now = None if self._stamp is None else stamp(self.path)
        if now is not None and self._stamp is not None and now != self._stamp and now[0] == self._stamp[0]:
            raise ResourceError(f"the lexicon at {self.path} is broken (written to while in use); ", WAY_OUT)

    def content(self) -> str:
        """The sha256, in hex, that decides whether what was made of another lexicon can be used for this one.

        A file only states its `version`, and an edited copy states that of its original. Therefore it is the sha256 of
        the file; the version where it was computed here (a TSV), or where the file was compared with that of the
        package. Names of the user do not count. Raises `ResourceError` if the file was replaced since it was opened.
        """
        if self.in_memory or self.source == SHIPPED:
            return self.meta["sha256"]
        if self._content is None:
            self._content = content_of(self.path, self._stamp)
        return self._content

    def names(self, distance: int = 1) -> Iterator[tuple[str, str]]:
        """Every (name, identifier) of concepts of at most this distance (see `StoredConcept`), sorted."""
        self.check()
        yield from self.each(_NAMES, distance)
        self.check()

    def every_name(self) -> Iterator[tuple[str, str]]:
        """Every (name, identifier) of the lexicon's own year, also of concepts that are no substances, sorted."""
        self.check()
        yield from self.each(_EVERY_NAME)
        self.check()

    def keys(self) -> Iterator[str]:
        """The distinct `relaxed` keys of all names, sorted."""
        self.check()
        for (key,) in self.each("SELECT DISTINCT key FROM name ORDER BY key"):
            yield key

    def layers(self) -> tuple[str, ...]:
        """The sources of names, the most trusted first."""
        return tuple(name for (name,) in self.query("SELECT name FROM layer ORDER BY rank"))

    def counts(self) -> dict[str, int]:
        """The number of concepts, and the number of names in each layer."""
        query = "SELECT count(*) FROM concept WHERE distance = ?"
        numbers = {
            "chemicals": self.query(query, CHEMICAL)[0][0],
            "other substances": self.query(query, SUBSTANCE)[0][0],
            "other concepts": self.query(query, ELSEWHERE)[0][0],
        }
        for rank, layer in enumerate(self.layers()):
            numbers[f"names of {layer}"] = self.query("SELECT count(*) FROM name WHERE layer = ?", rank)[0][0]
        numbers["names of other concepts"] = self.query("SELECT count(*) FROM elsewhere")[0][0]
        return numbers

    def query(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        """The rows of a query. Raises `ResourceError` if the file is broken."""
        return list(self.each(query, *values))

    def each(self, query: str, *values: str | int) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one by one. Raises `ResourceError` if the file is broken."""
        try:
            yield from self._connection.execute(query, values)
        except UnicodeEncodeError:
            # SQLite stores UTF-8, so no name or identifier of a lexicon contains a lone surrogate.
            return
        except sqlite3.DatabaseError as error:
            raise ResourceError(f"the lexicon at {self.path} is broken ({error}); ", WAY_OUT) from error


def open_database(source: Path | str | None, report: Report) -> Database:
    """The database of the default lexicon (None), of `STARTER`, or of a TSV or SQLite file. Raises `ResourceError`."""
    if source is None:
        path = shipped_file(report)
        return Database(connect(path, shared=True), path, SHIPPED)
    if str(source) == STARTER:
        return Database(open_starter(), Path(STARTER), STARTER, in_memory=True)
    if not str(source):
        raise ResourceError("the name of the lexicon is empty; name a file, or leave ", Argument("lexicon"), " out")
    path = Path(source).resolve()
    if is_sqlite(path):
        return Database(connect(path), path, str(path))
    return Database(compile_tsv([path]), path, str(path), in_memory=True)
