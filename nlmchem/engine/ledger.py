"""The ledger: which articles of a run are begun, done or failed. With it a killed run continues where it stopped.

It is one SQLite file under the output folder, in write-ahead mode. A row is written only after the bytes that it
describes are on disk. A kill can therefore lose only work without a row, and that work is done again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from corpora.errors import Argument, ConfigurationError
from corpora.storage.atomic import storable
from corpora.storage.locks import may_be_cut
from nlmchem.engine import database
from nlmchem.engine.account import Account
from nlmchem.engine.database import Changes, Extent, InputList, PartList, found, json_object, whole
from nlmchem.engine.stop import is_broken, one_line
from nlmchem.engine.tasks import Source, TaskResult
from nlmchem.run.plan import differences


class Ledger:
    """Only one process at a time opens a ledger: the runner locks the output folder."""

    def __init__(self, path: Path) -> None:
        self._database = database.connect(path)
        self.inputs = InputList(self._database)
        """The input files of this run."""
        self.parts = PartList(self._database)
        """The numbered parts of the run, if it writes them."""
        self._path = path
        self._inode = _inode(path)
        try:
            self.run: int = whole(self._value("SELECT coalesce(max(id), 0) + 1 FROM run"))
        except BaseException:
            self._database.close()
            raise

    @property
    def account(self) -> Account:
        """The counts, failures and notes of this run."""
        return Account(self._database, self.run)

    @property
    def changes(self) -> Changes:
        """What this run changes in a folder that was complete before."""
        return Changes(self._database, self.run)

    def is_in_place(self) -> bool:
        """Whether its file is still there, and no other one in its place. SQLite writes also to a removed file."""
        return self._inode is not None and _inode(self._path) == self._inode

    def close(self) -> None:
        """Close the database. SQLite then merges the write-ahead log."""
        self._database.close()

    def transaction(self) -> AbstractContextManager[None]:
        """Run the block as one transaction: an error rolls back all of its changes."""
        return database.transaction(self._database)

    @contextmanager
    def durable(self) -> Iterator[None]:
        """Transactions in the block are on the disk when they end, and so are all transactions before them.

        Other transactions are safe when the process is killed, but a power failure can undo the last of them. A file
        may be removed only when what replaces it is recorded durably.
        """
        self._database.execute("PRAGMA synchronous=FULL")
        try:
            yield
        finally:
            self._database.execute("PRAGMA synchronous=NORMAL")

    # -- runs -----------------------------------------------------------------------------------

    def begin_run(self, fingerprint: dict[str, Any], plan: dict[str, Any], now: str) -> None:
        """Record the start of a run. `plan`: the JSON values of the plan, for replays.

        Call it in the transaction that registers the sources, so that a refused run changes nothing.
        Raises `ConfigurationError` if the folder contains results of another configuration.
        """
        known = self._value("SELECT value FROM meta WHERE key = 'fingerprint'")
        if known is not None and (before := json_object(known)) != fingerprint:
            names = differences(before, fingerprint)
            differing = f"{', '.join(names)} {'differs' if len(names) == 1 else 'differ'}"
            raise ConfigurationError(
                f"the output folder contains results of another configuration ({differing}); "
                "choose another folder, or use ",
                Argument("restart", True),
                " to delete them and start again",
            )
        values = [("fingerprint", json.dumps(fingerprint)), ("plan", json.dumps(plan))]
        self._database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)
        self._database.execute("INSERT INTO run (id, begun) VALUES (?, ?)", (self.run, now))

    def is_without_results(self, fingerprint: dict[str, Any]) -> bool:
        """Whether all runs had another configuration and no article is done: a new run may take the folder over."""
        known = self._value("SELECT value FROM meta WHERE key = 'fingerprint'")
        if known is None or json_object(known) == fingerprint:
            return False
        return self._value("SELECT 1 FROM article WHERE state = 'done' LIMIT 1") is None

    def plan(self) -> dict[str, Any]:
        """The plan of the runs in the folder, as JSON values."""
        return json_object(self._value("SELECT value FROM meta WHERE key = 'plan'") or "{}")

    def was_killed(self) -> bool:
        """Whether an earlier run was ended before it could finish."""
        return self._value("SELECT 1 FROM run WHERE ended IS NULL AND id < ?", self.run) is not None

    def end_run(self, now: str, seconds: dict[str, float]) -> None:
        """Record the end of a run. `seconds`: the time that each stage took, summed over all workers."""
        self._database.execute(
            "UPDATE run SET ended = ?, seconds = ? WHERE id = ?", (now, json.dumps(seconds), self.run)
        )

    def forget_everything(self) -> None:
        """For `restart`: delete the record of all runs and list their outputs as stale. Call in a transaction."""
        self._database.execute("INSERT INTO stale SELECT output FROM source UNION ALL SELECT name FROM part")
        for table in database.RESTART_EMPTIES:
            self._database.execute(f"DELETE FROM {table}")
        self._database.execute("INSERT INTO meta VALUES ('stale', 'yes')")
        self.run = 1

    def has_stale(self) -> bool:
        """Whether a restart still has to delete files of earlier runs."""
        return self._value("SELECT 1 FROM meta WHERE key = 'stale'") is not None

    def stale_outputs(self) -> Iterator[str]:
        """The output names of the runs that a restart has forgotten."""
        for (output,) in self._database.execute("SELECT output FROM stale"):
            # A damaged name must not lead to a file outside of the folder.
            if not PurePosixPath(output).is_absolute() and ".." not in PurePosixPath(output).parts:
                yield output

    def clear_stale(self) -> None:
        """Record that the files of forgotten runs are deleted."""
        with self.transaction():
            self._database.execute("DELETE FROM stale")
            self._database.execute("DELETE FROM meta WHERE key = 'stale'")

    # -- sources --------------------------------------------------------------------------------

    def add_source(self, path: str, member: str | None, output: PurePosixPath, ordinal: int = 0) -> Source:
        """Register a source of this run. `ordinal`: its place among the sources of its file.

        Raises `ConfigurationError` if another source of this run has the same output name.
        """
        row = self._database.execute(
            "SELECT id, path, member, run FROM source WHERE output = ?", (str(output),)
        ).fetchone()
        if row is None:
            cursor = self._database.execute(
                "INSERT INTO source (output, path, member, run, ordinal) VALUES (?, ?, ?, ?, ?)",
                (str(output), path, member, self.run, ordinal),
            )
            return Source(int(cursor.lastrowid or 0), path, member, output)
        source = Source(row[0], path, member, output)
        if row[3] == self.run and (row[1], row[2]) != (path, member):
            raise ConfigurationError(
                f"{Source(0, row[1], row[2], output)} and {source} would both be written to {output}; "
                "rename one, or annotate them into different folders"
            )
        self._database.execute(
            "UPDATE source SET path = ?, member = ?, run = ?, ordinal = ?, withdrawn = NULL WHERE id = ?",
            (path, member, self.run, ordinal, source.id),
        )
        return source

    def sources_of(self, path: str) -> list[Source]:
        """The sources of this run in one input file."""
        return self._sources("path = ? AND run = ?", path, self.run)

    def source(self, output: PurePosixPath) -> Source | None:
        """The source with an output name, from any run; None if there is none."""
        return next(iter(self._sources("output = ?", str(output))), None)

    def source_by_id(self, source_id: int) -> Source:
        source: Source = found(next(iter(self._sources("id = ?", source_id)), None))
        return source

    def _sources(self, where: str, *values: object) -> list[Source]:
        rows = self._database.execute(f"SELECT id, path, member, output FROM source WHERE {where} ORDER BY id", values)
        return [Source(number, path, member, PurePosixPath(output)) for number, path, member, output in rows]

    def contains_output(self, output: PurePosixPath) -> bool:
        """Whether a source of any run has this output name.

        Long names of temporary files are cut: such a name is compared as a prefix.
        """
        end = str(output) + ("\U0010ffff" if may_be_cut(output.name) else "")
        query = "SELECT 1 FROM source WHERE output BETWEEN ? AND ?"
        return self._value(query, str(output), end) is not None

    def has_other(self, path: str, output: PurePosixPath) -> bool:
        query = "SELECT 1 FROM source WHERE output = ? AND run = ? AND path != ?"
        return self._value(query, str(output), self.run, path) is not None

    def forget_earlier_failures(self, path: str) -> None:
        """Delete failures under names that an input no longer has, for example after an archive was repaired."""
        self._database.execute(
            "DELETE FROM article WHERE state = 'failed' AND source IN"
            " (SELECT id FROM source WHERE path = ? AND run < ?)",
            (path, self.run),
        )

    def use_source(self, source: Source) -> None:
        """Make a source of an earlier run a source of this run."""
        self._database.execute("UPDATE source SET run = ? WHERE id = ?", (self.run, source.id))

    def has_sources(self) -> bool:
        """Whether earlier runs have recorded a source."""
        return self._value("SELECT 1 FROM source LIMIT 1") is not None

    def done_source(self, path: str) -> tuple[Source, str | None] | None:
        """The source of a file and its stamp, if the file itself is its only source and is done."""
        rows = self._database.execute(
            "SELECT id, member, output, state, stamp FROM source WHERE path = ? LIMIT 2", (path,)
        ).fetchall()
        if len(rows) != 1 or rows[0][1] is not None or rows[0][3] != "done":
            return None
        return Source(rows[0][0], path, None, PurePosixPath(rows[0][2])), rows[0][4]

    def use_sources(self, sources: Iterable[Source]) -> None:
        """Make sources of earlier runs sources of this run. They are in its inputs."""
        with nullcontext() if self._database.in_transaction else self.transaction():
            rows = [(self.run, source.id) for source in sources]
            self._database.executemany("UPDATE source SET run = ?, withdrawn = NULL WHERE id = ?", rows)

    def source_state(self, source: Source) -> tuple[str, str | None, str | None]:
        """State (see the schema), stamp of the input when it was done, and header of the collection as JSON."""
        query = "SELECT state, stamp, header FROM source WHERE id = ?"
        state, stamp, header = found(self._database.execute(query, (source.id,)).fetchone())
        return state, stamp, header

    def change_source(self, source: Source) -> None:
        """Record that articles of a finished source are replayed: its output must be written again."""
        self._database.execute("UPDATE source SET state = 'changed' WHERE id = ? AND state = 'done'", (source.id,))

    def failed_sources(self) -> list[Source]:
        """Sources of which articles have failed, in any run."""
        return self._sources("id IN (SELECT source FROM article WHERE state = 'failed')")

    def changed_sources(self) -> list[Source]:
        """Sources whose output must be written again, because a replay of their articles was killed."""
        return self._sources("state = 'changed'")

    def finish_source(self, source_id: int, stamp: str | None, header: str) -> None:
        """Record that the output of a source is complete."""
        self._database.execute(
            "UPDATE source SET state = 'done', stamp = ?, header = ? WHERE id = ?", (stamp, header, source_id)
        )

    def reopen_source(self, source_id: int, forget: Literal["none", "failed", "all"]) -> None:
        """Mark a source to be read again and delete the records of some of its articles."""
        where = {"none": " AND false", "failed": " AND state = 'failed'", "all": ""}[forget]
        with self.transaction():
            self._database.execute("UPDATE source SET state = 'open' WHERE id = ?", (source_id,))
            self._database.execute(f"DELETE FROM article WHERE source = ?{where}", (source_id,))

    # -- articles -------------------------------------------------------------------------------

    def hash_at(self, source_id: int, position: int) -> str | None:
        """The hash of the article at a position; None if it is neither done nor failed."""
        query = "SELECT hash FROM article WHERE source = ? AND position = ?"
        digest: str | None = self._value(query, source_id, position)
        return digest

    def has_failed(self, source_id: int, position: int) -> bool:
        """Whether the article at a position failed when it was last processed."""
        query = "SELECT 1 FROM article WHERE source = ? AND position = ? AND state = 'failed'"
        return self._value(query, source_id, position) is not None

    def end_of_source(self, source_id: int, articles: int, notes: Iterable[str]) -> None:
        """Record that a source was read to its end, with notes on the file.

        Rows beyond the end are deleted: they come from an earlier, longer input.
        """
        with self.transaction():
            self._database.execute("UPDATE source SET articles = ? WHERE id = ?", (articles, source_id))
            for table in ("article", "note"):
                self._database.execute(f"DELETE FROM {table} WHERE source = ? AND position >= ?", (source_id, articles))
            self._database.execute("DELETE FROM note WHERE source = ? AND position IS NULL", (source_id,))
            self.note(source_id, None, notes)

    def finish(self, result: TaskResult, place: tuple[int, int] | Extent | None) -> None:
        """Record the result of an article. Call in a transaction.

        `place`: start and length in the part file, or where the store of numbered parts has it.
        """
        failure = result.failure
        segment, start, length = (None, None, None) if place is None else (None, *place) if len(place) == 2 else place
        self._database.execute(
            "INSERT OR REPLACE INTO article VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                result.source,
                result.position,
                result.hash,
                "done" if failure is None else "failed",
                storable(result.document),
                segment,
                start,
                length,
                self.run,
                json.dumps(dict(result.counts)),
                failure.stage if failure else None,
                storable(failure.message) if failure else None,
            ),
        )
        self._database.execute("DELETE FROM note WHERE source = ? AND position = ?", (result.source, result.position))
        self.note(result.source, result.position, result.notes)

    def note(self, source_id: int, position: int | None, sentences: Iterable[str]) -> None:
        """Store notes on an article, or on its file if the position is None."""
        self._database.executemany(
            "INSERT INTO note VALUES (?, ?, ?, ?)",
            [(self.run, source_id, position, storable(sentence)) for sentence in sentences],
        )

    def places(self, source_id: int) -> Iterator[tuple[int, int]]:
        """Start and length of each done article in the part file of a source, in the order of the input."""
        query = "SELECT start, length FROM article WHERE source = ? AND state = 'done' ORDER BY position"
        for start, length in self._database.execute(query, (source_id,)):
            yield whole(start), whole(length)

    def part_end(self, source_id: int) -> int | None:
        """The end of the part file according to the rows; None if a done article is not in the part file."""
        end, outside = self._database.execute(
            "SELECT coalesce(max(start + length), 0), coalesce(sum(start IS NULL), 0)"
            " FROM article WHERE source = ? AND state = 'done'",
            (source_id,),
        ).fetchone()
        return None if outside else whole(end)

    def is_whole(self, source_id: int) -> bool:
        """Whether a source is done without failures. True also for a number without a source."""
        state = self._value("SELECT state FROM source WHERE id = ?", source_id)
        return state is None or (state == "done" and self.tally(source_id)[1] == 0)

    def tally(self, source_id: int) -> tuple[int, int]:
        """The numbers of done and of failed articles of a source."""
        row = self._database.execute(
            "SELECT sum(state = 'done'), sum(state = 'failed') FROM article WHERE source = ?", (source_id,)
        ).fetchone()
        return row[0] or 0, row[1] or 0

    def _value(self, query: str, *arguments: Any) -> Any:
        row = self._database.execute(query, arguments).fetchone()
        return None if row is None else row[0]


def open_ledger(path: Path, *, restart: bool) -> Ledger:
    """Open and check the ledger of a folder. With `restart`, a damaged ledger is deleted and made again.

    Raises `ConfigurationError` if it is damaged or has another version, `sqlite3.DatabaseError` or `OSError` if the
    disk does not allow it.
    """
    try:
        ledger = Ledger(path)
        try:
            database.require_intact(ledger._database)
        except BaseException:
            ledger.close()
            raise
        return ledger
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # The message of SQLite about a damaged schema may be damaged itself: a UnicodeDecodeError.
        if isinstance(error, sqlite3.DatabaseError) and not is_broken(error):
            raise
        if not restart:
            raise ConfigurationError(
                f"the ledger {path} cannot be used ({one_line(error)}); use ",
                Argument("restart", True),
                " to delete it and process everything again",
            ) from error
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    return Ledger(path)


def _inode(path: Path) -> tuple[int, int] | None:
    """What identifies a file on this machine, whatever its name; None if there is no file."""
    with suppress(OSError):
        facts = path.stat()
        return facts.st_dev, facts.st_ino
    return None
