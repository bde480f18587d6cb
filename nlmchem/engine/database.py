"""The database of the ledger: its tables and its values, checked.

SQLite stores any type in any column, and a damaged file can contain anything.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpora.errors import DAMAGE, damage

VERSION = 7

SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    # The input files of the current run, in reading order. `place` is the real path. `fault`: why it cannot be read.
    # `forms`, `versions`, `json`: what is beside it (`corpora.storage.pmc_files.Beside`).
    """CREATE TABLE file (
        id INTEGER PRIMARY KEY, place TEXT UNIQUE NOT NULL, path TEXT NOT NULL, relative TEXT NOT NULL, fault TEXT,
        forms INTEGER NOT NULL, versions INTEGER NOT NULL, json INTEGER NOT NULL
    )""",
    # One row for each output file. `state` is `open` (being read and annotated), `done` (the output exists) or
    # `changed` (its failed articles are being replayed, so the output must be written again).
    # `articles`: how many the input contained when it was last read to its end. `ordinal`: the place among the sources
    # of its file. `withdrawn`: the run that did not find it any more in the inputs.
    """CREATE TABLE source (
        id INTEGER PRIMARY KEY, output TEXT UNIQUE NOT NULL, path TEXT NOT NULL, member TEXT,
        run INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'open', stamp TEXT, header TEXT, articles INTEGER,
        ordinal INTEGER NOT NULL DEFAULT 0, withdrawn INTEGER
    )""",
    "CREATE INDEX source_path ON source (path, ordinal)",
    # One row for each article that is done or has failed. The text of a done article is in the part file of its
    # source, at `start` with `length`; in a run with numbered parts, in the file `segment` of all sources
    # (`nlmchem.engine.article_store`). If these are NULL, the text is in the output file.
    # `terms`: the number of index terms; NULL without the step `index`. `left_out`: the number of mentions below the
    # lowest score; NULL without one. `rated`: the number of mentions with a probability; `probability`: the sum of
    # these in units of 1/10,000, so that sums are exact in any order.
    """CREATE TABLE article (
        source INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL,
        document TEXT, segment INTEGER, start INTEGER, length INTEGER, mentions INTEGER, terms INTEGER,
        run INTEGER NOT NULL, left_out INTEGER, rated INTEGER, probability INTEGER, stage TEXT, message TEXT,
        PRIMARY KEY (source, position)
    ) WITHOUT ROWID""",
    "CREATE TABLE note (run INTEGER, source INTEGER NOT NULL, position INTEGER, sentence TEXT NOT NULL)",
    "CREATE INDEX note_place ON note (source, position)",
    # `complete`: the run has read all inputs to their end.
    "CREATE TABLE run (id INTEGER PRIMARY KEY, begun TEXT, ended TEXT, seconds TEXT, complete INTEGER)",
    # What a run changed after a complete one: `new`, `replaced`, `withdrawn`, `removed`.
    "CREATE TABLE change (run INTEGER NOT NULL, output TEXT NOT NULL, what TEXT NOT NULL)",
    # The files of the numbered parts that are written, and a hash of what each part contains.
    """CREATE TABLE part (
        number INTEGER NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (number, name)
    )""",
    # Outputs of runs that `restart` has forgotten, until the files are deleted.
    "CREATE TABLE stale (output TEXT NOT NULL)",
)
STATES = {"source": ("open", "done", "changed"), "article": ("done", "failed")}
RESTART_EMPTIES = ("meta", "source", "article", "note", "run", "change", "part")


def connect(path: Path) -> sqlite3.Connection:
    """Open the database, or make it with its tables. Raises `sqlite3.DatabaseError` for one of another version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if not version:
            with transaction(database):
                for statement in SCHEMA:
                    database.execute(statement)
                database.execute(f"PRAGMA user_version={VERSION}")
        elif version != VERSION:
            raise sqlite3.DatabaseError(f"it has version {version}, but this nlmchem writes version {VERSION}")
    except BaseException:
        database.close()
        raise
    return database


def inode(path: Path) -> tuple[int, int] | None:
    """What identifies a file on this machine, whatever its name; None if there is no file."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def require_intact(database: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` if pages, tables or indexes are damaged, or a state is unknown."""
    statements = [row[0] for row in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
    if sorted(statements) != sorted(SCHEMA):
        raise sqlite3.DatabaseError("its tables are not those of a ledger")
    state = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if state != "ok":
        raise sqlite3.DatabaseError(" ".join(str(state).split()))
    for table, states in STATES.items():
        wrong = f"SELECT state FROM {table} WHERE state NOT IN ({', '.join('?' * len(states))}) LIMIT 1"
        for (value,) in database.execute(wrong, states):
            raise sqlite3.DatabaseError(f"it contains {value!r} where the state of the {table} is expected")


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run the block as one transaction: an error rolls back all of its changes."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        # SQLite itself rolls back after some errors, such as a full disk.
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def whole(value: Any) -> int:
    """A number of a row. Raises `sqlite3.DatabaseError` for any other value: SQLite stores any type in any column."""
    if not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise sqlite3.DatabaseError(f"it contains {value!r} where a number is expected")
    return value


def json_object(text: Any) -> dict[str, Any]:
    """A JSON object of a row. Raises `sqlite3.DatabaseError` for anything else."""
    try:
        value = json.loads(text)
    except DAMAGE as error:
        raise sqlite3.DatabaseError(f"it contains broken JSON: {damage(error)}") from error
    if not isinstance(value, dict):
        raise sqlite3.DatabaseError("it contains broken JSON")
    return value


def found(row: Any) -> Any:
    """A row that must exist. Raises `sqlite3.DatabaseError`."""
    if row is None:
        raise sqlite3.DatabaseError("a row is missing")
    return row
