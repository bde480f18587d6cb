"""Files with the identifiers of another year: annotated articles and tables, each in its own format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError
from corpora.formats import registry
from corpora.formats.format import Joined
from corpora.formats.guarded_stream import GuardedStream
from corpora.formats.header import Header
from corpora.model.rewriting import Change, has_only_mesh_ids, rewrite_identifiers, rewritten
from corpora.output_names import output_of
from corpora.reading import Fault, OpenInput, ReadArticle
from corpora.reporting import Report
from corpora.storage.atomic import write_bytes
from corpora.storage.inputs import expand
from corpora.storage.members import Member, members
from corpora.writing import write
from sieves.lexicon.migration import Fate, Migration, Outcome

_ARTICLES = 200
"""Articles that are in memory together: names of identifiers are read once for all of them."""
_ROWS = 10_000
_TABLES = {".tsv": "\t", ".csv": ","}
_TEXT_COLUMNS = frozenset({"text", "mention", "name", "surface", "mention_text", "entity"})
"""Columns, by their names in small letters, with the text of a mention."""


@dataclass(slots=True)
class Migrated:
    """What became of the identifiers of some files. `fates` counts how often each fate was that of an identifier."""

    migration: Migration
    fates: Counter[Fate] = field(default_factory=Counter)
    articles: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)

    def change(self, identifier: str, text: str) -> str:
        """The identifier in its place: the successor if there is one, else the same."""
        fate = self.migration.fate(identifier, text)
        self.fates[fate] += 1
        return fate.successors[0] if fate.outcome is Outcome.REPLACED else identifier

    def migrate(self, document: BioCDocument) -> None:
        """Replace the identifiers of a document."""
        rewrite_identifiers(document, self.change)
        self.articles += 1


def migrate_files(
    inputs: Sequence[str], folder: Path, migration: Migration, report: Report, reserved: Collection[str] = ()
) -> Migrated:
    """Write all inputs into a folder, under the same relative names and in the same formats.

    `reserved`: names of files that the caller writes into the folder; an input of this name is a problem.
    What cannot be read is in the `problems` of the result. Raises `ConfigurationError` for inputs with the same name.
    """
    migrated = Migrated(migration)
    taken: dict[PurePosixPath, str] = {}
    for file in expand(inputs):
        for member, stream in members(file):
            if str(member.relative) in reserved:
                migrated.problems.append(
                    f"{member} was left out: it has the name of a table of this command; rename it, if it is yours"
                )
                continue
            name = _migrate(member, stream, folder, migrated, report)
            if name is not None and taken.setdefault(name, str(member)) != str(member):
                raise ConfigurationError(
                    f"{taken[name]} and {member} would both give {name}; migrate one of them into another folder"
                )
    return migrated


def _migrate(
    member: Member, stream: BinaryIO, folder: Path, migrated: Migrated, report: Report
) -> PurePosixPath | None:
    if member.fault is not None:
        migrated.problems.append(f"{member}: {member.fault}")
        return None
    separator = _TABLES.get(member.relative.suffix.lower())
    if separator is not None:
        name = output_of(member, member.relative.suffix)
        content = _migrated_table(member, stream, separator, migrated)
        if content is not None:
            write_bytes(folder / name, content)
        return name
    return _migrate_articles(member, stream, folder, migrated, report)


# -- articles -----------------------------------------------------------------------------------


def _migrate_articles(
    member: Member, stream: BinaryIO, folder: Path, migrated: Migrated, report: Report
) -> PurePosixPath | None:
    header = Header()
    source = OpenInput(member, GuardedStream(stream), header)
    if (reason := source.unclaimed()) is not None:
        report(f"{member} was left out: {reason}")
        return None
    readable = _readable(source.articles(report), migrated)
    first = next(readable, None)
    if first is None:
        return None
    kind = registry.named(first.format)
    if not isinstance(kind.writer, Joined) or not kind.stores_mentions:
        migrated.problems.append(
            f"{member}: {kind.title} is not a format that can be migrated; convert it to BioC or PubTator first"
        )
        return None
    name = output_of(member, kind.suffix)
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    documents = (article.document for article in chain([first], readable))
    write(_in_blocks(documents, migrated), target, kind.name, header, report)
    return name


def _readable(articles: Iterator[ReadArticle | Fault], migrated: Migrated) -> Iterator[ReadArticle]:
    for article in articles:
        if isinstance(article, Fault):
            migrated.problems.append(str(article))
        else:
            yield article


def _in_blocks(documents: Iterator[BioCDocument], migrated: Migrated) -> Iterator[BioCDocument]:
    while block := list(islice(documents, _ARTICLES)):
        identifiers = Noted()
        for document in block:
            rewrite_identifiers(document, identifiers.note)
        migrated.migration.prepare(identifiers.seen)
        for document in block:
            migrated.migrate(document)
            yield document


@dataclass(slots=True)
class Noted:
    """The identifiers of some articles or rows, whose names are then read at once. Nothing is changed."""

    seen: list[str] = field(default_factory=list)

    def note(self, identifier: str, text: str) -> str:
        self.seen.append(identifier)
        return identifier


# -- tables -------------------------------------------------------------------------------------


def _migrated_table(member: Member, stream: BinaryIO, separator: str, migrated: Migrated) -> bytes | None:
    """A table with other identifiers: those of cells that have nothing else. Other cells are not changed."""
    try:
        lines = stream.read().decode("utf-8").split("\n")
    except (UnicodeDecodeError, InputError, OSError, EOFError) as error:
        migrated.problems.append(f"{member}: the table cannot be read ({error}); correct the file")
        return None
    table = TableColumns(separator, lines[0])
    for first in range(0, len(lines), _ROWS):
        block = lines[first : first + _ROWS]
        identifiers = Noted()
        for line in block:
            table.rewritten(line, identifiers.note)
        migrated.migration.prepare(identifiers.seen)
        lines[first : first + _ROWS] = [table.rewritten(line, migrated.change) for line in block]
    migrated.rows += sum(map(bool, lines))
    return "\n".join(lines).encode()


class TableColumns:
    """The columns of a table. Its rows are changed in place, so that quotes and line ends stay as they are."""

    def __init__(self, separator: str, header: str) -> None:
        self._separator = separator
        quoted = '(?:"(?:[^"]|"")*")?' if separator == "," else ""
        self._cell = re.compile(rf"(?:^|(?<={separator})){quoted}[^{separator}]*")
        names = [cell.strip('"\ufeff\r').lower() for cell in self._cells(header)]
        self._text = next((number for number, name in enumerate(names) if name in _TEXT_COLUMNS), None)

    def rewritten(self, line: str, change: Change) -> str:
        cells = self._cells(line)
        text = "" if self._text is None or self._text >= len(cells) else cells[self._text].strip('"')
        for number, cell in enumerate(cells):
            if number != self._text and has_only_mesh_ids(cell.strip('"\r ')):
                cells[number] = rewritten(cell, text, change)
        return self._separator.join(cells)

    def _cells(self, line: str) -> list[str]:
        return self._cell.findall(line)
