"""The tables of the ledger."""

from __future__ import annotations

__all__ = ["RESTART_EMPTIES", "SCHEMA", "VERSION"]

VERSION = 2

SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
    # The input files of the current run, in reading order. `place` is the real path.
    """CREATE TABLE file (
        id INTEGER PRIMARY KEY, place TEXT UNIQUE NOT NULL, path TEXT NOT NULL, relative TEXT NOT NULL
    )""",
    # One row for each output file. `state` is `open` (being read and annotated), `done` (the output exists) or
    # `changed` (its failed articles are being replayed, so the output must be written again).
    # `articles`: how many the input contained when it was last read to its end.
    """CREATE TABLE source (
        id INTEGER PRIMARY KEY, output TEXT UNIQUE NOT NULL, path TEXT NOT NULL, member TEXT,
        run INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'open', stamp TEXT, header TEXT, articles INTEGER
    )""",
    "CREATE INDEX source_path ON source (path)",
    # One row for each article that is done or has failed. The text of a done article is in the part file of its
    # source, at `start` with `length`. If these are NULL, the text is in the output file.
    """CREATE TABLE article (
        source INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL,
        document TEXT, start INTEGER, length INTEGER, mentions INTEGER, run INTEGER NOT NULL,
        stage TEXT, message TEXT, PRIMARY KEY (source, position)
    ) WITHOUT ROWID""",
    # Only --restart deletes rows: they prove that no finished article is processed again.
    """CREATE TABLE event (
        run INTEGER NOT NULL, source INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
        what TEXT NOT NULL
    )""",
    "CREATE TABLE note (run INTEGER, source INTEGER NOT NULL, position INTEGER, sentence TEXT NOT NULL)",
    "CREATE INDEX note_place ON note (source, position)",
    "CREATE TABLE run (id INTEGER PRIMARY KEY, begun TEXT, ended TEXT, seconds TEXT)",
    # Outputs of runs that --restart has forgotten, until the files are deleted.
    "CREATE TABLE stale (output TEXT NOT NULL)",
)
RESTART_EMPTIES = ("meta", "source", "article", "event", "note", "run")
