"""The file of a lexicon: how it is recognized, opened and checked."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from threading import Lock
from typing import TypeVar
from urllib.parse import quote
from weakref import WeakValueDictionary

from corpora.errors import Argument, ResourceError, Text, command
from corpora.storage.atomic import sha256_of
from sieves.lexicon.store import SCHEMA

WAY_OUT = Text(
    f"build one with {command('lexicon build')}, or leave ", Argument("lexicon"), " out to use the default lexicon"
)
Connection = TypeVar("Connection", bound=sqlite3.Connection)
_SQLITE_MAGIC = b"SQLite format 3\x00"

_OTHERS = """
SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1
"""


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
    """Whether a lexicon is an SQLite file, not a TSV. Raises `ResourceError` if it is neither or cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_MAGIC))
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; ", WAY_OUT) from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); ", WAY_OUT) from error
    if start == _SQLITE_MAGIC:
        return True
    if path.suffix != ".tsv":
        raise ResourceError(f"the file at {path} is not a lexicon: it is neither SQLite nor .tsv; ", WAY_OUT)
    return False


def stamp(path: Path) -> tuple[int, int, int] | None:
    """The inode number, size and modification time of a file; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def content_of(path: Path, known: tuple[int, int, int] | None) -> str:
    """The sha256 of a file in hex. Raises `ResourceError` if its stamp is not the one that is known."""
    try:
        digest = sha256_of(path)
    except OSError:
        digest = ""
    if not digest or stamp(path) != known:
        raise ResourceError(f"the lexicon at {path} was replaced while in use; run the command again")
    return digest


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
    if not shared:
        return _connected(path, sqlite3.Connection)
    place = os.getpid(), path, stamp(path)
    with _SHARING:
        known = _SHARED.get(place)
        if known is None or known.users <= 0:
            known = _SHARED[place] = _connected(path, _Shared)
            known.execute(f"PRAGMA mmap_size = {1 << 30}")
        known.users += 1
    return known


def _connected(path: Path, kind: type[Connection]) -> Connection:
    address = f"file:{quote(str(path))}?mode=ro&immutable=1"
    return sqlite3.connect(address, uri=True, check_same_thread=False, factory=kind)


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
    except (sqlite3.DatabaseError, ValueError) as error:
        raise ResourceError(f"the file at {path} is not a lexicon or is broken ({error}); ", WAY_OUT) from error
    if meta.get("schema") != SCHEMA or not meta.get("sha256"):
        raise ResourceError(
            f"the lexicon at {path} has version {meta.get('schema')}, this program reads version {SCHEMA}; ", WAY_OUT
        )
    try:
        connection.execute(LOOKUP, ("",)).fetchone()
    except sqlite3.DatabaseError as error:
        raise ResourceError(f"the file at {path} is not a lexicon or is broken ({error}); ", WAY_OUT) from error
    return meta
