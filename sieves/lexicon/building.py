"""Builds lexicons from TSV files."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from corpora.errors import ResourceError
from corpora.storage.owned_files import write_bytes
from sieves.lexicon.file import WAY_OUT
from sieves.lexicon.keys import tidy
from sieves.lexicon.store import Content, StoredConcept, fill

_IDENTIFIER = re.compile(r"[A-Za-z]+:[^\s,|]+(?:,[A-Za-z]+:[^\s,|]+)*")


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
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        fill(connection, content)
    except BaseException:
        connection.close()
        raise
    return connection


def add_tsv(content: Content, path: Path, layer: str | None = None) -> None:
    """Add a TSV, `identifier<TAB>preferred name<TAB>synonyms joined by |`, as the next layer.

    `layer`: the name of the layer, where it is not that of the file. A layer that is already there gets more names.
    """
    name = layer or path.stem
    if name not in content.layers:
        content.layers.append(name)
    rank = content.layers.index(name)
    lines: dict[str, int] = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            identifier, names = _parse(line)
        except ValueError as error:
            raise ResourceError(f"{path}, line {number}: {error}; correct the line") from error
        first = lines.setdefault(identifier, number)
        if first != number:
            raise ResourceError(f"{path}, line {number}: {identifier} is already in line {first}; join the two lines")
        concept = content.concepts.setdefault(identifier, StoredConcept(identifier, names[0]))
        content.names += [(name, rank, identifier, name == concept.preferred_name, 0) for name in names]
    if not lines:
        raise ResourceError(f"the lexicon at {path} is empty; ", WAY_OUT)


def _parse(line: str) -> tuple[str, list[str]]:
    identifier, *rest = line.split("\t")
    if not 1 <= len(rest) <= 2:
        raise ValueError("not of the form identifier<TAB>preferred name<TAB>synonyms joined by |")
    if not _IDENTIFIER.fullmatch(identifier):
        raise ValueError(f"{identifier[:60]!r} is not an identifier such as MESH:D014867")
    synonyms = rest[1].split("|") if len(rest) == 2 and rest[1] else []
    names = [tidy(name) for name in (rest[0], *synonyms)]
    if not all(names):
        raise ValueError("an empty name")
    return identifier, names


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; ", WAY_OUT) from error
    except UnicodeDecodeError as error:
        raise ResourceError(f"the lexicon at {path} is not UTF-8 ({error.reason}); ", WAY_OUT) from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); ", WAY_OUT) from error
