"""The index of a run: an SQLite file with the facts of all articles, brought up to date before each use.

It is in the folder `.nlmchem` of a run, or in the cache (`corpora.storage.cache`) for everything else that can be read:
files, archives, folders of other programs. Files that have changed since are read again, unless the run has recorded
their facts (`nlmchem.search.recorded`), and those that are gone are removed from it. A file beside it has its sha256:
an index that is not as it was written is made again. It can be deleted at any time. Where no file can be written, it
is in memory.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from corpora import reading
from corpora.commands.command import Progress
from corpora.errors import ConfigurationError, ResourceError
from corpora.reporting import log
from corpora.storage import atomic, cache, inputs
from corpora.storage.atomic import storable
from corpora.storage.inputs import InputFile, is_pipe
from corpora.storage.locks import lock_descriptor, wait_for
from corpora.words.quantities import quantity
from nlmchem.search.facts import ArticleFacts, facts_of
from nlmchem.search.recorded import RecordedFacts, stamp_of

VERSION = 5
KIND = 0x6E6C6D63
"""The `application_id` of an index: `nlmc`."""
MOST_FAULTS = 20
"""What could not be read and is named; the rest is counted."""
_FILE = "search.sqlite"
_CACHE = "search"
_RUN = ".nlmchem"
_CHECK, _JOURNAL = ".check", "-journal"
_MOMENT = 0.05
"""Seconds: the times of files are not more exact everywhere."""
_HEADER = re.compile(rb"SQLite format 3\0.{52}nlmc|\Z", re.DOTALL)
"""The beginning of an index: the sign of SQLite, and `KIND` at byte 68. An empty file has nothing to lose."""
_CHECK_LINE = re.compile(rb"(?:(\d+ [0-9a-f]{64}) ([\d:]*)\n)?\Z")

# Tables of an article have its number first or last in their keys, and no second index: articles are seldom removed,
# and a removal reads the tables once.
_SCHEMA = f"""
PRAGMA application_id={KIND};
-- `path`: from the folder of the run, if the run is a folder.
CREATE TABLE source (id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, stamp TEXT NOT NULL);
-- `sentences`: those with mentions, as packed JSON.
CREATE TABLE article (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, member TEXT, document TEXT NOT NULL, pmid TEXT, pmcid TEXT,
    title TEXT NOT NULL, year INTEGER, mentions INTEGER NOT NULL, unlinked INTEGER NOT NULL
);
CREATE TABLE sentences (article INTEGER PRIMARY KEY, texts BLOB NOT NULL);
-- What could not be read.
CREATE TABLE fault (source INTEGER NOT NULL, sentence TEXT NOT NULL);
CREATE TABLE concept (id INTEGER PRIMARY KEY, identifier TEXT UNIQUE NOT NULL, name TEXT);
-- The mentions of a concept in an article. `uses`: `nlmchem.search.facts.Use` of each, as JSON.
CREATE TABLE used (
    concept INTEGER NOT NULL, article INTEGER NOT NULL, mentions INTEGER NOT NULL, uses TEXT NOT NULL,
    PRIMARY KEY (concept, article)
) WITHOUT ROWID;
CREATE TABLE section (
    article INTEGER NOT NULL, number INTEGER NOT NULL, section TEXT NOT NULL, mentions INTEGER NOT NULL,
    PRIMARY KEY (article, number)
) WITHOUT ROWID;
CREATE TABLE term (
    concept INTEGER NOT NULL, article INTEGER NOT NULL, score REAL, PRIMARY KEY (concept, article)
) WITHOUT ROWID;
-- In how many sentences of an article two concepts stand together, in the order of their identifiers.
CREATE TABLE together (
    first INTEGER NOT NULL, second INTEGER NOT NULL, article INTEGER NOT NULL, sentences INTEGER NOT NULL
);
"""
_COLUMNS = {"sentences": 2, "used": 4, "section": 4, "term": 3, "together": 4}
"""The tables that have the number of an article, with their number of columns."""


@contextmanager
def open_index(run: str, progress: Progress) -> Iterator[sqlite3.Connection]:
    """The index of annotated articles, up to date: a file, folder, glob pattern or archive.

    Only one process at a time uses an index. Raises `ConfigurationError` if there is none, or no article in it;
    `ResourceError` if the index cannot be used. What cannot be read is missing in the index; `progress` reports it each
    time.
    """
    if is_pipe(run):
        raise ConfigurationError("an index is made of files; write the articles into a file, and name it")
    with ExitStack() as stack:
        place: Path | None = None
        try:
            place = place_of(run)
            place.parent.mkdir(parents=True, exist_ok=True)
            record = stack.enter_context(_as_written(place, progress))
            with closing(_connected(place, progress)) as database:
                _refresh(database, run, progress)
            record()
            database = _connected(place, progress)
        except (sqlite3.Error, OSError, cache.NoHomeError) as error:
            if place is not None and isinstance(error, sqlite3.Error):
                _remove(place)
            place = None
            remedy = "set NLMCHEM_HOME to a folder that can be written"
            progress(f"the index cannot be stored ({error}), and is made each time; {remedy}")
            database = _connected(None, progress)
            _refresh(database, run, progress)
        stack.enter_context(closing(database))
        _report(database, run, progress)
        try:
            yield database
        except sqlite3.DatabaseError as error:
            if place is not None:
                _remove(place)
            raise ResourceError(
                f"the index {place} was damaged ({error}), and is removed; run the command again"
            ) from error


def _remove(place: Path) -> None:
    with suppress(OSError):
        place.unlink(missing_ok=True)
        place.with_name(place.name + _JOURNAL).unlink(missing_ok=True)


def place_of(run: str) -> Path:
    """The file of the index of annotated articles."""
    folder = Path(run) / _RUN
    if folder.is_dir() and os.access(folder, os.W_OK):
        return folder / _FILE
    name = hashlib.sha256(os.path.realpath(run).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return cache.folder(_CACHE) / f"{name}.sqlite"


@contextmanager
def _as_written(place: Path, progress: Progress) -> Iterator[Callable[[], None]]:
    """Lock an index, and remove it if it is not as it was written. Yields what records that it is written now.

    The file beside it is the lock. It has the version and sha256 of the index, and its size and times: the index is
    read only where these have changed. Raises `ResourceError` for files that are not ours.
    """
    check = place.with_name(place.name + _CHECK)
    for path, ours in ((check, _CHECK_LINE), (place, _HEADER)):
        is_file = path.is_file() and not path.is_symlink()
        if os.path.lexists(path) and not (is_file and ours.match(_beginning(path))):
            raise ResourceError(f"{path} is not an index of nlmchem; move it away")
        atomic.unshare(path)
    with open(os.open(check, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666), "r+b") as stream:  # noqa: PTH123
        wait_for(lambda: lock_descriptor(stream.fileno()), place, progress)
        if place.with_name(place.name + _JOURNAL).exists():
            # SQLite takes back what a killed process has written.
            with suppress(sqlite3.Error), closing(sqlite3.connect(place)) as database:
                database.execute("SELECT 1 FROM sqlite_schema").fetchone()
        line = _CHECK_LINE.match(stream.read())
        assert line is not None
        if place.exists() and line[2] != _stamp(str(place)).encode() and line[1] != _sum(place):
            _remove(place)

        def record() -> None:
            # A change within the next moment may not change the times.
            is_recent = time.time() - place.stat().st_mtime < _MOMENT
            stream.seek(0)
            stream.truncate()
            stream.write(b"%s %s\n" % (_sum(place), b"" if is_recent else _stamp(str(place)).encode()))
            stream.flush()

        yield record


def _beginning(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(200)


def _sum(place: Path) -> bytes:
    return f"{VERSION} {atomic.sha256_of(place)}".encode()


def _connected(place: Path | None, progress: Progress) -> sqlite3.Connection:
    """The database of an index, locked for this process and with its tables; None: in memory."""
    database = sqlite3.connect(place or ":memory:", timeout=0, isolation_level=None)

    def begin() -> bool:
        try:
            # The index can be made again: it need not survive a power failure.
            database.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;")
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    try:
        wait_for(begin, place or Path(), progress)
        if database.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None:
            # `executescript` would end the transaction.
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


# -- bringing it up to date ---------------------------------------------------------------------


def _refresh(database: sqlite3.Connection, run: str, progress: Progress) -> None:
    is_folder = Path(run).is_dir()
    # The names in the index are the same ones from wherever a folder is looked at.
    files = {
        storable(os.path.relpath(file.path, run) if is_folder else file.path): file for file in inputs.expand([run])
    }
    stamps = {name: _stamp(file.path) for name, file in files.items()}
    known = dict(database.execute("SELECT path, stamp FROM source"))
    if known != stamps:
        database.execute("BEGIN")
        _forget(database, [path for path, stamp in known.items() if stamps.get(path) != stamp])
        changed = {name: file for name, file in files.items() if known.get(name) != stamps[name]}
        writer = _Writer(database)
        with closing(RecordedFacts(Path(run))) as recorded:
            articles = _articles(database, changed, stamps, recorded)
            for source, member, facts in progress.counted(articles, "articles"):
                writer.add(source, member, facts)
        writer.finish()
        database.execute("COMMIT")
        database.execute("ANALYZE")


def _report(database: sqlite3.Connection, run: str, progress: Progress) -> None:
    """Report what could not be read. Raises `ConfigurationError` for an index without articles."""
    for (sentence,) in database.execute("SELECT sentence FROM fault ORDER BY source, rowid LIMIT ?", (MOST_FAULTS,)):
        progress(f"left out of the index: {sentence}")
    if number := int(database.execute("SELECT COUNT(*) FROM fault").fetchone()[0]):
        progress(f"{quantity(number, 'article or file', 'articles or files')} could not be read")
    if not database.execute("SELECT 1 FROM article LIMIT 1").fetchone():
        raise ConfigurationError(f"no article found in {run}; name annotated articles (BioC, PubTator, ...)")


def _stamp(path: str) -> str:
    """What changes when a file does, its permissions included: it may not have been readable."""
    stamp = stamp_of(path)
    with suppress(OSError):
        return f"{stamp}:{os.stat(path).st_ctime_ns}"  # noqa: PTH116 (as in `stamp_of`)
    return ""


def _articles(
    database: sqlite3.Connection,
    files: dict[str, InputFile],
    stamps: dict[str, str],
    recorded: RecordedFacts,
) -> Iterator[tuple[int, str | None, ArticleFacts]]:
    """The facts of each article, with the numbers of its file and its member of an archive.

    Files of no format are skipped, and not looked at again.
    """
    for name, file in files.items():
        cursor = database.execute("INSERT INTO source (path, stamp) VALUES (?, ?)", (name, stamps[name]))
        source = int(cursor.lastrowid or 0)
        if known := recorded.of(name, stamp_of(file.path)):
            yield from ((source, None, facts) for facts in known)
            continue
        for opened in reading.sources([file]):
            if opened.unclaimed() is not None:
                continue
            for item in opened.articles(log):
                if isinstance(item, reading.Fault):
                    database.execute("INSERT INTO fault VALUES (?, ?)", (source, storable(str(item))))
                else:
                    yield source, opened.member.name, facts_of(item.document)


def _forget(database: sqlite3.Connection, paths: Sequence[str]) -> None:
    if not paths:
        return
    database.execute("CREATE TEMP TABLE gone (source INTEGER PRIMARY KEY)")
    database.executemany("INSERT INTO gone SELECT id FROM source WHERE path = ?", ((path,) for path in paths))
    articles = "SELECT id FROM article WHERE source IN gone"
    for table in _COLUMNS:
        database.execute(f"DELETE FROM {table} WHERE article IN ({articles})")
    for table in ("article", "fault"):
        database.execute(f"DELETE FROM {table} WHERE source IN gone")
    database.execute("DELETE FROM source WHERE id IN gone")
    database.execute("DROP TABLE gone")


class _Writer:
    """Writes the facts of articles. Concepts get their numbers when they are first used."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        rows = database.execute("SELECT identifier, id, name FROM concept")
        self._known: dict[str, tuple[int, str | None]] = {identifier: (id, name) for identifier, id, name in rows}

    def add(self, source: int, member: str | None, facts: ArticleFacts) -> None:
        article = self._database.execute(
            "INSERT INTO article (source, member, document, pmid, pmcid, title, year, mentions, unlinked) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            _storable((source, member, facts.document, facts.pmid, facts.pmcid, facts.title, facts.year,
                       facts.mentions, facts.unlinked)),
        ).lastrowid  # fmt: skip
        number = {id: self._concept(id, facts.names.get(id)) for id in (*facts.uses, *(id for id, _ in facts.terms))}
        self._insert("sentences", [(article, facts.texts)])
        self._insert("used", [(number[id], article, *counted) for id, counted in facts.uses.items()])
        self._insert("section", [(article, place, *counted) for place, counted in enumerate(facts.sections.items())])
        self._insert("term", [(number[id], article, score) for id, score in facts.terms])
        self._insert("together", [(number[first], number[second], article, n) for first, second, n in facts.together])

    def _insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        places = ", ".join("?" * _COLUMNS[table])
        self._database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", map(_storable, rows))

    def _concept(self, identifier: str, name: str | None) -> int:
        identifier, name = _storable((identifier, name))
        known = self._known.get(identifier)
        if known is None:
            cursor = self._database.execute("INSERT INTO concept (identifier, name) VALUES (?, ?)", (identifier, name))
            known = self._known[identifier] = int(cursor.lastrowid or 0), name
        elif known[1] is None and name is not None:
            self._database.execute("UPDATE concept SET name = ? WHERE id = ?", (name, known[0]))
            self._known[identifier] = known[0], name
        return known[0]

    def finish(self) -> None:
        """Remove concepts that no article has any more."""
        self._database.execute(
            "DELETE FROM concept WHERE id NOT IN (SELECT concept FROM used) AND id NOT IN (SELECT concept FROM term)"
        )


def _storable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in row)
