"""The systematic names of a lexicon by their skeleton: made once for a lexicon, kept in the cache folder.

The file is SQLite: for each name, a 64-bit hash of its skeleton (`sieves.chemistry.nomenclature`). Names with another
skeleton and the same hash do no harm, because the sieve compares the names themselves.
"""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from corpora.errors import ResourceError
from corpora.reporting import Report, log
from corpora.storage import cache
from sieves.chemistry.nomenclature import parts_of
from sieves.lexicon.lexicon import Lexicon

CACHE = "name-parts"
"""The folder of the cache."""
_RULES = "2"
"""To be changed with the rules that divide names into parts: older files are not used then."""
_TABLE = "CREATE TABLE part (skeleton INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (skeleton, name)) WITHOUT ROWID"


class PartsIndex:
    """Finds the names of a lexicon that have the same parts as a name, in any order."""

    def __init__(self, connection: sqlite3.Connection, place: str) -> None:
        self._connection = connection
        self._place = place

    @classmethod
    def of(cls, lexicon: Lexicon, report: Report = log) -> PartsIndex:
        """The index of a lexicon. Makes it if there is none, which is reported.

        Raises `ResourceError` if it cannot be written into the cache folder.
        """
        file = cache.folder(CACHE) / f"{lexicon.database.content()[:32]}-{_RULES}.sqlite"
        if not file.exists():
            report(
                f"dividing the systematic names of {lexicon.database.place} into parts, once on this machine: {file}"
            )
            try:
                _make(file, lexicon)
            except OSError as error:
                raise ResourceError(
                    f"cannot write the parts of names to {file} ({error.strerror}); set NLMCHEM_HOME to a writable "
                    "folder, or leave the sieve parts out"
                ) from error
        connection = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        return cls(connection, str(file))

    def names(self, skeleton: str) -> list[str]:
        """The names with this skeleton, sorted. Raises `ResourceError` if the file is damaged."""
        query = "SELECT name FROM part WHERE skeleton = ? ORDER BY name"
        try:
            return [name for (name,) in self._connection.execute(query, (_hash(skeleton),))]
        except sqlite3.DatabaseError as error:
            raise ResourceError(
                f"the parts of names at {self._place} are damaged ({error}); remove the file"
            ) from error


def _make(file: Path, lexicon: Lexicon) -> None:
    """Write the file as a whole or not at all."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "parts.sqlite"
        with closing(sqlite3.connect(made)) as connection, connection:
            connection.execute(_TABLE)
            connection.executemany("INSERT OR IGNORE INTO part VALUES (?, ?)", sorted(_rows(lexicon)))
        with cache.storing(CACHE, file.name, lexicon.database.place) as out:
            out.write(made.read_bytes())


def _rows(lexicon: Lexicon) -> Iterator[tuple[int, str]]:
    for name, _ in lexicon.names():
        parts = parts_of(name)
        if parts is not None:
            yield _hash(parts.skeleton), name


def _hash(skeleton: str) -> int:
    return int.from_bytes(hashlib.blake2b(skeleton.encode(), digest_size=8).digest(), "big", signed=True)
