"""Small lexicons that are made from tables: TSV files, the starter lexicon, and names of the user.

A TSV has lines `identifier<TAB>preferred name<TAB>synonyms joined by |`; a table of the user is read in its place, and
the reverse: the first line shows which one it is.

The starter lexicon has hand-picked names. It is small, and it is the first layer of the default lexicon. Two files hold
it. `starter.tsv` has the names that MeSH does not give: shorthand, formulae, running-text spellings. They are the layer
`starter` of the default lexicon. `common_names.tsv` has the names of MeSH that mean a chemical in almost any article.
It adds no name to MeSH: it is the choice of names that vote beside a trained tagger.
`benchmarks/retrain/starter_names.py` moves names between the files when MeSH changes.

A table of the user is TSV or CSV, plain or gzip, with the columns name and identifier, and if wanted preferred name and
class. A line of column names may give them in any order, and synonyms (joined by |). A name with the identifier `-` is
blocked: it is never a chemical. Answers of these names, whose identifiers have any prefix, come before those of the
other lexicon.

    name	identifier	preferred name	class
    compound 17	LAB:17	Housamine	chemical
    lead	-
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.mesh_ids import mesh_id
from corpora.parsing.table_rows import TableRows
from corpora.storage.owned_files import write_bytes
from corpora.words.quantities import quantity
from sieves.lexicon.keys import tidy
from sieves.lexicon.store import WAY_OUT, Content, StoredConcept, in_memory

__all__ = ["STARTER", "STARTER_NAMES"]

STARTER = "starter"
"""The name by which the option `lexicon` and `Lexicon.open` select the starter lexicon."""
STARTER_NAMES = Path(__file__).with_name("starter.tsv")
COMMON_NAMES = Path(__file__).with_name("common_names.tsv")
LAYER = "names"
"""The layer of the names of the user."""
BLOCKED = "-"
"""The identifier of names that mean no chemical."""
LONGEST = 200
"""Characters of a name. Longer names are not searched for in texts."""
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.]*:[^\s,|]+")
_COLUMNS = {
    "name": ("name", "names", "synonym", "term", "text"),
    "identifier": ("identifier", "id", "concept", "mesh", "identifiers"),
    "preferred": ("preferred name", "preferred_name", "preferred", "label"),
    "class": ("class", "kind", "type", "category"),
    "synonyms": ("synonyms", "aliases", "other names"),
}
_NAME_FIRST, _IDENTIFIER_FIRST = ("name", "identifier", "preferred", "class"), ("identifier", "name", "synonyms")
_COLUMN_OF = {word: column for column, words in _COLUMNS.items() for word in words}
_SHOWN = 3
_IDENTIFIERS = re.compile(r"[A-Za-z]+:[^\s,|]+(?:,[A-Za-z]+:[^\s,|]+)*")


def opened(path: Path) -> TextIO:
    """A table in UTF-8, plain or gzip (`.gz`), with its line ends as they are."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def build_lexicon(sources: Sequence[Path | str], out: Path | str) -> None:
    """Build one SQLite lexicon from TSV files. Each file is a layer; names of an earlier layer are trusted more.

    The preferred name of a concept is that of the first layer that has it. `out` is written as a whole or not at all.
    Raises `ResourceError` if a source is missing or malformed; the message has the number of the line.
    """
    with closing(compile_tsv([Path(source) for source in sources])) as connection:
        content = connection.serialize()
    try:
        write_bytes(Path(out), content)
    except OSError as error:
        raise ResourceError(f"cannot write a lexicon to {out} ({error.strerror}); name another place") from error


def compile_tsv(paths: Sequence[Path], layer: str | None = None) -> sqlite3.Connection:
    """A lexicon in memory, made from TSV files; see `build_lexicon`. `layer`: one layer for all files."""
    content = Content()
    for path in paths:
        add_tsv(content, path, layer)
    return in_memory(content)


def add_tsv(content: Content, path: Path, layer: str | None = None) -> None:
    """Add a TSV, `identifier<TAB>preferred name<TAB>synonyms joined by |`, as the next layer.

    `layer`: the name of the layer, where it is not that of the file. A layer that is already there gets more names.
    """
    name = layer or path.stem
    if name not in content.layers:
        content.layers.append(name)
    rank = content.layers.index(name)
    lines: dict[str, int] = {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; ", WAY_OUT) from error
    except UnicodeDecodeError as error:
        raise ResourceError(f"the lexicon at {path} is not UTF-8 ({error.reason}); ", WAY_OUT) from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); ", WAY_OUT) from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            identifier, names = _parsed_line(line)
        except ValueError as error:
            raise ResourceError(f"{path}, line {number}: {error}; correct the line") from error
        first = lines.setdefault(identifier, number)
        if first != number:
            raise ResourceError(f"{path}, line {number}: {identifier} is already in line {first}; join the two lines")
        concept = content.concepts.setdefault(identifier, StoredConcept(identifier, names[0]))
        content.names += [(name, rank, identifier, name == concept.preferred_name, 0) for name in names]
    if not lines:
        raise ResourceError(f"the lexicon at {path} is empty; ", WAY_OUT)


def _parsed_line(line: str) -> tuple[str, list[str]]:
    identifier, *rest = line.split("\t")
    if not 1 <= len(rest) <= 2:
        raise ValueError("not of the form identifier<TAB>preferred name<TAB>synonyms joined by |")
    if not _IDENTIFIERS.fullmatch(identifier):
        raise ValueError(f"{identifier[:60]!r} is not an identifier such as MESH:D014867")
    synonyms = rest[1].split("|") if len(rest) == 2 and rest[1] else []
    names = [tidy(name) for name in (rest[0], *synonyms)]
    if not all(names):
        raise ValueError("an empty name")
    return identifier, names


def open_starter() -> sqlite3.Connection:
    """The starter lexicon in memory, with both files as one layer."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(_compiled())
    return connection


@cache
def _compiled() -> bytes:
    """The database; compiled once in a process."""
    with closing(compile_tsv([COMMON_NAMES, STARTER_NAMES], STARTER)) as connection:
        return connection.serialize()


# -- names of the user --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnName:
    """A line of a table of the user."""

    name: str
    identifier: str
    """One concept, several joined by `,`, or `BLOCKED`."""
    preferred_name: str = ""
    kind: str = ""


def read_own_names(path: Path) -> list[OwnName]:
    """The names of a table, in its order. Raises `ConfigurationError` with the number of the line."""
    names: list[OwnName] = []
    lines: dict[str, tuple[int, str]] = {}
    order: tuple[str, ...] = ()
    for number, row in _rows(path):
        if not order:
            # The first line may state the columns.
            order, is_header = _order(row)
            if is_header:
                twice = [cell for cell, column in zip(row, order, strict=True) if column and order.count(column) > 1]
                if twice:
                    both = " and ".join(map(repr, twice))
                    raise ConfigurationError(
                        f"{path}, line {number}: the columns {both} have the same meaning; keep one"
                    )
                continue
        try:
            for own in _parsed(row, order):
                names.append(own)
                line, identifier = lines.setdefault(own.name, (number, own.identifier))
                if identifier != own.identifier:
                    raise ValueError(_two_identifiers(own, identifier, f"line {line}"))
        except ValueError as error:
            raise ConfigurationError(f"{path}, line {number}: {error}") from error
    if not names:
        raise ConfigurationError(f"{path} has no names; write a name and an identifier into each line")
    return names


def is_own_names(path: Path) -> bool:
    """Whether the first line of a table, or its suffix, shows that it is one of the user, not that of a lexicon."""
    try:
        row = next((row for _, row in _rows(path)), [""])
    except ConfigurationError:
        # It cannot be read as a lexicon either, which has the message for that.
        return False
    _, is_header = _order(row)
    second = "".join(row[1:2])
    return is_header or ".csv" in path.suffixes or (_is_identifier(second) and not _is_identifier(row[0]))


def _order(row: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The columns of a table, and whether its first line is a header that states them."""
    columns = tuple(_COLUMN_OF.get(cell.casefold(), "") for cell in row)
    if {"name", "identifier"} <= set(columns):
        return columns, True
    turned = _is_identifier(row[0]) and not _is_identifier("".join(row[1:2]))
    return _IDENTIFIER_FIRST if turned else _NAME_FIRST, False


def _is_identifier(cell: str) -> bool:
    """Whether all parts of a cell are identifiers, or it blocks a name."""
    parts = [part.strip() for part in re.split(r"[,|]", cell)]
    return cell == BLOCKED or all(_IDENTIFIER.fullmatch(mesh_id(part) or part) for part in parts)


def compile_own_names(paths: Sequence[Path]) -> sqlite3.Connection:
    """The names of tables as a lexicon in memory. Raises `ConfigurationError`."""
    content = Content(layers=[LAYER])
    tables: dict[str, tuple[str, Path]] = {}
    for table, row in ((path, row) for path in paths for row in read_own_names(path)):
        identifier, first = tables.setdefault(row.name, (row.identifier, table))
        if identifier != row.identifier:
            raise ConfigurationError(f"{table}: {_two_identifiers(row, identifier, str(first))}")
        preferred = row.preferred_name or row.name
        for identifier in (row.identifier, *row.identifier.split(",")):
            known = content.concepts.get(identifier)
            # The first line that states a preferred name gives it.
            if known is None or (row.preferred_name and f"preferred {identifier}" not in content.meta):
                content.concepts[identifier] = StoredConcept(identifier, preferred)
            if row.preferred_name:
                content.meta[f"preferred {identifier}"] = row.preferred_name
            if row.kind:
                content.meta[class_key(identifier)] = row.kind
        names = sorted({row.name, preferred})
        content.names += [(name, 0, row.identifier, name == preferred, 0) for name in names]
    return in_memory(content)


def _two_identifiers(row: OwnName, other: str, where: str) -> str:
    return (
        f"the name {row.name!r} has the identifier {row.identifier} here, and {other} in {where}; remove one, or write "
        "both into one line, joined by a comma"
    )


def class_key(identifier: str) -> str:
    """The property of the lexicon that has the class of a concept."""
    return f"class {identifier}"


def conflicts_sentence(conflicts: Iterable[tuple[str, str, str]]) -> str | None:
    """Which names (name, own identifier, identifier of the lexicon) mean something else in the lexicon."""
    rows = list(conflicts)
    if not rows:
        return None
    shown = "; ".join(f"{name!r} is {own}, not {other}" for name, own, other in rows[:_SHOWN])
    more = f"; and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    means = quantity(len(rows), "of your names means", "of your names mean")
    return f"{means} another concept in the lexicon, and yours is used: {shown}{more}"


def _parsed(row: Sequence[str], order: Sequence[str]) -> list[OwnName]:
    """The name of a line, and its synonyms."""
    cells = {column: cell for column, cell in zip(order, row, strict=False) if column}
    names = [tidy(cells.get("name", "")), *map(tidy, filter(None, cells.get("synonyms", "").split("|")))]
    name, identifier = names[0], cells.get("identifier", "")
    for each in names:
        if not any(map(str.isalnum, each)):
            raise ValueError(f"the name {each!r} has no letter or digit; correct it, or remove the line")
        if len(each) > LONGEST:
            raise ValueError(f"the name {each[:40]!r}... is longer than {LONGEST} characters; shorten it")
    if not identifier:
        raise ValueError(f"the name {name!r} has no identifier; add one such as LAB:17, or - to block the name")
    parts = [] if identifier == BLOCKED else [part.strip() for part in re.split(r"[,|]", identifier)]
    known = [mesh_id(part) or part for part in parts]
    for part, one in zip(parts, known, strict=True):
        if not _IDENTIFIER.fullmatch(one):
            raise ValueError(
                f"{part[:60]!r} is no identifier such as LAB:17 or MESH:D014867; the columns are name and identifier, "
                "or name them in the first line"
            )
    identifier = ",".join(known) or BLOCKED
    preferred = tidy(cells.get("preferred", "")) or (name if len(names) > 1 else "")
    return [OwnName(each, identifier, preferred, cells.get("class", "")) for each in names]


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines with cells, and their numbers. Lines that begin with `#` are comments."""
    try:
        with opened(path) as lines:
            for number, row in TableRows(lines, "," if path.name.removesuffix(".gz").endswith(".csv") else "\t"):
                cells = [" ".join(cell.split()) for cell in row]
                if any(cells) and not cells[0].startswith("#"):
                    yield number, cells
    except FileNotFoundError as error:
        raise ConfigurationError(f"no table of names at {path}; check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"the table of names {path} cannot be read ({error}); write it as UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(f"the table of names {path} cannot be read ({error}); check the file") from error
