"""The facts of the articles that a run has written, so that the first search need not read them again.

Each shard of a run has a file of its own beside its ledger. A file is used as long as it has the size and the time of
change that it had when the run wrote it. What is missing here is read: a run may be killed, or may not be able to
write this file, without harm.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from corpora.errors import DAMAGE
from corpora.formats.registry import collection_names
from corpora.storage.atomic import storable, unshare
from nlmchem.run.observers import Observer
from nlmchem.run.plan import Plan
from nlmchem.search.facts import VERSION, ArticleFacts, facts_of, unpacked

FILE = "facts.sqlite"
_STATES = ".nlmchem*"
_VERSION = 100 * VERSION + 2
"""Of the facts, and of this table."""
_SCHEMA = f"""
BEGIN;
CREATE TABLE facts (
    output TEXT NOT NULL, position INTEGER NOT NULL, articles INTEGER NOT NULL, stamp TEXT NOT NULL,
    facts BLOB NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (output, position)
);
PRAGMA user_version={_VERSION};
COMMIT;
"""


def stamp_of(path: str | Path) -> str:
    """What changes when a file does: its size and the time of its last change; empty if there is none."""
    try:
        state = os.stat(path)  # noqa: PTH116 (a path for each file of a run takes longer)
    except OSError:
        return ""
    return f"{state.st_size}:{state.st_mtime_ns}"


def are_recorded(plan: Plan) -> bool:
    """Whether a run records facts: it annotates, and an article in memory has the facts that its output has."""
    is_exact = plan.format in collection_names() and plan.files.identifiers is None
    return bool(plan.steps) and plan.files.per_file is None and is_exact


class FactsRecorder:
    """Writes the facts of articles into the folder `state` of a run. It stops at the first error."""

    def __init__(self, state: Path) -> None:
        self._path = state / FILE
        self._database: sqlite3.Connection | None = None
        with suppress(sqlite3.Error, OSError):
            try:
                self._database = _connected(self._path)
            except sqlite3.DatabaseError:
                self._path.unlink(missing_ok=True)
                self._database = _connected(self._path)

    def record(self, output: str, path: Path, articles: Sequence[bytes]) -> None:
        """Store the packed facts of all articles of an output. Call `commit` after the last output."""
        if self._database is None:
            return
        try:
            output = storable(output)
            if not self._database.in_transaction:
                self._database.execute("BEGIN")
            self._database.execute("DELETE FROM facts WHERE output = ?", (output,))
            stamp = stamp_of(path)
            rows = ((output, position, len(articles), stamp, facts) for position, facts in enumerate(articles))
            with_digests = ((*row, _digest(*row)) for row in rows)
            self._database.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)", with_digests)
        except sqlite3.Error as error:
            self._end(error)

    def commit(self) -> None:
        """Write what was recorded."""
        try:
            if self._database is not None and self._database.in_transaction:
                self._database.execute("COMMIT")
        except sqlite3.Error as error:
            self._end(error)

    def _end(self, error: sqlite3.Error) -> None:
        """Record nothing any more. A damaged file is removed: the next run makes a new one."""
        self.close()
        if not isinstance(error, sqlite3.OperationalError):
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file; nothing is recorded any more."""
        if self._database is not None:
            self._database.close()
            self._database = None


OBSERVER = Observer(are_recorded, lambda document: facts_of(document).packed(), FactsRecorder)


def _digest(output: str, position: int, articles: int, stamp: str, facts: bytes) -> bytes:
    """What shows that a row is as it was written: a damaged one can have the facts of another article."""
    return blake2b(f"{output} {position} {articles} {stamp} ".encode() + facts, digest_size=8).digest()


def _connected(path: Path) -> sqlite3.Connection:
    unshare(path)
    database = sqlite3.connect(path, isolation_level=None)
    try:
        # What is lost in a power failure is read again.
        database.execute("PRAGMA synchronous=OFF")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if not version:
            database.executescript(_SCHEMA)
        elif version != _VERSION:
            raise sqlite3.DatabaseError("it is of another version")
    except BaseException:
        database.close()
        raise
    return database


class RecordedFacts:
    """Reads the facts that the run in a folder, or each of its shards, has recorded."""

    def __init__(self, run: Path) -> None:
        self._databases: list[sqlite3.Connection] = []
        for path in sorted(filter(Path.is_file, run.glob(f"{_STATES}/{FILE}"))) if run.is_dir() else ():
            with suppress(sqlite3.Error):
                database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
                self._databases.append(database)
                if database.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                    self._databases.remove(database)
                    database.close()

    def of(self, output: str, stamp: str) -> list[ArticleFacts]:
        """The facts of all articles of an output that is as the run wrote it; empty where they are not known."""
        for database in self._databases:
            try:
                rows = database.execute("SELECT * FROM facts WHERE output = ? ORDER BY position", (output,)).fetchall()
                is_whole = all(row[:4] == (output, at, len(rows), stamp) for at, row in enumerate(rows))
                if rows and is_whole and all(_digest(*row) == digest for *row, digest in rows):
                    return [unpacked(facts) for *_, facts, _ in rows]
            except (sqlite3.Error, zlib.error, *DAMAGE):
                continue
        return []

    def close(self) -> None:
        """Close the files."""
        for database in self._databases:
            database.close()
