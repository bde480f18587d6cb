"""The index of a run: an SQLite file with the facts of all articles, brought up to date before each use.

It is in the folder `.nlmchem` of a run, or in the cache (`corpora.storage.cache`) for everything else that can be read:
files, archives, folders of other programs. Files that have changed since are read again, and those that are gone are
removed from it. It can be deleted at any time. Where no file can be written, it is in memory.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from corpora import reading
from corpora.commands.progress import Progress
from corpora.errors import ConfigurationError, ResourceError
from corpora.reporting import log
from corpora.storage import cache, inputs
from corpora.storage.inputs import InputFile, is_pipe
from corpora.words.quantities import quantity
from nlmchem.engine.database import storable
from nlmchem.search.facts import ArticleFacts, facts_of

VERSION = 2
KIND = 0x6E6C6D63
"""The `application_id` of an index: `nlmc`."""
WAIT = 600.0
"""Seconds that a second process waits while the first one makes the index."""
MOST_FAULTS = 20
"""What could not be read and is named; the rest is counted."""
_MARKS = {"application_id": KIND, "user_version": VERSION}
_FILE = "search.sqlite"
_MEMORY = ":memory:"
_CACHE = "search"
_RUN = ".nlmchem"

_SCHEMA = """
CREATE TABLE source (id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, stamp TEXT NOT NULL);
CREATE TABLE article (
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, document TEXT NOT NULL, file TEXT, pmid TEXT, pmcid TEXT,
    title TEXT NOT NULL, year INTEGER, mentions INTEGER NOT NULL, unlinked INTEGER NOT NULL
);
CREATE INDEX article_source ON article (source);
-- What could not be read.
CREATE TABLE fault (source INTEGER NOT NULL, sentence TEXT NOT NULL);
CREATE TABLE concept (id INTEGER PRIMARY KEY, identifier TEXT UNIQUE NOT NULL, name TEXT);
-- The mentions of a concept in a section of an article.
CREATE TABLE used (
    concept INTEGER NOT NULL, article INTEGER NOT NULL, section TEXT NOT NULL, mentions INTEGER NOT NULL,
    PRIMARY KEY (concept, article, section)
) WITHOUT ROWID;
CREATE INDEX used_article ON used (article);
CREATE TABLE example (
    concept INTEGER NOT NULL, article INTEGER NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY (concept, article)
) WITHOUT ROWID;
CREATE INDEX example_article ON example (article);
CREATE TABLE term (
    concept INTEGER NOT NULL, article INTEGER NOT NULL, score REAL, PRIMARY KEY (concept, article)
) WITHOUT ROWID;
CREATE INDEX term_article ON term (article);
-- In how many sentences of an article two concepts stand together.
CREATE TABLE together (
    first INTEGER NOT NULL, second INTEGER NOT NULL, article INTEGER NOT NULL, sentences INTEGER NOT NULL,
    PRIMARY KEY (first, second, article)
) WITHOUT ROWID;
CREATE INDEX together_article ON together (article);
"""
_OF_ARTICLES = ("used", "example", "term", "together")


@contextmanager
def open_index(run: str, progress: Progress) -> Iterator[sqlite3.Connection]:
    """The index of annotated articles, up to date: a file, folder, glob pattern or archive.

    Raises `ConfigurationError` if there is none, or no article in it; `ResourceError` if the index cannot be used.
    What cannot be read is missing in the index; `progress` reports it each time.
    """
    if is_pipe(run):
        raise ConfigurationError("an index is made of files; write the articles into a file, and name it")
    with _opened(run, progress) as (database, place):
        try:
            _refresh(database, run, progress)
            yield database
        except (sqlite3.DatabaseError, OSError) as error:
            raise _unusable(place, error) from error


@contextmanager
def _opened(run: str, progress: Progress) -> Iterator[tuple[sqlite3.Connection, str]]:
    """The database of a run, and where it is: in memory where no file can be written."""
    place = _MEMORY
    try:
        path = place_of(run)
        path.parent.mkdir(parents=True, exist_ok=True)
        place = str(path)
        database = _connected(place)
    except (sqlite3.OperationalError, OSError, cache.NoHomeError) as error:
        progress(
            f"the index cannot be stored ({error}), and is made each time; set NLMCHEM_HOME to a folder that can be "
            "written"
        )
        database = _connected(_MEMORY)
    except sqlite3.DatabaseError as error:
        raise _unusable(place, error) from error
    with closing(database):
        yield database, place


def _unusable(place: str, error: Exception) -> ResourceError:
    return ResourceError(f"the index {place} cannot be used ({error}); delete it, and try again")


def place_of(run: str) -> Path:
    """The file of the index of annotated articles."""
    folder = Path(run) / _RUN
    if folder.is_dir() and os.access(folder, os.W_OK):
        return folder / _FILE
    name = hashlib.sha256(os.path.realpath(run).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return cache.folder(_CACHE) / f"{name}.sqlite"


def _connected(place: str) -> sqlite3.Connection:
    path = Path(place)
    if place != _MEMORY and (path.is_symlink() or (path.exists() and not path.is_file())):
        raise ResourceError(f"{path} is not an index of nlmchem; move it away")
    database = sqlite3.connect(place, timeout=WAIT, isolation_level=None)
    try:
        # The index can be made again: it need not survive a power failure.
        database.executescript("PRAGMA synchronous=OFF; PRAGMA journal_mode=TRUNCATE; PRAGMA cache_size=-65536;")
        if _is_empty(database):
            _make_tables(database)
        kind, version = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS)
        if kind != KIND:
            raise ResourceError(f"{path} is a database that nlmchem did not make; move it away")
        if version != VERSION:
            database.close()
            path.unlink()
            return _connected(place)
    except BaseException:
        database.close()
        raise
    return database


def _make_tables(database: sqlite3.Connection) -> None:
    database.execute("BEGIN IMMEDIATE")
    # Another process may have made them until now. `executescript` would end the transaction.
    if _is_empty(database):
        for statement in (*_SCHEMA.split(";"), *(f"PRAGMA {name}={value}" for name, value in _MARKS.items())):
            database.execute(statement)
    database.execute("COMMIT")


def _is_empty(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


# -- bringing it up to date ---------------------------------------------------------------------


def _refresh(database: sqlite3.Connection, run: str, progress: Progress) -> None:
    files = list(inputs.expand([run]))
    stamps = {storable(file.path): _stamp(file) for file in files}
    if dict(database.execute("SELECT path, stamp FROM source")) != stamps:
        database.execute("BEGIN IMMEDIATE")
        known = dict(database.execute("SELECT path, stamp FROM source"))
        _forget(database, [path for path, stamp in known.items() if stamps.get(path) != stamp])
        changed = [file for file in files if known.get(storable(file.path)) != stamps[storable(file.path)]]
        writer = _Writer(database)
        for source, facts in progress.counted(_articles(database, changed, stamps, progress), "articles"):
            writer.add(source, facts)
        writer.finish()
        database.execute("COMMIT")
        database.execute("ANALYZE")
    _report_faults(database, progress)
    if not database.execute("SELECT 1 FROM article LIMIT 1").fetchone():
        raise ConfigurationError(f"no article found in {run}; name annotated articles (BioC, PubTator, ...)")


def _report_faults(database: sqlite3.Connection, progress: Progress) -> None:
    number = int(database.execute("SELECT COUNT(*) FROM fault").fetchone()[0])
    for (sentence,) in database.execute("SELECT sentence FROM fault ORDER BY source, rowid LIMIT ?", (MOST_FAULTS,)):
        progress(f"left out of the index: {sentence}")
    if number:
        progress(f"{quantity(number, 'article or file', 'articles or files')} could not be read")


def _stamp(file: InputFile) -> str:
    try:
        facts = Path(file.path).stat()
    except OSError:
        return ""
    # The time of the last change of its permissions counts too: a file may not have been readable.
    return f"{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ctime_ns}"


def _articles(
    database: sqlite3.Connection, files: Sequence[InputFile], stamps: dict[str, str], progress: Progress
) -> Iterator[tuple[int, ArticleFacts]]:
    """The facts of each article that can be read. Files of no format are skipped, and not looked at again."""
    for file in files:
        path = storable(file.path)
        cursor = database.execute("INSERT INTO source (path, stamp) VALUES (?, ?)", (path, stamps[path]))
        source = int(cursor.lastrowid or 0)
        for opened in reading.sources([file]):
            if opened.unclaimed() is not None:
                continue
            for item in opened.articles(log):
                if isinstance(item, reading.Fault):
                    database.execute("INSERT INTO fault VALUES (?, ?)", (source, storable(str(item))))
                else:
                    yield source, facts_of(item.document)


def _forget(database: sqlite3.Connection, paths: Sequence[str]) -> None:
    for path in paths:
        of_source = "SELECT article.id FROM article JOIN source ON source.id = source WHERE path = ?"
        for table in _OF_ARTICLES:
            database.execute(f"DELETE FROM {table} WHERE article IN ({of_source})", (path,))
        for table in ("article", "fault"):
            database.execute(f"DELETE FROM {table} WHERE source = (SELECT id FROM source WHERE path = ?)", (path,))
        database.execute("DELETE FROM source WHERE path = ?", (path,))


class _Writer:
    """Writes the facts of articles. Concepts get their numbers when they are first used."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        rows = database.execute("SELECT identifier, id, name FROM concept")
        self._known: dict[str, tuple[int, str | None]] = {identifier: (id, name) for identifier, id, name in rows}

    def add(self, source: int, facts: ArticleFacts) -> None:
        """Write one article."""
        ids = facts.ids
        cursor = self._database.execute(
            "INSERT INTO article (source, document, file, pmid, pmcid, title, year, mentions, unlinked) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            _storable((source, ids.document, ids.file, ids.pmid, ids.pmcid, facts.title, facts.year, facts.mentions,
                       facts.unlinked)),
        )  # fmt: skip
        article = cursor.lastrowid
        number = {
            id: self._concept(id, facts.names.get(id)) for id in (*facts.uses, *(t.identifier for t in facts.terms))
        }
        self._insert("used", 4, (
            (number[id], article, section, mentions)
            for id, use in facts.uses.items() for section, mentions in use.sections.items()
        ))  # fmt: skip
        self._insert("example", 3, (
            (number[id], article, use.example) for id, use in facts.uses.items()
        ))  # fmt: skip
        self._insert("term", 3, ((number[term.identifier], article, term.score) for term in facts.terms))
        self._insert("together", 4, (
            (*sorted((number[first], number[second])), article, sentences)
            for (first, second), sentences in facts.together.items()
        ))  # fmt: skip

    def _insert(self, table: str, columns: int, rows: Iterator[tuple[Any, ...]]) -> None:
        places = ", ".join("?" * columns)
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
