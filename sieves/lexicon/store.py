"""How a lexicon lies in SQLite: its tables, and how they are filled, the same bytes for the same content."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sieves.lexicon.keys import bag, relaxed

__all__ = ["CURRENT", "SCHEMA", "TRADE", "Concept", "Content", "NameRow", "fill"]

SCHEMA = "2"
CURRENT = 1
"""The bit of `concept.years` that says: a record of the MeSH files that the lexicon was built from."""

TRADE = "mesh trade names"
"""The layer of the names that NLM marks as trade names (LexicalTag TRD)."""

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE layer (rank INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE concept (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, preferred_name TEXT NOT NULL,
    distance INTEGER NOT NULL, years INTEGER NOT NULL, trees TEXT NOT NULL
);
CREATE TABLE name (
    key TEXT NOT NULL, layer INTEGER NOT NULL, name TEXT NOT NULL, concept INTEGER NOT NULL,
    preferred INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (key, layer, name, concept)
) WITHOUT ROWID;
CREATE TABLE bag (bag TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (bag, key)) WITHOUT ROWID;
CREATE TABLE parent (child TEXT NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (child, parent)) WITHOUT ROWID;
CREATE TABLE replaced (old TEXT NOT NULL, new TEXT NOT NULL, PRIMARY KEY (old, new)) WITHOUT ROWID;
"""
INDEXES = "CREATE UNIQUE INDEX concept_by_id ON concept (id);"


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept, or a mixture of several whose ids are joined by `,`.

    `distance` is 0 for a chemical of the configured branches, 1 for another chemical or drug (a protein, a role),
    2 for one that MeSH has no place for. `years` has bit 0 (`CURRENT`) for the MeSH files themselves and a bit for
    each history file, in their order. `trees` are tree numbers joined by blanks.
    """

    identifier: str
    preferred_name: str
    distance: int = 0
    years: int = CURRENT
    trees: str = ""


NameRow = tuple[str, int, str, bool, int]
"""A name, the rank of its layer, the concept's id, whether it is preferred, how often a corpus has it."""


@dataclass(slots=True)
class Content:
    """All that a lexicon says."""

    layers: list[str] = field(default_factory=list)
    concepts: dict[str, Concept] = field(default_factory=dict)
    names: list[NameRow] = field(default_factory=list)
    parents: list[tuple[str, str]] = field(default_factory=list)
    replaced: list[tuple[str, str]] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)


def fill(connection: sqlite3.Connection, content: Content, progress: Callable[[str], None] | None = None) -> str:
    """Make the tables and write the content into an empty database; says its sha256, which `meta` holds too.

    Names that a layer gives twice for a concept are one: preferred if either is, counts added. The content's list of
    names is emptied on the way: a million of them are a tenth of a gigabyte.
    """
    say = progress or (lambda _: None)
    connection.executescript(TABLES)
    concepts = sorted(content.concepts.values(), key=lambda concept: concept.identifier)
    rows = {concept.identifier: row for row, concept in enumerate(concepts)}
    names = _united(content.names)
    content.names.clear()
    say(f"writing {len(concepts):,} concepts, {len(names):,} names")
    with connection:
        connection.executemany("INSERT INTO layer VALUES (?, ?)", enumerate(content.layers))
        connection.executemany(
            "INSERT INTO concept VALUES (?, ?, ?, ?, ?, ?)",
            ((rows[c.identifier], c.identifier, c.preferred_name, c.distance, c.years, c.trees) for c in concepts),
        )
        connection.executemany(
            "INSERT INTO name VALUES (?, ?, ?, ?, ?, ?)",
            sorted((relaxed(name), layer, name, rows[id], p, n) for (name, layer, id), (p, n) in names.items()),
        )
        connection.executemany("INSERT OR IGNORE INTO bag VALUES (?, ?)", _bags(names))
        connection.executemany("INSERT OR IGNORE INTO parent VALUES (?, ?)", sorted(content.parents))
        connection.executemany("INSERT OR IGNORE INTO replaced VALUES (?, ?)", sorted(content.replaced))
        digest = _digest(content, concepts, names)
        meta = {**content.meta, "schema": SCHEMA, "sha256": digest}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
    connection.executescript(INDEXES)
    return digest


Names = dict[tuple[str, int, str], tuple[bool, int]]


def _united(rows: Iterable[NameRow]) -> Names:
    names: Names = {}
    for name, layer, identifier, preferred, count in rows:
        key = (name, layer, identifier)
        known = names.get(key)
        names[key] = (preferred, count) if known is None else (known[0] or preferred, known[1] + count)
    return names


def _bags(names: Names) -> list[tuple[str, str]]:
    return sorted({(words, relaxed(name)) for name, _, _ in names if (words := bag(name)) is not None})


def _digest(content: Content, concepts: Sequence[Concept], names: Names) -> str:
    """The sha256 of what a lexicon says; file names and the form that it is kept in do not count."""
    digest = hashlib.sha256(SCHEMA.encode())
    for concept in concepts:
        digest.update(
            f"{concept.identifier}\t{concept.preferred_name}\t{concept.distance}\t{concept.years}\t"
            f"{concept.trees}\n".encode()
        )
    for (name, layer, identifier), (preferred, count) in sorted(names.items()):
        digest.update(f"{layer}\t{identifier}\t{name}\t{preferred:d}\t{count}\n".encode())
    for pairs in (content.parents, content.replaced):
        digest.update("".join(f"{one}\t{other}\n" for one, other in sorted(set(pairs))).encode())
    return digest.hexdigest()
