"""What a run changes in an output folder that a complete run has written before: an increment."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import PurePosixPath

from nlmchem.engine.tasks import Source

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
