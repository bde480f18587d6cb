"""The numbered parts of a run in its ledger, and the articles of all sources in the order in which parts have them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from nlmchem.engine.article_store import Place
from nlmchem.engine.database import json_object, whole


class Cursor(NamedTuple):
    """The order of articles: path of the source, its place in the file, its output, and position of the article."""

    path: str
    ordinal: int
    output: str
    position: int


START = Cursor("", 0, "", -1)

_END = "store"


@dataclass(frozen=True, slots=True)
class Slot:
    """An article in the order of parts. `place`: None for one that failed, which takes its place all the same."""

    cursor: Cursor
    hash: str
    place: Place | None


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
            Slot(Cursor(*row[:4]), row[4], _place(row[6:]) if row[5] == "done" else None)
            for row in self._database.execute(query, {**after._asdict(), "before": before, "most": most})
        ]

    def places(self, source_id: int) -> Iterator[Place]:
        """Where the done articles of a source are stored."""
        for row in self._database.execute(
            "SELECT segment, start, length FROM article WHERE source = ? AND state = 'done'", (source_id,)
        ):
            yield _place(row)

    # -- parts ----------------------------------------------------------------------------------

    def content(self, number: int) -> str | None:
        """The hash of what a part contains; None where it was not written."""
        row = self._database.execute("SELECT content FROM part WHERE number = ?", (number,)).fetchone()
        return None if row is None else str(row[0])

    def record(self, number: int, names: Sequence[PurePosixPath], content: str) -> None:
        """Record a part that is written."""
        self._database.execute("BEGIN IMMEDIATE")
        self.forget(number)
        self._database.executemany("INSERT INTO part VALUES (?, ?, ?)", [(number, str(n), content) for n in names])
        self._database.execute("COMMIT")

    def forget(self, number: int) -> None:
        """Remove the record of a part."""
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


def _place(values: Sequence[object]) -> Place:
    return whole(values[0]), whole(values[1]), whole(values[2])
