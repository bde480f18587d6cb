"""Names of the user on top of a lexicon: a table of names and identifiers of any prefix, read into memory.

A table is TSV or CSV, plain or gzip, with the columns name and identifier, and if wanted preferred name and class. A
line of column names may give them in any order. A name with the identifier `-` is blocked: it is never a chemical.

    name	identifier	preferred name	class
    compound 17	LAB:17	Housamine	chemical
    lead	-

The names are a small lexicon, whose answers come before those of the other one.
"""

from __future__ import annotations

import csv
import gzip
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora.errors import ConfigurationError
from corpora.model.mesh_ids import mesh_id
from corpora.words.quantities import quantity
from sieves.lexicon.keys import tidy
from sieves.lexicon.store import Content, StoredConcept, fill

LAYER = "names"
"""The layer of these names."""
BLOCKED = "-"
"""The identifier of names that mean no chemical."""
LONGEST = 200
"""Characters of a name. Longer names are not searched for in texts."""

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.]*:[^\s,|]+")
_CLASS = "class "
_COLUMNS = {
    "name": ("name", "names", "synonym", "term", "text"),
    "identifier": ("identifier", "id", "concept", "mesh", "identifiers"),
    "preferred": ("preferred name", "preferred_name", "preferred", "label"),
    "class": ("class", "kind", "type", "category"),
}
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class OwnName:
    """A line of a table. `identifier`: one concept, several joined by `,`, or `BLOCKED`."""

    name: str
    identifier: str
    preferred_name: str = ""
    kind: str = ""


def read_own_names(path: Path) -> list[OwnName]:
    """The names of a table, in its order. Raises `ConfigurationError` with the number of the line."""
    names: list[OwnName] = []
    order: tuple[str, ...] | None = None
    for number, row in _rows(path):
        if order is None:
            order = _header(row)
            if order:
                continue
            order = tuple(_COLUMNS)
        try:
            names.append(_parsed(row, order))
        except ValueError as error:
            raise ConfigurationError(f"{path}, line {number}: {error}") from error
    if not names:
        raise ConfigurationError(f"{path} has no names; write a name and an identifier into each line")
    return names


def compile_own_names(paths: Sequence[Path]) -> sqlite3.Connection:
    """The names of tables as a lexicon in memory. Raises `ConfigurationError`."""
    content = Content(layers=[LAYER])
    for row in (row for path in paths for row in read_own_names(path)):
        preferred = row.preferred_name or row.name
        for identifier in (row.identifier, *row.identifier.split(",")):
            known = content.concepts.get(identifier)
            # The first line that states a preferred name gives it.
            if known is None or (row.preferred_name and f"preferred {identifier}" not in content.meta):
                content.concepts[identifier] = StoredConcept(identifier, preferred)
            if row.preferred_name:
                content.meta[f"preferred {identifier}"] = row.preferred_name
            if row.kind:
                content.meta[_CLASS + identifier] = row.kind
        names = {row.name, row.preferred_name or row.name}
        content.names += [(name, 0, row.identifier, name == preferred, 0) for name in sorted(names)]
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        fill(connection, content)
    except BaseException:
        connection.close()
        raise
    return connection


def class_key(identifier: str) -> str:
    """The property of the lexicon that has the class of a concept."""
    return _CLASS + identifier


def conflicts_sentence(conflicts: Iterable[tuple[str, str, str]]) -> str | None:
    """Which names (name, own identifier, identifier of the lexicon) mean something else in the lexicon."""
    rows = list(conflicts)
    if not rows:
        return None
    shown = "; ".join(f"{name!r} is {own}, not {other}" for name, own, other in rows[:_SHOWN])
    more = f"; and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    means = quantity(len(rows), "of your names means", "of your names mean")
    return f"{means} another concept in the lexicon, and yours is used: {shown}{more}"


def _header(row: Sequence[str]) -> tuple[str, ...]:
    """The columns that a line of column names states; empty for a line of names."""
    known = {word: column for column, words in _COLUMNS.items() for word in words}
    columns = tuple(known.get(cell.casefold(), "") for cell in row)
    return columns if {"name", "identifier"} <= set(columns) else ()


def _parsed(row: Sequence[str], order: Sequence[str]) -> OwnName:
    cells = {column: cell for column, cell in zip(order, row, strict=False) if column}
    name, identifier = tidy(cells.get("name", "")), cells.get("identifier", "")
    if not any(map(str.isalnum, name)):
        raise ValueError(f"the name {name!r} has no letter or digit; correct it, or remove the line")
    if len(name) > LONGEST:
        raise ValueError(f"the name {name[:40]!r}... is longer than {LONGEST} characters; shorten it")
    if not identifier:
        raise ValueError(f"the name {name!r} has no identifier; add one such as LAB:17, or - to block the name")
    if identifier != BLOCKED:
        identifier = ",".join(_identifier(part.strip()) for part in re.split(r"[,|]", identifier))
    return OwnName(name, identifier, tidy(cells.get("preferred", "")), cells.get("class", ""))


def _identifier(text: str) -> str:
    identifier = mesh_id(text) or text
    if not _IDENTIFIER.fullmatch(identifier):
        raise ValueError(
            f"{text[:60]!r} is no identifier such as LAB:17 or MESH:D014867; the columns are name and identifier, "
            "or name them in the first line"
        )
    return identifier


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines with cells, and their numbers. Lines that begin with `#` are comments."""
    plain = path.name.removesuffix(".gz")
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig", newline="")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8-sig", newline="") as lines
        ):
            rows = csv.reader(lines, delimiter="," if plain.endswith(".csv") else "\t")
            for row in rows:
                cells = [" ".join(cell.split()) for cell in row]
                if any(cells) and not cells[0].startswith("#"):
                    yield rows.line_num, cells
    except FileNotFoundError as error:
        raise ConfigurationError(f"no table of names at {path}; check the path") from error
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise ConfigurationError(f"the table of names {path} cannot be read ({error}); write it as UTF-8") from error
