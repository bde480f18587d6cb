"""The SQLite tables of a lexicon, and how they are filled: the same bytes for the same content."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from corpora.errors import Argument, Text, command
from sieves.lexicon.keys import relaxed

WAY_OUT = Text(
    f"build one with {command('lexicon build')}, or leave ", Argument("lexicon"), " out to use the default lexicon"
)
"""For messages about a lexicon that cannot be used."""
SCHEMA = "4"
CURRENT = 1
"""The bit of `concept.years` for the year of the lexicon, which is that of its newest files."""

CHEMICAL, SUBSTANCE, ELSEWHERE = 0, 1, 2
"""Values of `concept.distance`: a chemical; another concept of tree D (a protein, a role); any other concept."""

MESH = "mesh"
"""The layer of the names of MeSH."""
TRADE = "mesh trade names"
"""The layer of the names that NLM marks as trade names (LexicalTag TRD)."""

_NAMES = """
    key TEXT NOT NULL, layer INTEGER NOT NULL, name TEXT NOT NULL, concept INTEGER NOT NULL,
    preferred INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (key, layer, name, concept)
"""
TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE layer (rank INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE concept (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, preferred_name TEXT NOT NULL,
    distance INTEGER NOT NULL, years INTEGER NOT NULL, trees TEXT NOT NULL, parents TEXT NOT NULL,
    listed INTEGER NOT NULL
);
CREATE TABLE name ({_NAMES}) WITHOUT ROWID;
CREATE TABLE elsewhere ({_NAMES}) WITHOUT ROWID;
CREATE TABLE nameless (id TEXT PRIMARY KEY, listed INTEGER NOT NULL, parents TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE replaced (old TEXT NOT NULL, new TEXT NOT NULL, PRIMARY KEY (old, new)) WITHOUT ROWID;
CREATE TABLE crossref (other TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (other, id)) WITHOUT ROWID;
"""
INDEXES = "CREATE UNIQUE INDEX concept_by_id ON concept (id);"


@dataclass(frozen=True, slots=True)
class StoredConcept:
    """A concept, or a mixture of several concepts."""

    identifier: str
    """The ids of a mixture are joined by `,`."""
    preferred_name: str
    distance: int = CHEMICAL
    """`CHEMICAL`, `SUBSTANCE` or `ELSEWHERE`."""
    years: int = CURRENT
    """The years in which it can be an answer: bit 0 (`CURRENT`) is the year of the lexicon, and the other bits are the
    years of its history (`meta`), in their order."""
    trees: str = ""
    """The tree numbers of a descriptor, joined by blanks."""
    parents: str = ""
    """The ids of broader concepts, joined by blanks: the headings above a descriptor, or the headings that a
    supplementary record maps to."""
    listed: int = 0
    """The years whose files contain the identifier, by the bits of `listings` in `meta`. A record that only an old file
    has is still an answer if nothing replaces it, but later years do not list it."""


_columns = attrgetter("identifier", "preferred_name", "distance", "years", "trees", "parents", "listed")
"""The columns of a concept after its row, in the order of the table."""

NameRow = tuple[str, int, str, bool, int]
"""A name, the rank of its layer, the concept's id, whether it is the preferred name, its count in a corpus."""


@dataclass(slots=True)
class Content:
    """The content of a lexicon."""

    layers: list[str] = field(default_factory=list)
    concepts: dict[str, StoredConcept] = field(default_factory=dict)
    names: list[NameRow] = field(default_factory=list)
    """The names that mentions are linked to."""
    elsewhere: list[NameRow] = field(default_factory=list)
    """The names of concepts that are no substances: diseases, organisms, methods."""
    nameless: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The years (as `StoredConcept.listed`) and the parents of identifiers whose names are not known."""
    replaced: list[tuple[str, str]] = field(default_factory=list)
    crossrefs: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of an id of another name space and a MeSH id."""
    meta: dict[str, str] = field(default_factory=dict)


def fill(connection: sqlite3.Connection, content: Content, progress: Callable[[str], None] | None = None) -> str:
    """Create the tables in an empty database, write the content, and return its sha256 (also stored in `meta`).

    A name that a layer gives twice for a concept becomes one row: preferred if either is, counts added. The lists of
    names in `content` are emptied to save memory: a million names take a tenth of a gigabyte.
    """
    report = progress or (lambda _: None)
    connection.executescript(TABLES)
    concepts = sorted(content.concepts.values(), key=lambda concept: concept.identifier)
    rows = {concept.identifier: row for row, concept in enumerate(concepts)}
    names, elsewhere = _united(content.names), _united(content.elsewhere)
    content.names.clear()
    content.elsewhere.clear()
    report(f"writing {len(concepts):,} concepts, {len(names) + len(elsewhere):,} names")
    with connection:
        connection.executemany("INSERT INTO layer VALUES (?, ?)", enumerate(content.layers))
        connection.executemany(
            "INSERT INTO concept VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((rows[concept.identifier], *_columns(concept)) for concept in concepts),
        )
        for table, known in (("name", names), ("elsewhere", elsewhere)):
            connection.executemany(
                f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?)",
                sorted((relaxed(name), layer, name, rows[id], p, n) for (name, layer, id), (p, n) in known.items()),
            )
        nameless = sorted((identifier, *stated) for identifier, stated in content.nameless.items())
        connection.executemany("INSERT INTO nameless VALUES (?, ?, ?)", nameless)
        connection.executemany("INSERT OR IGNORE INTO replaced VALUES (?, ?)", sorted(content.replaced))
        connection.executemany("INSERT OR IGNORE INTO crossref VALUES (?, ?)", sorted(content.crossrefs))
        digest = _digest(content, concepts, (names, elsewhere))
        openings = "".join(sorted({name[0] for name, _, _ in names if not name[0].isalnum()}))
        meta = {**content.meta, "schema": SCHEMA, "sha256": digest, "openings": openings}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
    connection.executescript(INDEXES)
    return digest


def in_memory(content: Content) -> sqlite3.Connection:
    """A lexicon in memory, which any thread may use."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        fill(connection, content)
    except BaseException:
        connection.close()
        raise
    return connection


Names = dict[tuple[str, int, str], tuple[bool, int]]


def _united(rows: Iterable[NameRow]) -> Names:
    names: Names = {}
    for name, layer, identifier, preferred, count in rows:
        key = (name, layer, identifier)
        known = names.get(key)
        names[key] = (preferred, count) if known is None else (known[0] or preferred, known[1] + count)
    return names


def _digest(content: Content, concepts: Sequence[StoredConcept], tables: Iterable[Names]) -> str:
    """The sha256 of the content. File names and the form of storage do not change it."""
    digest = hashlib.sha256(SCHEMA.encode())
    for concept in concepts:
        digest.update(("\t".join(map(str, _columns(concept))) + "\n").encode())
    for names in tables:
        for (name, layer, identifier), (preferred, count) in sorted(names.items()):
            digest.update(f"{layer}\t{identifier}\t{name}\t{preferred:d}\t{count}\n".encode())
    for identifier, (listed, parents) in sorted(content.nameless.items()):
        digest.update(f"{identifier}\t{listed}\t{parents}\n".encode())
    for pairs in (content.replaced, content.crossrefs):
        digest.update("".join(f"{first}\t{other}\n" for first, other in sorted(set(pairs))).encode())
    return digest.hexdigest()
