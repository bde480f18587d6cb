"""Builds a lexicon of the whole of MeSH: descriptors, supplementary records, years, and layers of further names."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.chemical import BRANCHES
from corpora.model.hierarchy import Hierarchy
from sieves.lexicon.building import add_tsv
from sieves.lexicon.further_names import Group, join_groups, read_crossrefs, read_names
from sieves.lexicon.gold import Sightings, read_sightings
from sieves.lexicon.keys import natural_order, relaxed
from sieves.lexicon.mesh_files import Record, read_records
from sieves.lexicon.store import CURRENT, TRADE, Concept, Content, NameRow, fill

__all__ = ["Sources", "build_mesh_lexicon", "year_of"]

DRUG_BRANCHES = ("D",)
"""Tree numbers under which a concept is kept at all: proteins, roles and mixtures stay behind chemicals."""

MESH, TURNED = "mesh", "mesh in natural order"


@dataclass(frozen=True, slots=True)
class Sources:
    """What a lexicon is built from. Of several MeSH files of a kind the newest comes first.

    `history`: parents files of earlier years, whose year stands in their names. `names`: (layer, file).
    `corpora`: (layer, file or folder of annotated articles). `first`: TSV layers that go before MeSH.
    """

    descriptors: tuple[Path, ...]
    supplements: tuple[Path, ...] = ()
    history: tuple[Path, ...] = ()
    names: tuple[tuple[str, Path], ...] = ()
    crossrefs: tuple[Path, ...] = ()
    corpora: tuple[tuple[str, Path], ...] = ()
    first: tuple[Path, ...] = ()
    branches: tuple[str, ...] = BRANCHES


def build_mesh_lexicon(sources: Sources, out: Path | str, progress: Callable[[str], None] | None = None) -> str:
    """Build a lexicon and write it to `out`, whole or not at all; says its version.

    Raises `ResourceError` where a file is missing or broken or `out` cannot be written; `ConfigurationError` where
    sources make no sense together.
    """
    say = progress or (lambda _: None)
    content = collect(sources, say)
    out = Path(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        # A folder, not a file: SQLite makes the file itself, with the permissions that new files have.
        with TemporaryDirectory(prefix=f".{out.name[:100]}.", dir=out.parent) as folder:
            made = Path(folder) / "lexicon.sqlite"
            with closing(sqlite3.connect(made)) as connection:
                connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096")
                version = fill(connection, content, say)
            with made.open("rb") as stream:
                os.fsync(stream.fileno())
            made.replace(out)
    except OSError as error:
        raise ResourceError(f"cannot write a lexicon to {out} ({error.strerror}); name another place") from error
    except sqlite3.OperationalError as error:
        raise ResourceError(f"cannot write a lexicon to {out} ({error}); name another place") from error
    return version


def collect(sources: Sources, say: Callable[[str], None]) -> Content:
    """All that the sources say, as the tables will hold it."""
    if not sources.descriptors:
        raise ConfigurationError("no MeSH descriptors; name a descYYYY.xml with --desc")
    content = Content()
    years = [year_of(path) for path in sources.history]
    content.meta = {
        "year": year_of(sources.descriptors[0]),
        "history": " ".join(years),
        "branches": " ".join(sources.branches),
        "external": "\t".join(layer for layer, _ in sources.names),
        "source": ", ".join(path.name for path in (*sources.descriptors, *sources.supplements)),
    }
    history = [Hierarchy.read(path) for path in sources.history]
    for path in sources.first:
        add_tsv(content, path)
    # What MeSH calls a concept goes before what a layer calls it.
    content.concepts.clear()
    _Mesh(content, history, sources).add(say)
    _add_names(content, sources, say)
    _add_corpora(content, sources, say)
    _add_unknown(content, (CURRENT << len(history) + 1) - 1)
    return content


def _add_unknown(content: Content, years: int) -> None:
    """Concepts that only a layer knows: mixtures, and records that came after the MeSH files."""
    unknown: dict[str, str] = {}
    for name, _, identifier, _, _ in content.names:
        if identifier not in content.concepts:
            unknown.setdefault(identifier, name)
    for identifier, name in unknown.items():
        content.concepts[identifier] = Concept(identifier, name, years=years)


def year_of(path: Path) -> str:
    """The year in a file's name (`desc2024.xml`). Raises `ConfigurationError` where there is none."""
    found = re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", path.name)
    if found is None:
        raise ConfigurationError(f"the name of {path} does not say its MeSH year; rename it, as in desc2024.xml")
    return found[0]


class _Mesh:
    """Adds the records of MeSH files to a content."""

    def __init__(self, content: Content, history: Sequence[Hierarchy], sources: Sources) -> None:
        self._content = content
        self._history = history
        self._sources = sources
        self._layer = len(content.layers)
        content.layers += [MESH, TURNED, TRADE]
        self._trees: dict[str, tuple[str, ...]] = {}
        # For each key of a preferred name: the supplementary records, and the descriptors, that bear it.
        self._old: dict[str, list[str]] = defaultdict(list)
        self._new: dict[str, list[str]] = defaultdict(list)

    def add(self, say: Callable[[str], None]) -> None:
        for path in self._sources.descriptors:
            say(f"reading {path.name}")
            for record in self._with_roots(path):
                self._add_record(record, " ".join(record.trees))
        self._add_parents()
        for path in self._sources.supplements:
            say(f"reading {path.name}")
            for record in read_records(path):
                if record.supplementary:
                    self._add_supplement(record)
        self._find_replaced()

    def _with_roots(self, path: Path) -> Iterable[Record]:
        """Descriptors of the drug branches, and the heads of those branches that have no tree number themselves."""
        heads: list[Record] = []
        wanted: set[str] = set()
        for record in read_records(path):
            if any(tree.startswith(DRUG_BRANCHES) for tree in record.trees):
                self._trees[record.identifier] = record.trees
                for hierarchy in self._history:
                    if record.identifier in hierarchy:
                        wanted.update(p for p in hierarchy.parents(record.identifier) if not hierarchy.parents(p))
                yield record
            elif not record.trees and not record.supplementary:
                heads.append(record)
        yield from (record for record in heads if record.identifier in wanted)

    def _add_supplement(self, record: Record) -> None:
        trees = sorted({tree for heading in record.mapped_to for tree in self._trees.get(heading, ())})
        if record.mapped_to and not trees and not any(h in self._content.concepts for h in record.mapped_to):
            return
        self._add_record(record, " ".join(trees))
        self._content.parents += [(record.identifier, heading) for heading in record.mapped_to]

    def _add_record(self, record: Record, trees: str) -> None:
        content, identifier = self._content, record.identifier
        near = any(_under(tree, self._sources.branches) for tree in trees.split()) or not trees
        if identifier not in content.concepts:
            years = CURRENT | sum(CURRENT << n + 1 for n, year in enumerate(self._history) if identifier in year)
            content.concepts[identifier] = Concept(identifier, record.name, 0 if near else 1, years, trees)
        content.names += self._names(record)
        keys = {relaxed(record.name)}
        if not record.supplementary:
            keys |= {relaxed(term.name) for term in record.terms if term.preferred}
        for key in sorted(keys):
            (self._old if record.supplementary else self._new)[key].append(identifier)

    def _names(self, record: Record) -> list[NameRow]:
        identifier, layer = record.identifier, self._layer
        rows: list[NameRow] = [(record.name, layer, identifier, True, 0)]
        known = {record.name}
        for term in record.terms:
            if term.name not in known:
                known.add(term.name)
                rows.append((term.name, layer + 2 if term.trade else layer, identifier, False, 0))
        for name in sorted(known):
            turned = natural_order(name)
            if turned is not None and turned not in known:
                known.add(turned)
                rows.append((turned, layer + 1, identifier, False, 0))
        return rows

    def _add_parents(self) -> None:
        at = {tree: identifier for identifier, trees in self._trees.items() for tree in trees}
        for tree, identifier in at.items():
            parent = at.get(tree.rpartition(".")[0])
            if parent is not None:
                self._content.parents.append((identifier, parent))

    def _find_replaced(self) -> None:
        """Supplementary records that became descriptors: one preferred name, and never both in one year."""
        for key, olds in self._old.items():
            for old in olds:
                for new in self._new.get(key, ()):
                    if not any(old in year and new in year for year in self._history):
                        self._content.replaced.append((old, new))


def _under(tree: str, branches: Sequence[str]) -> bool:
    return any(tree == branch or tree.startswith(f"{branch}.") for branch in branches)


# -- layers -------------------------------------------------------------------------------------


def _add_names(content: Content, sources: Sources, say: Callable[[str], None]) -> None:
    if not sources.names:
        return
    crossrefs = read_crossrefs(sources.crossrefs)
    labels: dict[str, set[str]] = defaultdict(set)
    for name, _, identifier, preferred, _ in content.names:
        if preferred:
            labels[relaxed(name)].add(identifier)
    for layer, path in sources.names:
        say(f"reading {path.name}")
        rank = len(content.layers)
        content.layers.append(layer)
        groups: list[Group] = read_names(path)
        joined = join_groups(groups, crossrefs, labels)
        content.names += [(name, rank, id, False, 0) for name, id in joined if id in content.concepts]


def _add_corpora(content: Content, sources: Sources, say: Callable[[str], None]) -> None:
    for layer, path in sources.corpora:
        say(f"reading {path}")
        rank = len(content.layers)
        content.layers.append(layer)
        sightings: Sightings = read_sightings(path)
        content.names += [(text, rank, ids, False, count) for text, ids, count in sightings.agreed()]
