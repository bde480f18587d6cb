"""Files with the identifiers of another year: annotated articles and tables, each in its own format; and the report.

The report is a table for people, and mappings in SSSOM for programs. Source of the columns of SSSOM, a simple standard
for ontology mappings: https://mapping-commons.github.io/sssom/.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO, TypeVar

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError
from corpora.formats import registry
from corpora.formats.format import Header, Joined
from corpora.formats.streams import GuardedStream
from corpora.model.mention_infons import rewrite_identifiers
from corpora.model.mesh_ids import Change, bare_id, has_only_mesh_ids, respelt, rewritten
from corpora.output_names import output_of
from corpora.reading import Fault, OpenInput, ReadArticle
from corpora.reporting import Report
from corpora.storage.atomic import write_bytes
from corpora.storage.inputs import expand
from corpora.storage.members import Member, members
from corpora.words.quantities import quantity
from corpora.writing import write
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.migration import Fate, Migration, Outcome

T = TypeVar("T")

_ARTICLES = 200
"""Articles that are in memory together: names of identifiers are read once for all of them."""
_ROWS = 10_000
_TABLES = {".tsv": "\t", ".csv": ","}
_TEXT_COLUMNS = frozenset({"text", "mention", "name", "surface", "mention_text", "entity"})
"""Columns, by their names in small letters, with the text of a mention."""

TABLE, MAPPINGS = "migration.tsv", "migration.sssom.tsv"
COLUMNS = (
    "identifier", "name", "outcome", "successors", "successor_names", "why", "last_year", "since", "broader",
    "evidence", "mentions",
)  # fmt: skip

_REPLACED_BY, _CONSIDER, _NOT_FOUND = "IAO:0100001", "oboInOwl:consider", "sssom:NoTermFound"
_SSSOM_COLUMNS = (
    "subject_id", "subject_label", "predicate_id", "object_id", "object_label", "mapping_justification",
    "subject_source_version", "object_source_version", "comment",
)  # fmt: skip
_SSSOM_HEAD = """\
#mapping_set_id: urn:nlmchem:mesh-migration:{year}
#mapping_set_description: "Identifiers of earlier years of MeSH in MeSH {year}, as nlmchem lexicon migrate found them"
#license: https://www.nlm.nih.gov/databases/download/terms_and_conditions_mesh.html
#mapping_tool: nlmchem
#curie_map:
#  IAO: http://purl.obolibrary.org/obo/IAO_
#  mesh: http://id.nlm.nih.gov/mesh/
#  oboInOwl: http://www.geneontology.org/formats/oboInOwl#
#  semapv: https://w3id.org/semapv/vocab/
#  sssom: https://w3id.org/sssom/
"""


@dataclass(slots=True)
class Migrated:
    """What became of the identifiers of some files."""

    migration: Migration
    fates: Counter[Fate] = field(default_factory=Counter)
    """How often each fate was that of an identifier."""
    articles: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)

    def change(self, identifier: str, text: str) -> str:
        """The identifier in its place: the successor if there is one, else the same."""
        fate = self.migration.fate(identifier, text)
        self.fates[fate] += 1
        return fate.successors[0] if fate.outcome is Outcome.REPLACED else identifier


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
            if member.fault is not None:
                migrated.problems.append(f"{member}: {member.fault}")
                continue
            name: PurePosixPath | None
            if (separator := _TABLES.get(member.relative.suffix.lower())) is None:
                name = _migrate_articles(member, stream, folder, migrated, report)
            else:
                name = output_of(member, member.relative.suffix)
                content = _migrated_table(member, stream, separator, migrated)
                if content is not None:
                    write_bytes(folder / name, content)
            if name is not None and taken.setdefault(name, str(member)) != str(member):
                raise ConfigurationError(
                    f"{taken[name]} and {member} would both give {name}; migrate one of them into another folder"
                )
    return migrated


# -- articles -----------------------------------------------------------------------------------


def _migrate_articles(
    member: Member, stream: BinaryIO, folder: Path, migrated: Migrated, report: Report
) -> PurePosixPath | None:
    header = Header()
    source = OpenInput(member, GuardedStream(stream), header)
    if (reason := source.unclaimed()) is not None:
        report(f"{member} was left out: {reason}")
        return None

    def read() -> Iterator[ReadArticle]:
        for article in source.articles(report):
            if isinstance(article, Fault):
                migrated.problems.append(str(article))
            else:
                yield article

    readable = read()
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

    def in_blocks() -> Iterator[BioCDocument]:
        while block := list(islice(documents, _ARTICLES)):
            _prepare(migrated, block, rewrite_identifiers)
            for document in block:
                rewrite_identifiers(document, migrated.change)
                migrated.articles += 1
                yield document

    write(in_blocks(), target, kind.name, header, report)
    return name


def _prepare(migrated: Migrated, block: Iterable[T], rewrite: Callable[[T, Change], object]) -> None:
    """Read the names of the identifiers of some articles or rows at once. Nothing is changed."""
    seen: list[str] = []

    def note(identifier: str, text: str) -> str:
        seen.append(identifier)
        return identifier

    for one in block:
        rewrite(one, note)
    migrated.migration.prepare(seen)


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
        _prepare(migrated, block, table.rewritten)
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


# -- the report ---------------------------------------------------------------------------------


def table(migrated: Migrated, lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """A row for each identifier, in the order of the outcomes; the first row has the names of the columns."""
    yield COLUMNS
    for fate, number in _ordered(migrated.fates.items()):
        names = (_label(lexicon, successor) for successor in fate.successors)
        yield (
            bare_id(fate.identifier),
            _label(lexicon, fate.identifier),
            fate.outcome,
            ",".join(map(bare_id, fate.successors)),
            " | ".join(names),
            fate.why,
            fate.last,
            fate.since,
            ",".join(map(bare_id, fate.broader)),
            fate.evidence,
            str(number),
        )


def mappings(migrated: Migrated, lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """The rows of SSSOM: what replaces an identifier (`IAO:0100001`), what may (`oboInOwl:consider`), or that nothing
    does. Identifiers that were kept have no row."""
    yield _SSSOM_COLUMNS
    year = migrated.migration.year
    for fate, _ in _ordered(migrated.fates.items()):
        if fate.outcome is Outcome.KEPT:
            continue
        predicate = _CONSIDER if fate.outcome is Outcome.SEVERAL else _REPLACED_BY
        for successor in fate.successors or (_NOT_FOUND,):
            justification = "semapv:LexicalMatching" if fate.successors else "semapv:UnspecifiedMatching"
            yield (
                respelt(fate.identifier, "curie"),
                _label(lexicon, fate.identifier),
                predicate,
                respelt(successor, "curie"),
                _label(lexicon, successor) if fate.successors else "",
                justification,
                fate.last,
                year,
                f"{fate.outcome}: {fate.why}" if fate.why else str(fate.outcome),
            )


def sssom_head(migrated: Migrated) -> str:
    """The metadata at the start of the file of mappings."""
    return _SSSOM_HEAD.format(year=migrated.migration.year)


def summary(migrated: Migrated) -> str:
    """The counts in one sentence."""
    counted = []
    for outcome in Outcome:
        of_outcome = {fate: number for fate, number in migrated.fates.items() if fate.outcome is outcome}
        distinct = len({fate.identifier for fate in of_outcome})
        counted.append(f"{outcome} {sum(of_outcome.values())} ({distinct} distinct)")
    sizes = [quantity(migrated.articles, "article")] if migrated.articles or not migrated.rows else []
    sizes += [quantity(migrated.rows, "row of a table", "rows of tables")] if migrated.rows else []
    return f"{' and '.join(sizes)} in MeSH {migrated.migration.year}: {', '.join(counted)}"


def lines(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows as TSV. No cell has a tab or a line end: names of a lexicon have neither."""
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)


def _ordered(fates: Iterable[tuple[Fate, int]]) -> list[tuple[Fate, int]]:
    order = {outcome: number for number, outcome in enumerate(Outcome)}
    return sorted(fates, key=lambda item: (-order[item[0].outcome], item[0].identifier, item[0].successors))


def _label(lexicon: Lexicon, identifier: str) -> str:
    return lexicon.preferred_name(identifier) or ""
