"""The database of the ledger: its tables and its values, checked; the queries on inputs, changes and numbered parts.

SQLite stores any type in any column, and a damaged file can contain anything.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from corpora.errors import DAMAGE, damage
from corpora.storage import atomic
from corpora.storage.inputs import InputFile
from corpora.storage.pmc_files import Beside
from nlmchem.engine.tasks import Source

VERSION = 8

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
    # (`nlmchem.engine.parts`). If these are NULL, the text is in the output file.
    # `counts`: what is counted in a done article, as a JSON object of numbers (`nlmchem.engine.tasks.TaskResult`).
    """CREATE TABLE article (
        source INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL,
        document TEXT, segment INTEGER, start INTEGER, length INTEGER, run INTEGER NOT NULL, counts TEXT NOT NULL,
        stage TEXT, message TEXT, PRIMARY KEY (source, position)
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
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        atomic.unshare(file)
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
    try:
        # Inside the `try`: Ctrl-C right after it must not leave a transaction open, in which the next one cannot begin.
        database.execute("BEGIN IMMEDIATE")
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


# -- input files --------------------------------------------------------------------------------

FileRow = tuple[str, str, str, str | None, int, int, int]
"""Real path, path, relative path, fault, and what is beside the file (`corpora.storage.pmc_files.Beside`)."""
_COLUMNS = "place, path, relative, fault, forms, versions, json"


class InputList:
    """The table `file` of a ledger."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def replace(self, files: Iterable[FileRow]) -> int:
        """Replace the list of input files by rows of the table without their number. Returns the number of files.

        A file that is given twice counts once. Files are read in the order of their paths.
        """
        self._database.execute("DELETE FROM file")
        self._database.execute("DROP TABLE IF EXISTS temp.given")
        self._database.execute(f"CREATE TEMP TABLE given ({_COLUMNS})")
        self._database.executemany("INSERT INTO given VALUES (?, ?, ?, ?, ?, ?, ?)", files)
        # Of the rows with the same place, `min` selects the first one.
        self._database.execute(
            f"INSERT INTO file ({_COLUMNS}) SELECT {_COLUMNS} FROM"
            f" (SELECT {_COLUMNS}, min(rowid) FROM given GROUP BY place) ORDER BY path"
        )
        return int(self._database.execute("SELECT count(*) FROM file").fetchone()[0])

    def repeated(self) -> tuple[int, str]:
        """The number of given paths that are other names of a file, and one of them in words. After `replace`."""
        number, example = 0, ""
        for path, kept in self._database.execute(
            "SELECT given.path, file.path FROM temp.given JOIN file USING (place) WHERE given.path != file.path"
            " ORDER BY given.path"
        ):
            # The same path, written in two ways, needs no sentence.
            if os.path.abspath(path) != os.path.abspath(kept):  # noqa: PTH100
                number += 1
                example = example or f"{path} (the same file as {kept})"
        self._database.execute("DROP TABLE temp.given")
        return number, example

    def files(self) -> Iterator[InputFile]:
        """The input files. Other methods may be called during the iteration."""
        last = 0
        while rows := self._database.execute(
            "SELECT id, path, relative, fault, forms, versions, json FROM file WHERE id > ? ORDER BY id LIMIT 500",
            (last,),
        ).fetchall():
            for number, path, relative, fault, *beside in rows:
                last = number
                yield InputFile(path, PurePosixPath(relative), fault=fault, beside=Beside(*beside))

    def contains(self, place: str) -> bool:
        """Whether a real path is one of the input files."""
        return self._database.execute("SELECT 1 FROM file WHERE place = ?", (place,)).fetchone() is not None

    def has_below(self, folder: str) -> bool:
        """Whether one of the input files is in a folder, given by its real path, or below it."""
        begin = folder.rstrip("/")
        query = "SELECT 1 FROM file WHERE place > ? AND place < ? LIMIT 1"
        return self._database.execute(query, (f"{begin}/", f"{begin}0")).fetchone() is not None


# -- increments ---------------------------------------------------------------------------------

NEW, REPLACED, WITHDRAWN, REMOVED = "new", "replaced", "withdrawn", "removed"
KINDS = (NEW, REPLACED, WITHDRAWN, REMOVED)
"""In the order in which they are reported."""


class Changes:
    """The table `change` of a ledger, and the sources that a run did not find in its inputs."""

    def __init__(self, database: sqlite3.Connection, run: int) -> None:
        self._database = database
        self._run = run

    def is_increment(self) -> bool:
        """Whether a complete run has written the folder before."""
        row = self._database.execute("SELECT 1 FROM run WHERE complete AND id < ? LIMIT 1", (self._run,)).fetchone()
        return row is not None

    def add(self, output: PurePosixPath, what: str) -> None:
        """Record a change of a source, by its output."""
        self._database.execute("INSERT INTO change VALUES (?, ?, ?)", (self._run, str(output), what))

    def not_found(self) -> Iterator[tuple[Source, bool]]:
        """The sources of earlier runs that are not in this one, and whether their input file is read by this run."""
        last = 0
        query = (
            "SELECT id, path, member, output, EXISTS (SELECT 1 FROM file WHERE file.path = source.path)"
            " FROM source WHERE run < ? AND id > ? ORDER BY id LIMIT 500"
        )
        while rows := self._database.execute(query, (self._run, last)).fetchall():
            for number, path, member, output, is_read in rows:
                last = number
                yield Source(number, path, member, PurePosixPath(output)), bool(is_read)

    def withdraw(self, source: Source) -> None:
        """Mark a source: the inputs no longer contain it."""
        marked = self._database.execute(
            "UPDATE source SET withdrawn = ? WHERE id = ? AND withdrawn IS NULL", (self._run, source.id)
        )
        if marked.rowcount:
            self.add(source.output, WITHDRAWN)

    def remove(self, source: Source) -> None:
        """Forget a source whose output was removed. Call in a transaction."""
        for table in ("article", "note"):
            self._database.execute(f"DELETE FROM {table} WHERE source = ?", (source.id,))
        self._database.execute("DELETE FROM source WHERE id = ?", (source.id,))
        self.add(source.output, REMOVED)

    def complete(self) -> None:
        """Record that the run has read all of its inputs, and stored all results."""
        self._database.execute("UPDATE run SET complete = 1 WHERE id = ?", (self._run,))


# -- numbered parts -----------------------------------------------------------------------------

Extent = tuple[int, int, int]
"""Where an article is stored: the number of a segment, start and length."""


class Cursor(NamedTuple):
    """The order of articles: path of the source, its place in the file, its output, and position of the article."""

    path: str
    ordinal: int
    output: str
    position: int


START = Cursor("", 0, "", -1)

_END = "store"


Slot = tuple[Cursor, str, Extent | None]
"""An article in the order of parts: its place, its hash, and its extent (None: it failed, and counts all the same)."""


class PartList:
    """The tables `part`, `source` and `article` of a ledger, for numbered parts."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def slots(self, after: Cursor, most: int, before: int | None = None) -> list[Slot]:
        """The next articles after a cursor, at most `most`; with `before`, only those before this source."""
        # The first condition uses the index of sources.
        query = (
            "SELECT s.path, s.ordinal, s.output, a.position, a.hash, a.state, a.segment, a.start, a.length"
            " FROM source s CROSS JOIN article a ON a.source = s.id WHERE (s.path, s.ordinal) >= (:path, :ordinal)"
            " AND (s.path, s.ordinal, s.output, a.position) > (:path, :ordinal, :output, :position)"
        )
        if before is not None:
            query += " AND (s.path, s.ordinal) < (SELECT path, ordinal FROM source WHERE id = :before)"
        query += " ORDER BY s.path, s.ordinal, s.output, a.position LIMIT :most"
        return [
            (Cursor(*row[:4]), row[4], _extent(row[6:]) if row[5] == "done" else None)
            for row in self._database.execute(query, {**after._asdict(), "before": before, "most": most})
        ]

    def extents(self, source_id: int) -> Iterator[Extent]:
        """Where the done articles of a source are stored."""
        for row in self._database.execute(
            "SELECT segment, start, length FROM article WHERE source = ? AND state = 'done'", (source_id,)
        ):
            yield _extent(row)

    # -- parts ----------------------------------------------------------------------------------

    def content(self, number: int) -> str | None:
        """The hash of what a part contains; None where it was not written."""
        row = self._database.execute("SELECT content FROM part WHERE number = ?", (number,)).fetchone()
        return None if row is None else str(row[0])

    def record(self, number: int, names: Sequence[PurePosixPath], content: str) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        self.forget(number)
        self._database.executemany("INSERT INTO part VALUES (?, ?, ?)", [(number, str(n), content) for n in names])
        self._database.execute("COMMIT")

    def forget(self, number: int) -> None:
        self._database.execute("DELETE FROM part WHERE number = ?", (number,))

    def after(self, number: int) -> list[tuple[int, list[PurePosixPath]]]:
        """The parts with a higher number, and the names of their files."""
        rows = self._database.execute(
            "SELECT number, json_group_array(name) FROM part WHERE number > ? GROUP BY number", (number,)
        )
        return [(whole(at), [PurePosixPath(name) for name in json.loads(names)]) for at, names in rows.fetchall()]

    def number(self) -> int:
        """How many parts are written."""
        return whole(self._database.execute("SELECT count(DISTINCT number) FROM part").fetchone()[0])

    # -- the store ------------------------------------------------------------------------------

    def store_end(self) -> tuple[int, int]:
        """Segment and size of the store of articles."""
        row = self._database.execute("SELECT value FROM meta WHERE key = ?", (_END,)).fetchone()
        values = {} if row is None else json_object(row[0])
        return whole(values.get("segment", 1)), whole(values.get("size", 0))

    def set_store_end(self, end: tuple[int, int]) -> None:
        """Record the end of the store. Call in the transaction that records its articles."""
        value = json.dumps({"segment": end[0], "size": end[1]})
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_END, value))


def _extent(values: Sequence[object]) -> Extent:
    return whole(values[0]), whole(values[1]), whole(values[2])
