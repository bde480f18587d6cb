"""The database of a lexicon: how a file is recognized, opened and checked, its kind, and queries on it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

from corpora.errors import Argument, ResourceError
from corpora.reporting import Report
from corpora.storage.atomic import sha256_of
from sieves.lexicon.shipped import SHIPPED, shipped_file
from sieves.lexicon.store import CHEMICAL, CURRENT, ELSEWHERE, SCHEMA, SUBSTANCE, WAY_OUT
from sieves.lexicon.tables import STARTER, compile_own_names, compile_tsv, is_own_names, open_starter

_SQLITE_MAGIC = b"SQLite format 3\x00"

_OTHERS = """
SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1
"""

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
            try:
                digest = sha256_of(self.path)
            except OSError:
                digest = ""
            if not digest or stamp(self.path) != self._stamp:
                raise ResourceError(f"the lexicon at {self.path} was replaced while in use; run the command again")
            self._content = digest
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
    compiled = compile_own_names([path]) if is_own_names(path) else compile_tsv([path])
    return Database(compiled, path, str(path), in_memory=True)


# -- files --------------------------------------------------------------------------------------


def lookup_in(table: str) -> str:
    """The query for the names in a table with one `relaxed` key."""
    return f"""
SELECT concept.id, name.name, concept.preferred_name, name.layer, concept.years, name.count, concept.distance,
    name.preferred
FROM {table} AS name JOIN concept ON concept.row = name.concept
WHERE name.key = ?
"""


LOOKUP = lookup_in("name")


def is_sqlite(path: Path) -> bool:
    """Whether a lexicon is an SQLite file, not a table. Raises `ResourceError` if it is neither or cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_MAGIC))
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; ", WAY_OUT) from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); ", WAY_OUT) from error
    if start == _SQLITE_MAGIC:
        return True
    if path.suffix not in (".tsv", ".csv"):
        raise ResourceError(f"the file at {path} is not a lexicon: it is neither SQLite nor .tsv or .csv; ", WAY_OUT)
    return False


def stamp(path: Path) -> tuple[int, int, int] | None:
    """The inode number, size and modification time of a file; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


class _Shared(sqlite3.Connection):
    """A connection that several lexicons of a process use: each would map the whole file for itself otherwise."""

    users = 0

    def close(self) -> None:
        """Close it when the last lexicon does."""
        self.users -= 1
        if self.users <= 0:
            super().close()


_SHARED: WeakValueDictionary[tuple[int, Path, tuple[int, int, int] | None], _Shared] = WeakValueDictionary()
"""By process, place and stamp of the file: a fork of a process must not use its connections."""
_SHARING = Lock()


def connect(path: Path, shared: bool = False) -> sqlite3.Connection:
    """A read-only connection that any thread may use.

    SQLite treats the file as one that does not change: it takes no lock and does not check the file for each query,
    which took longer than most queries. `Lexicon.check` checks once for each chunk of articles. `shared`: map the file
    into memory once, so that all processes share its pages. Only for files that nobody truncates: reading a page that
    is gone ends the process.
    """
    address = f"file:{quote(str(path))}?mode=ro&immutable=1"
    if not shared:
        return sqlite3.connect(address, uri=True, check_same_thread=False)
    place = os.getpid(), path, stamp(path)
    with _SHARING:
        known = _SHARED.get(place)
        if known is None or known.users <= 0:
            known = _SHARED[place] = sqlite3.connect(address, uri=True, check_same_thread=False, factory=_Shared)
            known.execute(f"PRAGMA mmap_size = {1 << 30}")
        known.users += 1
    return known


def checked_meta(connection: sqlite3.Connection, path: Path) -> dict[str, str]:
    """The properties that a lexicon states. Raises `ResourceError` if it is broken or of another version."""
    try:
        # 16 MB for each process. The system's page cache, which processes share, has the rest.
        connection.execute("PRAGMA cache_size = -16000")
        # A view could be a query that never ends.
        others = connection.execute(_OTHERS).fetchone()
        if others is not None:
            raise ResourceError(
                f"the file at {path} has a {others[0]} {others[1]!r}, which a lexicon does not have; ", WAY_OUT
            )
        meta = {str(key): str(value) for key, value in connection.execute("SELECT key, value FROM meta")}
        if meta.get("schema") != SCHEMA or not meta.get("sha256"):
            version = f"has version {meta.get('schema')}, this program reads version {SCHEMA}"
            raise ResourceError(f"the lexicon at {path} {version}; ", WAY_OUT)
        connection.execute(LOOKUP, ("",)).fetchone()
    except (sqlite3.DatabaseError, ValueError) as error:
        raise ResourceError(f"the file at {path} is not a lexicon or is broken ({error}); ", WAY_OUT) from error
    return meta
