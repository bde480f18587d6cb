"""The record of a run: which articles are begun, done, failed; what makes a killed run go on where it was.

One SQLite file under the output folder, in write-ahead mode. A row is written only after the bytes
that it speaks of are on the disk, so the worst that a kill costs is work that no row tells of.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from corpora.errors import ConfigurationError
from corpora.storage.inputs import InputFile
from nlmchem.batch.tasks import Result, Source, Task
from nlmchem.configuration import Configuration

__all__ = ["Counts", "Ledger"]

VERSION = 2

SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    # The input files of the present run, in the order in which they are read; `place` is the real path.
    """CREATE TABLE file (
        id INTEGER PRIMARY KEY, place TEXT UNIQUE NOT NULL, path TEXT NOT NULL, relative TEXT NOT NULL
    )""",
    # One row an output file. `state` is open (being read and annotated) or done (the output is there);
    # `articles` is how many were in the input when it was last read to its end.
    """CREATE TABLE source (
        id INTEGER PRIMARY KEY, output TEXT UNIQUE NOT NULL, path TEXT NOT NULL, member TEXT,
        run INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'open', stamp TEXT, header TEXT, articles INTEGER
    )""",
    "CREATE INDEX source_path ON source (path)",
    # One row an article that is done or failed. A done article's text stands in its source's part file
    # at start, length, unless these are NULL: then it stands in the output itself.
    """CREATE TABLE article (
        source INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL,
        document TEXT, start INTEGER, length INTEGER, mentions INTEGER, run INTEGER NOT NULL,
        stage TEXT, message TEXT, PRIMARY KEY (source, position)
    ) WITHOUT ROWID""",
    # Never deleted from, but by --restart: that no finished article is begun again can be proved from it.
    """CREATE TABLE event (
        run INTEGER NOT NULL, source INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
        what TEXT NOT NULL
    )""",
    "CREATE TABLE note (run INTEGER, source INTEGER NOT NULL, position INTEGER, sentence TEXT NOT NULL)",
    "CREATE INDEX note_place ON note (source, position)",
    "CREATE TABLE run (id INTEGER PRIMARY KEY, begun TEXT, ended TEXT, seconds TEXT)",
    # Outputs of runs that --restart made forgotten, until they are taken away.
    "CREATE TABLE stale (output TEXT NOT NULL)",
)
TABLES = ("meta", "source", "article", "event", "note", "run")


@dataclass(frozen=True, slots=True)
class Counts:
    """Articles of this run's sources: what this run did, and what earlier ones had done.

    `read` is what the inputs were found to hold; after a whole run it equals `articles`.
    """

    read: int = 0
    done: int = 0
    failed: int = 0
    failed_earlier: int = 0
    skipped: int = 0
    mentions: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def articles(self) -> int:
        """All of them: done + failed + skipped."""
        return self.done + self.failed + self.skipped


class Ledger:
    """Opened by one process at a time (the runner holds a lock on the folder)."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        version = self._value("PRAGMA user_version")
        if not version:
            with self.transaction():
                for statement in SCHEMA:
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA user_version={VERSION}")
        elif version != VERSION:
            raise sqlite3.DatabaseError(f"it is of version {version}, this nlmchem writes version {VERSION}")
        self.run: int = self._value("SELECT coalesce(max(id), 0) + 1 FROM run")

    def sound(self) -> bool:
        """Whether the whole file can be read."""
        return self._value("PRAGMA quick_check(1)") == "ok"

    def close(self) -> None:
        """Fold the write-ahead log back in and close."""
        self._database.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    # -- runs -----------------------------------------------------------------------------------

    def begin_run(self, fingerprint: dict[str, Any], configuration: Configuration, now: str) -> None:
        """Note a run. Raises `ConfigurationError` where the folder holds results of another configuration.

        Call within a transaction that registers the sources as well: a run that is refused leaves no trace.
        """
        known = self._value("SELECT value FROM meta WHERE key = 'fingerprint'")
        if known is not None and json.loads(known) != fingerprint:
            differing = sorted(key for key, value in fingerprint.items() if json.loads(known).get(key) != value)
            differing = [key for key in differing if key != "sha256"]
            raise ConfigurationError(
                f"the output folder holds results of another configuration ({', '.join(differing)} differ); "
                "choose another folder, or say --restart to do everything again"
            )
        values = [("fingerprint", json.dumps(fingerprint)), ("configuration", json.dumps(asdict(configuration)))]
        self._database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)
        self._database.execute("INSERT INTO run (id, begun) VALUES (?, ?)", (self.run, now))

    def configuration(self) -> Configuration:
        """The configuration of the folder's runs."""
        values = json.loads(self._value("SELECT value FROM meta WHERE key = 'configuration'") or "{}")
        for key in ("steps", "skip_sections"):
            values[key] = tuple(values[key])
        return Configuration(**values)

    def was_killed(self) -> bool:
        """Whether an earlier run never came to its end."""
        return self._value("SELECT 1 FROM run WHERE ended IS NULL AND id < ?", self.run) is not None

    def end_run(self, now: str, seconds: dict[str, float]) -> None:
        """Note that a run came to its end, with the seconds that each stage took over all workers."""
        self._database.execute(
            "UPDATE run SET ended = ?, seconds = ? WHERE id = ?", (now, json.dumps(seconds), self.run)
        )

    def forget_everything(self) -> None:
        """For --restart: as if no run had been, but that outputs are listed as stale. Call within a transaction."""
        self._database.execute("INSERT INTO stale SELECT output FROM source")
        for table in TABLES:
            self._database.execute(f"DELETE FROM {table}")
        self._database.execute("INSERT INTO meta VALUES ('stale', 'yes')")
        self.run = 1

    def has_stale(self) -> bool:
        """Whether a restart still has files of forgotten runs to take away."""
        return self._value("SELECT 1 FROM meta WHERE key = 'stale'") is not None

    def stale_outputs(self) -> Iterator[str]:
        """The output names of forgotten runs."""
        yield from (row[0] for row in self._database.execute("SELECT output FROM stale"))

    def clear_stale(self) -> None:
        """Note that the files of forgotten runs are away."""
        with self.transaction():
            self._database.execute("DELETE FROM stale")
            self._database.execute("DELETE FROM meta WHERE key = 'stale'")

    # -- sources --------------------------------------------------------------------------------

    def add_source(self, path: str, member: str | None, output: PurePosixPath) -> Source:
        """Register a source of this run.

        Raises `ConfigurationError` where another source of this run has the same output name.
        """
        row = self._database.execute(
            "SELECT id, path, member, run FROM source WHERE output = ?", (str(output),)
        ).fetchone()
        if row is None:
            cursor = self._database.execute(
                "INSERT INTO source (output, path, member, run) VALUES (?, ?, ?, ?)",
                (str(output), path, member, self.run),
            )
            return Source(int(cursor.lastrowid or 0), path, member, output)
        source = Source(row[0], path, member, output)
        if row[3] == self.run and (row[1], row[2]) != (path, member):
            raise ConfigurationError(
                f"{Source(0, row[1], row[2], output)} and {source} would both be written to {output}; "
                "rename one, or annotate them into different folders"
            )
        self._database.execute(
            "UPDATE source SET path = ?, member = ?, run = ? WHERE id = ?",
            (path, member, self.run, source.id),
        )
        return source

    def set_files(self, files: Iterable[tuple[str, str, str]]) -> int:
        """Replace the list of input files by (real path, path, relative path); says how many there are.

        A file that is named twice counts once. Files are read in the order of their paths.
        """
        self._database.execute("DELETE FROM file")
        self._database.execute("CREATE TEMP TABLE given (place TEXT UNIQUE, path TEXT, relative TEXT)")
        self._database.executemany("INSERT OR IGNORE INTO given VALUES (?, ?, ?)", files)
        self._database.execute(
            "INSERT INTO file (place, path, relative) SELECT place, path, relative FROM given ORDER BY path"
        )
        self._database.execute("DROP TABLE given")
        return int(self._value("SELECT count(*) FROM file"))

    def files(self) -> Iterator[InputFile]:
        """The input files; other calls may come between two of them."""
        last = 0
        while rows := self._database.execute(
            "SELECT id, path, relative FROM file WHERE id > ? ORDER BY id LIMIT 500", (last,)
        ).fetchall():
            for number, path, relative in rows:
                last = number
                yield InputFile(path, PurePosixPath(relative))

    def is_input(self, place: str) -> bool:
        """Whether a real path is one of the input files."""
        return self._value("SELECT 1 FROM file WHERE place = ?", place) is not None

    def sources_of(self, path: str) -> list[Source]:
        """This run's sources in one input file."""
        rows = self._database.execute(
            "SELECT id, path, member, output FROM source WHERE path = ? AND run = ? ORDER BY id",
            (path, self.run),
        )
        return [Source(row[0], row[1], row[2], PurePosixPath(row[3])) for row in rows]

    def source(self, output: PurePosixPath) -> Source | None:
        """The source with this output name, of any run."""
        row = self._database.execute("SELECT id, path, member FROM source WHERE output = ?", (str(output),)).fetchone()
        return None if row is None else Source(row[0], row[1], row[2], output)

    def source_by_id(self, source_id: int) -> Source:
        """A source by its number."""
        row = self._database.execute("SELECT path, member, output FROM source WHERE id = ?", (source_id,)).fetchone()
        return Source(source_id, row[0], row[1], PurePosixPath(row[2]))

    def knows(self, output: PurePosixPath) -> bool:
        """Whether a source of any run has this output name, or one that begins so and was cut at 100 characters."""
        end = str(output) + ("\U0010ffff" if len(output.name) == 100 else "")
        query = "SELECT 1 FROM source WHERE output BETWEEN ? AND ?"
        return self._value(query, str(output), end) is not None

    def has_output(self, output: str) -> bool:
        """Whether a source of this run has this output name."""
        return self._value("SELECT 1 FROM source WHERE output = ? AND run = ?", output, self.run) is not None

    def forget_earlier_failures(self, path: str) -> None:
        """Forget failures under names that an input has no more, as after an archive was mended."""
        self._database.execute(
            "DELETE FROM article WHERE state = 'failed' AND source IN"
            " (SELECT id FROM source WHERE path = ? AND run < ?)",
            (path, self.run),
        )

    def use_source(self, source: Source) -> None:
        """Count a source of an earlier run to this one."""
        self._database.execute("UPDATE source SET run = ? WHERE id = ?", (self.run, source.id))

    def source_state(self, source: Source) -> tuple[str, str | None, str | None]:
        """State (open, done), stamp of the input when it was done, and the collection's header as JSON."""
        row = self._database.execute("SELECT state, stamp, header FROM source WHERE id = ?", (source.id,)).fetchone()
        return row[0], row[1], row[2]

    def finish_source(self, source_id: int, stamp: str | None, header: str) -> None:
        """Note that a source's output is there, whole."""
        self._database.execute(
            "UPDATE source SET state = 'done', stamp = ?, header = ? WHERE id = ?", (stamp, header, source_id)
        )

    def reopen_source(self, source_id: int, forget: Literal["none", "failed", "all"]) -> None:
        """Read a source again, and forget some of its articles, so that they are done again."""
        where = {"none": " AND false", "failed": " AND state = 'failed'", "all": ""}[forget]
        with self.transaction():
            self._database.execute("UPDATE source SET state = 'open' WHERE id = ?", (source_id,))
            self._database.execute(f"DELETE FROM article WHERE source = ?{where}", (source_id,))

    # -- articles -------------------------------------------------------------------------------

    def hash_at(self, source_id: int, position: int) -> str | None:
        """The hash of the article at a position, where it is done or has failed."""
        value: str | None = self._value(
            "SELECT hash FROM article WHERE source = ? AND position = ?", source_id, position
        )
        return value

    def has_failed(self, source_id: int, position: int) -> bool:
        """Whether the last thing known of an article is that it failed."""
        query = "SELECT 1 FROM article WHERE source = ? AND position = ? AND state = 'failed'"
        return self._value(query, source_id, position) is not None

    def end_of_source(self, source_id: int, articles: int, notes: Iterable[str]) -> None:
        """A source was read to its end: rows beyond it (of an earlier, longer input) go; notes on it are kept."""
        with self.transaction():
            self._database.execute("UPDATE source SET articles = ? WHERE id = ?", (articles, source_id))
            for table in ("article", "note"):
                self._database.execute(f"DELETE FROM {table} WHERE source = ? AND position >= ?", (source_id, articles))
            self._database.execute("DELETE FROM note WHERE source = ? AND position IS NULL", (source_id,))
            self.note(source_id, None, notes)

    def begin(self, tasks: Iterable[Task]) -> None:
        """Note that work on articles begins."""
        with self.transaction():
            self._database.executemany(
                "INSERT INTO event VALUES (?, ?, ?, ?, 'begun')",
                [(self.run, task.source, task.position, task.hash) for task in tasks],
            )

    def finish(self, result: Result, place: tuple[int, int] | None) -> None:
        """Note an article's end; `place` is start and length in the part file. Call within a transaction."""
        failure = result.failure
        state = "done" if failure is None else "failed"
        start, length = place if place is not None else (None, None)
        self._database.execute(
            "INSERT OR REPLACE INTO article VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                result.source,
                result.position,
                result.hash,
                state,
                _storable(result.document),
                start,
                length,
                result.mentions,
                self.run,
                failure.stage if failure else None,
                _storable(failure.message) if failure else None,
            ),
        )
        self._database.execute(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
            (self.run, result.source, result.position, result.hash, state),
        )
        self._database.execute("DELETE FROM note WHERE source = ? AND position = ?", (result.source, result.position))
        self.note(result.source, result.position, result.notes)

    def note(self, source_id: int, position: int | None, sentences: Iterable[str]) -> None:
        """Keep what was noticed about an article, or (position None) about its file."""
        self._database.executemany(
            "INSERT INTO note VALUES (?, ?, ?, ?)",
            [(self.run, source_id, position, _storable(sentence)) for sentence in sentences],
        )

    def places(self, source_id: int) -> Iterator[tuple[int, int]]:
        """Start and length of each done article in its source's part file, in the order of the input."""
        yield from self._database.execute(
            "SELECT start, length FROM article WHERE source = ? AND state = 'done' ORDER BY position",
            (source_id,),
        )

    def part_end(self, source_id: int) -> int | None:
        """Where the part file ends, as far as rows speak of it; None where done articles never were in one."""
        end, outside = self._database.execute(
            "SELECT coalesce(max(start + length), 0), coalesce(sum(start IS NULL), 0)"
            " FROM article WHERE source = ? AND state = 'done'",
            (source_id,),
        ).fetchone()
        return None if outside else int(end)

    def is_whole(self, source_id: int) -> bool:
        """Whether a source is done and nothing of it has failed; also where no such source is known."""
        state = self._value("SELECT state FROM source WHERE id = ?", source_id)
        return state is None or (state == "done" and self.tally(source_id)[1] == 0)

    def tally(self, source_id: int) -> tuple[int, int]:
        """How many articles of a source are done, and how many failed."""
        row = self._database.execute(
            "SELECT sum(state = 'done'), sum(state = 'failed') FROM article WHERE source = ?", (source_id,)
        ).fetchone()
        return row[0] or 0, row[1] or 0

    # -- the closing account --------------------------------------------------------------------

    def counts(self) -> Counts:
        """The articles of this run's sources."""
        read = self._value("SELECT coalesce(sum(articles), 0) FROM source WHERE run = ?", self.run)
        row = self._database.execute(
            "SELECT sum(article.state = 'done' AND article.run = :run), sum(article.state = 'failed'),"
            " sum(article.state = 'failed' AND article.run < :run),"
            " sum(article.state = 'done' AND article.run < :run),"
            " sum(CASE WHEN article.run = :run THEN mentions ELSE 0 END)"
            " FROM article JOIN source ON source.id = article.source WHERE source.run = :run",
            {"run": self.run},
        ).fetchone()
        return Counts(read, *(value or 0 for value in row))

    def failures(self, limit: int) -> list[dict[str, Any]]:
        """The first failed articles of this run's sources, by output name and position."""
        keys = ("path", "member", "output", "position", "document", "stage", "message")
        rows = self._database.execute(
            "SELECT path, member, output, position, document, stage, message FROM article"
            " JOIN source ON source.id = article.source WHERE article.state = 'failed' AND source.run = ?"
            " ORDER BY output, position LIMIT ?",
            (self.run, limit),
        )
        return [dict(zip(keys, row, strict=True)) for row in rows]

    def notes(self, limit: int) -> tuple[int, list[dict[str, Any]]]:
        """How many notes this run's sources have, and the first of them."""
        join = " FROM note JOIN source ON source.id = note.source WHERE source.run = ?"
        number = int(self._value("SELECT count(*)" + join, self.run))
        rows = self._database.execute(
            "SELECT path, member, position, sentence" + join + " ORDER BY output, position, sentence LIMIT ?",
            (self.run, limit),
        )
        return number, [dict(zip(("path", "member", "position", "note"), row, strict=True)) for row in rows]

    def repeated_documents(self, limit: int) -> tuple[int, list[str]]:
        """How many document ids stand in more than one article of this run's sources, and the first of them."""
        repeated = (
            " FROM (SELECT document FROM article JOIN source ON source.id = article.source"
            " WHERE source.run = ? AND document != '' GROUP BY document HAVING count(*) > 1)"
        )
        number = int(self._value("SELECT count(*)" + repeated, self.run))
        rows = self._database.execute(f"SELECT document{repeated} ORDER BY document LIMIT ?", (self.run, limit))
        return number, [row[0] for row in rows]

    def articles_named(self, document: str, limit: int) -> list[tuple[str, int]]:
        """Input (with member) and position of the articles of this run that have a document id."""
        rows = self._database.execute(
            "SELECT path, member, position FROM article JOIN source ON source.id = article.source"
            " WHERE source.run = ? AND document = ? ORDER BY output, position LIMIT ?",
            (self.run, document, limit),
        )
        return [(path if member is None else f"{path}, member {member}", position) for path, member, position in rows]

    def _value(self, query: str, *arguments: Any) -> Any:
        row = self._database.execute(query, arguments).fetchone()
        return None if row is None else row[0]


def _storable(text: str) -> str:
    # SQLite takes UTF-8 only; a note that quotes a lone surrogate must not stop the run.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
