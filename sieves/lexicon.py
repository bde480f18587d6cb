"""A read-only store of names and the concepts they stand for, in SQLite.

A lexicon is written as TSV, `identifier<TAB>preferred name<TAB>synonyms joined by |`, and is read either
from that (compiled into memory when opened) or from the SQLite file that `build_lexicon` makes of it.
Every form gives the same answers and the same `version`. The package carries a small hand-picked one,
`starter.tsv`.

Names are kept in plain characters (see `plain`). Which text a name stands for, in this order of trust:

1. the name itself, letter for letter;
2. of three characters or more, the name with a capital at its start, as a sentence writes it
   (`Iron` for `iron`);
3. the name in any case (`ETHANOL`, `Nile Red`), if it has six characters or more and a run of three small
   letters in it. Shorter names, formulae and abbreviations (`NO`, `Na+`, `NaHCO3`, `HEPES`) are told from
   other words by their case alone, so theirs is kept.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from corpora.atomic import write_bytes
from corpora.errors import ResourceError

__all__ = ["STARTER", "Lexicon", "Match", "build_lexicon", "fold_key", "plain", "readings", "singular"]

STARTER = Path(__file__).with_name("starter.tsv")
"""The hand-picked lexicon that comes with the package; docs/lexicon.md says how it was made."""

SCHEMA = "1"
FOLDED_LENGTH = 6
"""Names of this many characters or more may be matched in any case."""

_WAY_OUT = "build one with `nlmchem lexicon build`, or name none to use the starter lexicon"
_SQLITE_MAGIC = b"SQLite format 3\x00"
_IDENTIFIER = re.compile(r"[A-Za-z]+:[^\s,|]+(?:,[A-Za-z]+:[^\s,|]+)*")
_SMALL_LETTERS = re.compile(r"[^\W\d_A-Z]{3}")

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE layer (rank INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE concept (id TEXT PRIMARY KEY, preferred_name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE name (
    name TEXT NOT NULL, key TEXT, concept TEXT NOT NULL REFERENCES concept,
    preferred INTEGER NOT NULL, layer INTEGER NOT NULL REFERENCES layer
);
"""
_INDEXES = """
CREATE INDEX name_by_name ON name (name);
CREATE INDEX name_by_key ON name (key) WHERE key IS NOT NULL;
"""
# Descriptors before supplementary records: where both bear a name, the descriptor is what indexers use.
_LOOKUP = """
SELECT name.concept, name.name, concept.preferred_name, layer.name
FROM name JOIN concept ON concept.id = name.concept JOIN layer ON layer.rank = name.layer
WHERE name.{column} = ?
ORDER BY name.layer, name.preferred DESC, name.concept NOT LIKE 'MESH:D%', name.concept, name.name
"""


# One character for one character, so that offsets stay what they are.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\u207b\u208b", "-"),
        **dict.fromkeys("\u2018\u2019\u02b9\u2032\u00b4", "'"),
        **dict.fromkeys("\u2022\u2219\u22c5\u2027\u30fb", "\u00b7"),
        **dict.fromkeys("\u207a\u208a", "+"),
        **dict.fromkeys("\t\n\r\v\f\u00a0\u202f\u205f\u3000", " "),
        **{chr(code): " " for code in range(0x2000, 0x200B)},
        **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True)),
        "\u00b5": "\u03bc",
    }
)


@dataclass(frozen=True, slots=True)
class Match:
    """A concept that bears a name, and the name by which it was found.

    `identifier` is one concept (`MESH:D014867`), or several joined by `,` where a name means a mixture
    (phosphate-buffered saline). `layer` says which source the name is from.
    """

    identifier: str
    name: str
    preferred_name: str
    layer: str

    @property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(self.identifier.split(","))


@dataclass(frozen=True, slots=True)
class _Concept:
    identifier: str
    preferred_name: str
    names: tuple[str, ...]


class Lexicon:
    """Names and their concepts; open one with `Lexicon.open`.

    A lexicon pickles as the path that it was opened from, and is opened again where it is unpickled.
    It is only read from, so threads of one process may share it (Dask's workers change threads).
    """

    __slots__ = ("_connection", "_path", "version")

    def __init__(self, connection: sqlite3.Connection, path: Path, version: str) -> None:
        self._connection = connection
        self._path = path
        self.version = version
        """The sha256 of the content, in hex: the same for the TSV and the SQLite file made of it."""

    @classmethod
    def open(cls, path: Path | str | None = None) -> Lexicon:
        """Open a lexicon: the starter (None), a TSV or an SQLite file.

        Raises `ResourceError` where there is none, or it is of another version, or broken.
        """
        path = STARTER if path is None else Path(path).resolve()
        connection = _connect(path) if _is_sqlite(path) else _compile([path])
        try:
            return cls(connection, path, _checked_version(connection, path))
        except BaseException:
            connection.close()
            raise

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Lexicon.open, (self._path,)

    def __enter__(self) -> Lexicon:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def lookup(self, name: str) -> tuple[Match, ...]:
        """The concepts that bear a name, best first; empty where none does.

        The first of the three readings of a name (see above) that any concept bears is the answer. Within it:
        the layer that was given first, preferred names before synonyms, MeSH descriptors before supplementary
        records, then by identifier and by name.
        """
        name = _tidy(name)
        for column, value in readings(name):
            found = self._ask(_LOOKUP.format(column=column), value)
            if found:
                return tuple(Match(*row) for row in found)
        return ()

    def names(self) -> Iterator[tuple[str, str]]:
        """Every (name, identifier), sorted."""
        yield from self._ask("SELECT DISTINCT name, concept FROM name ORDER BY name, concept")

    def _ask(self, query: str, *values: str) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise ResourceError(f"the lexicon at {self._path} is broken ({error}); {_WAY_OUT}") from error


def build_lexicon(sources: Sequence[Path | str], out: Path | str) -> None:
    """Make one SQLite lexicon of TSV files, each a layer; names of an earlier layer are trusted more.

    A concept's preferred name is that of the first layer that has it. `out` is there whole or not at all.
    Raises `ResourceError` where a source is missing or malformed, naming the line.
    """
    paths = [Path(source) for source in sources]
    with closing(_compile(paths)) as connection:
        content = connection.serialize()
    try:
        write_bytes(Path(out), content)
    except OSError as error:
        raise ResourceError(f"cannot write a lexicon to {out} ({error.strerror}); name another place") from error


def plain(text: str) -> str:
    """The text with one dash, one prime, one middle dot, one blank, and digits on the line.

    Each character gives exactly one, so offsets hold. What is a question of layout (`Ca²⁺`, `2′`, a
    no-break space) is then no question of names.
    """
    return text.translate(_PLAIN)


def fold_key(name: str) -> str | None:
    """What a name is matched by in any case; None where its case must be kept."""
    if len(name) < FOLDED_LENGTH or not _SMALL_LETTERS.search(name):
        return None
    return name.casefold()


def singular(text: str) -> str | None:
    """A text without its plural s, where at least three characters are left; None where it has none.

    Two would make calcium of `Cas`.
    """
    return text[:-1] if len(text) > 3 and text.endswith("s") else None


def readings(text: str) -> Iterator[tuple[str, str]]:
    """How a text in plain characters may stand for a name: (column of the store, value), best first."""
    yield "name", text
    if len(text) >= 3 and text[0].isupper() and text[1:].islower():
        yield "name", text[0].lower() + text[1:]
    yield "key", text.casefold()


def _tidy(name: str) -> str:
    return " ".join(plain(name).split())


# -- opening ------------------------------------------------------------------------------------


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_MAGIC))
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; {_WAY_OUT}") from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); {_WAY_OUT}") from error
    if start == _SQLITE_MAGIC:
        return True
    if path.suffix != ".tsv":
        raise ResourceError(f"the file at {path} is no lexicon, neither SQLite nor .tsv; {_WAY_OUT}")
    return False


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)


def _checked_version(connection: sqlite3.Connection, path: Path) -> str:
    try:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        connection.execute(_LOOKUP.format(column="name"), ("",)).fetchone()
    except (sqlite3.DatabaseError, ValueError) as error:
        raise ResourceError(f"the file at {path} is no lexicon or broken ({error}); {_WAY_OUT}") from error
    if meta.get("schema") != SCHEMA or not meta.get("sha256"):
        raise ResourceError(
            f"the lexicon at {path} is of version {meta.get('schema')}, this program reads version {SCHEMA}; {_WAY_OUT}"
        )
    return str(meta["sha256"])


# -- building -----------------------------------------------------------------------------------


def _compile(paths: Sequence[Path]) -> sqlite3.Connection:
    layers = [_read_tsv(path) for path in paths]
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        connection.executescript(_TABLES)
        with connection:
            _fill(connection, layers, [path.stem for path in paths])
        connection.executescript(_INDEXES)
    except BaseException:
        connection.close()
        raise
    return connection


def _fill(connection: sqlite3.Connection, layers: Sequence[Sequence[_Concept]], names: Sequence[str]) -> None:
    preferred: dict[str, str] = {}
    for concept in (concept for layer in layers for concept in layer):
        preferred.setdefault(concept.identifier, concept.preferred_name)
    rows = sorted(
        (name, fold_key(name), concept.identifier, name == preferred[concept.identifier], rank)
        for rank, layer in enumerate(layers)
        for concept in layer
        for name in concept.names
    )
    connection.executemany("INSERT INTO layer VALUES (?, ?)", enumerate(names))
    connection.executemany("INSERT INTO concept VALUES (?, ?)", sorted(preferred.items()))
    connection.executemany("INSERT INTO name VALUES (?, ?, ?, ?, ?)", rows)
    meta = {"schema": SCHEMA, "source": ", ".join(names), "sha256": _digest(preferred, rows)}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def _digest(preferred: dict[str, str], rows: Iterable[tuple[str, str | None, str, bool, int]]) -> str:
    """The sha256 of what a lexicon says; file names and the form that it is kept in do not count."""
    digest = hashlib.sha256(SCHEMA.encode())
    for identifier, name in sorted(preferred.items()):
        digest.update(f"{identifier}\t{name}\n".encode())
    for name, _, identifier, _, rank in rows:
        digest.update(f"{rank}\t{identifier}\t{name}\n".encode())
    return digest.hexdigest()


def _read_tsv(path: Path) -> list[_Concept]:
    concepts: list[_Concept] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            concept = _concept(line)
        except ValueError as error:
            raise ResourceError(f"{path}, line {number}: {error}; mend the line") from error
        first = lines.setdefault(concept.identifier, number)
        if first != number:
            raise ResourceError(
                f"{path}, line {number}: {concept.identifier} stands in line {first} already; join the two"
            )
        concepts.append(concept)
    if not concepts:
        raise ResourceError(f"the lexicon at {path} is empty; {_WAY_OUT}")
    return concepts


def _concept(line: str) -> _Concept:
    identifier, *rest = line.split("\t")
    if not 1 <= len(rest) <= 2:
        raise ValueError("not of the form identifier<TAB>preferred name<TAB>synonyms joined by |")
    if not _IDENTIFIER.fullmatch(identifier):
        raise ValueError(f"{identifier[:60]!r} is no identifier such as MESH:D014867")
    synonyms = rest[1].split("|") if len(rest) == 2 and rest[1] else []
    names = [_tidy(name) for name in (rest[0], *synonyms)]
    if not all(names):
        raise ValueError("an empty name")
    return _Concept(identifier, names[0], tuple(dict.fromkeys(names)))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; {_WAY_OUT}") from error
    except UnicodeDecodeError as error:
        raise ResourceError(f"the lexicon at {path} is not UTF-8 ({error.reason}); {_WAY_OUT}") from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); {_WAY_OUT}") from error
