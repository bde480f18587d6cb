"""The list of the input files of a run, in the ledger: it can be longer than the memory is large."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from corpora.storage.inputs import InputFile
from corpora.storage.pmc_files import Beside

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
