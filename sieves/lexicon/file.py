"""The file of a lexicon: whether it is one, how it is opened, whether it is still what it was."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from corpora.errors import ResourceError
from sieves.lexicon.store import SCHEMA

__all__ = ["LOOKUP", "WAY_OUT", "checked_meta", "connect", "is_sqlite", "stamp"]

WAY_OUT = "build one with `nlmchem lexicon build`, or name none to use the starter lexicon"
_SQLITE_MAGIC = b"SQLite format 3\x00"

_OTHERS = """
SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1
"""

LOOKUP = """
SELECT concept.id, name.name, concept.preferred_name, name.layer, concept.years, name.count, concept.distance,
    name.preferred
FROM name JOIN concept ON concept.row = name.concept
WHERE name.key = ?
"""
"""All that a lexicon says of the names with one `relaxed` key."""


def is_sqlite(path: Path) -> bool:
    """Whether a lexicon is an SQLite file or a TSV. Raises `ResourceError` where it is neither, or cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_MAGIC))
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; {WAY_OUT}") from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); {WAY_OUT}") from error
    if start == _SQLITE_MAGIC:
        return True
    if path.suffix != ".tsv":
        raise ResourceError(f"the file at {path} is no lexicon, neither SQLite nor .tsv; {WAY_OUT}")
    return False


def stamp(path: Path) -> tuple[int, int, int] | None:
    """The number, size and time of writing of a file; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def connect(path: Path) -> sqlite3.Connection:
    """A connection that only reads, usable from any thread.

    Builds replace a lexicon as a whole. Read as a file that does not change, it needs no lock and no look at the file
    for every query, which cost more than most queries; `Lexicon.check` looks once for a chunk of articles.
    """
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True, check_same_thread=False)


def checked_meta(connection: sqlite3.Connection, path: Path) -> dict[str, str]:
    """What a lexicon says of itself. Raises `ResourceError` where it is broken or of another version."""
    try:
        # 16 MB for each process; more is the page cache's work, which all share.
        connection.execute("PRAGMA cache_size = -16000")
        # A view could be a query that never ends.
        others = connection.execute(_OTHERS).fetchone()
        if others is not None:
            raise ResourceError(f"the file at {path} has a {others[0]} {others[1]!r}, which no lexicon has; {WAY_OUT}")
        meta = {str(key): str(value) for key, value in connection.execute("SELECT key, value FROM meta")}
    except (sqlite3.DatabaseError, ValueError) as error:
        raise ResourceError(f"the file at {path} is no lexicon or broken ({error}); {WAY_OUT}") from error
    if meta.get("schema") != SCHEMA or not meta.get("sha256"):
        raise ResourceError(
            f"the lexicon at {path} is of version {meta.get('schema')}, this program reads version {SCHEMA}; {WAY_OUT}"
        )
    try:
        connection.execute(LOOKUP, ("",)).fetchone()
    except sqlite3.DatabaseError as error:
        raise ResourceError(f"the file at {path} is no lexicon or broken ({error}); {WAY_OUT}") from error
    return meta
