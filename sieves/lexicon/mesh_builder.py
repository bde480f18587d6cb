"""Builds a lexicon of the whole of MeSH: descriptors, supplementary records, history, and layers of further names."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.errors import Argument, ConfigurationError, ResourceError
from corpora.model.chemical import BRANCHES, is_chemical
from corpora.model.hierarchy import Hierarchy
from corpora.model.mesh_ids import bare_id, is_descriptor
from corpora.storage import atomic, owned_files
from sieves.lexicon.concepts import with_inherited
from sieves.lexicon.database import connect
from sieves.lexicon.further_names import agreed_names, certain_pairs, join_groups, read_crossrefs, read_names
from sieves.lexicon.keys import natural_order, relaxed
from sieves.lexicon.mesh_files import MeshRecord, read_lexicon, read_listings, read_records
from sieves.lexicon.store import CHEMICAL, CURRENT, ELSEWHERE, MESH, SUBSTANCE, TRADE, Content, StoredConcept, fill
from sieves.lexicon.succession import Listings, find_successors, join_headings, last_successors, read_headings
from sieves.lexicon.tables import add_tsv

DRUG_BRANCHES = ("D",)
"""Tree numbers of substances. Names of other concepts (diseases, organisms) are kept apart from those of substances."""

TURNED = "mesh in natural order"


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that a lexicon is built from. Of several MeSH files of a kind the newest comes first."""

    descriptors: tuple[Path, ...]
    supplements: tuple[Path, ...] = ()
    history: tuple[Path, ...] = ()
    """Parents files of earlier years; each has its year in its name."""
    names: tuple[tuple[str, Path], ...] = ()
    """Layers of names of other terminologies: (layer, file)."""
    crossrefs: tuple[Path, ...] = ()
    """Cross-references that join `names` to MeSH."""
    registry: tuple[Path, ...] = ()
    """Cross-references that are stored in the lexicon."""
    corpora: tuple[tuple[str, Path], ...] = ()
    """(layer, file or folder of annotated articles)."""
    first: tuple[Path, ...] = ()
    """TSV layers that are ranked before MeSH."""
    earlier: Path | None = None
    """A lexicon of `build_mesh_lexicon`; its names and records of MeSH are added if the files lack them, and the years
    that it knows."""
    headings: Path | None = None
    """A list of the headings of a year that is newer than the files (`sieves.lexicon.succession`); the lexicon has its
    year, and that of the files is part of the history."""
    certain: tuple[Path, ...] = ()
    """Files as `crossrefs`, of which the one-to-one pairs are stored in the lexicon."""
    branches: tuple[str, ...] = BRANCHES
    """Tree numbers whose concepts are chemicals."""


def build_mesh_lexicon(sources: Sources, out: Path | str, progress: Callable[[str], None] | None = None) -> str:
    """Build a lexicon, write it to `out` as a whole or not at all, and return its version.

    Raises `ResourceError` if a file is missing or broken or `out` cannot be written, and `ConfigurationError` if the
    sources do not fit together.
    """
    report = progress or (lambda _: None)
    content = collect(sources, report)
    out = Path(out)
    try:
        atomic.make_folder(out.absolute().parent)
        # A folder, not a file: SQLite makes the file itself, with the permissions that new files have.
        with atomic.partial_folder_beside(out) as folder:
            made = folder / "lexicon.sqlite"
            with closing(sqlite3.connect(made)) as connection:
                connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096")
                version = fill(connection, content, report)
            with made.open("rb") as stream:
                os.fsync(stream.fileno())
            owned_files.record(out, made)
            made.replace(out)
        atomic.sync_folder(out.parent)
    except (OSError, sqlite3.OperationalError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ResourceError(f"cannot write a lexicon to {out} ({reason}); name another place") from error
    return version


def collect(sources: Sources, report: Callable[[str], None]) -> Content:
    """The content of all sources, as the tables will hold it."""
    if not sources.descriptors:
        raise ConfigurationError("no MeSH descriptors; name a descYYYY.xml with ", Argument("desc"))
    content = Content()
    years = [year_of(path) for path in sources.history]
    newest = sources.descriptors[0] if sources.headings is None else sources.headings
    newer = () if sources.headings is None else (sources.headings,)
    if sources.headings is not None:
        years.append(year_of(sources.descriptors[0]))
    content.meta = {
        "year": year_of(newest),
        "history": " ".join(years),
        "branches": " ".join(sources.branches),
        "external": "\t".join(layer for layer, _ in sources.names),
        "source": ", ".join(path.name for path in (*newer, *sources.descriptors, *sources.supplements)),
    }
    history = [Hierarchy.read(path) for path in sources.history]
    for path in sources.first:
        add_tsv(content, path)
    # The preferred name of a concept is MeSH's, not that of a layer.
    content.concepts.clear()
    _Mesh(content, history, sources).add(report)
    _add_names(content, sources, report)
    # Concepts that only a layer has: mixtures, and records that are younger than the MeSH files.
    for name, _, identifier, _, _ in content.names:
        if identifier not in content.concepts:
            content.concepts[identifier] = StoredConcept(identifier, name, years=(CURRENT << len(years) + 1) - 1)
    preferred = {concept.identifier: concept.preferred_name for concept in content.concepts.values()}
    stated = ((other, one) for other, several in read_crossrefs(sources.registry).items() for one in several)
    pairs = (*content.crossrefs, *stated, *certain_pairs(sources.certain, preferred))
    content.crossrefs = [(other, identifier) for other, identifier in pairs if identifier in content.concepts]
    return content


def year_of(path: Path) -> str:
    """The year in a file's name (`desc2024.xml`). Raises `ConfigurationError` where there is none."""
    match = re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", path.name)
    if match is None:
        raise ConfigurationError(f"the name of {path} has no MeSH year; rename the file, for example to desc2024.xml")
    return match[0]


class _Mesh:
    """Adds the records of MeSH files to a content."""

    def __init__(self, content: Content, history: Sequence[Hierarchy], sources: Sources) -> None:
        self._content = content
        self._history = history
        self._sources = sources
        self._layer = len(content.layers)
        content.layers += [MESH, TURNED, TRADE]
        self._trees: dict[str, tuple[str, ...]] = {}
        # Of descriptors: the tree numbers that decide what kind of concept they are.
        self._kinds: dict[str, tuple[str, ...]] = {}
        # For each key of a preferred name: the supplementary records, and the descriptors, that have it.
        self._old: dict[str, list[str]] = defaultdict(list)
        self._new: dict[str, list[str]] = defaultdict(list)
        self._listings = Listings()
        # The records that the newest files do not have, and what is in these files.
        self._outdated: set[str] = set()
        self._listed: set[str] = set()

    def add(self, report: Callable[[str], None]) -> None:
        for path, year in zip(self._sources.history, self._history, strict=True):
            self._listings.add(year_of(path), year)
        for path in self._sources.descriptors:
            report(f"reading {path.name}")
            records = [record for record in read_records(path) if not record.supplementary]
            self._list(path, [record.identifier for record in records], path == self._sources.descriptors[0])
            self._trees.update((record.identifier, record.trees) for record in records if record.trees)
            for identifier, tree in self._branch_heads({r.identifier for r in records if not r.trees}).items():
                self._trees[identifier] = (tree,)
            at = {tree: identifier for identifier, trees in self._trees.items() for tree in trees}
            above = {
                identifier: sorted({at[up] for tree in trees if (up := tree.rpartition(".")[0]) in at})
                for identifier, trees in self._trees.items()
            }

            def trees_of(identifier: str, above: Mapping[str, list[str]] = above) -> tuple[str, ...]:
                return with_inherited(self._trees.get(identifier, ()), above.get(identifier, ()), trees_of)

            for record in records:
                trees, parents = self._trees.get(record.identifier, ()), above.get(record.identifier, ())
                self._add_record(record, trees_of(record.identifier), " ".join(parents), trees)
            self._kinds.update((record.identifier, trees_of(record.identifier)) for record in records)
        for path in self._sources.supplements:
            report(f"reading {path.name}")
            newest = path == self._sources.supplements[0]
            identifiers = []
            for record in read_records(path):
                if record.supplementary:
                    identifiers.append(record.identifier)
                    self._add_supplement(record, newest)
            self._list(path, identifiers, newest)
        if self._sources.earlier is not None:
            self._add_earlier(self._sources.earlier, report)
        content = self._content
        # Supplementary records that became descriptors (one preferred name, and never both in one year), and records
        # of older files whose names another concept has now.
        for key, olds in self._old.items():
            for old in olds:
                for new in self._new.get(key, ()):
                    if not any(old in year and new in year for year in self._history):
                        content.replaced.append((old, new))
        known = {old for old, _ in content.replaced}
        content.replaced += find_successors(content, self._outdated - known, self._listed)
        gone: list[str] = []
        if (newer := self._sources.headings) is not None:
            report(f"reading {newer.name}")
            headings = read_headings(newer)
            gone = join_headings(content, headings, self._layer)
            # Places and publication types are not in such a list.
            kept = {i for i in content.concepts if is_descriptor(i) and i in self._listed and i not in gone}
            self._listings.add(year_of(newer), kept | headings.keys())
        content.replaced = last_successors(content.replaced)
        self._date(set(gone))

    def _list(self, path: Path, identifiers: Sequence[str], newest: bool) -> None:
        self._listings.add(year_of(path), identifiers)
        if newest:
            self._listed.update(identifiers)
        else:
            self._outdated.update(set(identifiers) - self._listed)

    def _date(self, gone: Collection[str]) -> None:
        """Write into the concepts which years list them, and in which years they are answers."""
        content, listed = self._content, self._listings.bits()
        content.meta["listings"] = " ".join(self._listings.years)
        year_of_files = CURRENT if self._sources.headings is None else CURRENT << len(self._history) + 1
        newest = CURRENT | year_of_files
        # An older file adds names, and records for the years of the history. The newest files may have no records: the
        # letter is `D` of descriptors, `C` of supplementary records.
        letters = {bare_id(identifier)[:1] for identifier in self._listed}
        outdated = {i for i in self._outdated - self._listed if bare_id(i)[:1] in letters}
        years = {identifier: concept.years for identifier, concept in content.concepts.items()}
        for identifier in gone:
            years[identifier] &= ~CURRENT
        for identifier in outdated & years.keys():
            years[identifier] &= ~newest
        for old, new in content.replaced:
            for bit in (CURRENT, year_of_files):
                if years.get(new, 0) & bit:
                    years[old] &= ~bit
        for identifier, concept in content.concepts.items():
            content.concepts[identifier] = replace(concept, years=years[identifier], listed=listed.get(identifier, 0))
        for identifier, bits in listed.items():
            if identifier not in content.concepts:
                above = {p for year in self._history if identifier in year for p in year.parents(identifier)}
                content.nameless[identifier] = bits, " ".join(sorted(above))

    def _branch_heads(self, treeless: set[str]) -> dict[str, str]:
        """Descriptors without tree numbers that are the heads of branches, with the tree number of the branch.

        Some editions give no tree number to the heads (`Lipids`, D10). The history has their children, and most
        children of a head lie directly under it.
        """
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for identifier, trees in self._trees.items():
            tops = {tree.partition(".")[0] for tree in trees if tree.count(".") == 1}
            for year in self._history:
                for parent in year.parents(identifier) if identifier in year else ():
                    if parent in treeless and not year.parents(parent):
                        votes[parent].update(tops)
        return {
            identifier: min(tops, key=lambda top, tops=tops: (-tops[top], top))  # type: ignore[misc]
            for identifier, tops in votes.items()
            if tops
        }

    def _add_supplement(self, record: MeshRecord, newest: bool) -> None:
        trees = tuple(sorted({tree for heading in record.mapped_to for tree in self._kinds.get(heading, ())}))
        # A record that maps to nothing is a substance that NLM has not mapped yet.
        kind = trees if record.mapped_to else self._sources.branches
        self._add_record(record, kind, " ".join(sorted(set(record.mapped_to))), (), newest)

    def _add_earlier(self, lexicon: Path, report: Callable[[str], None]) -> None:
        """Add the names of another lexicon, and the records that the files lack, unless the files are older than it."""
        with closing(connect(lexicon)) as connection:
            year, records = read_lexicon(connection)
            report(f"reading the names of MeSH {year} in {lexicon.name}")
            for listed_year, identifiers in read_listings(connection).items():
                if listed_year < self._content.meta["year"]:
                    self._listings.add(listed_year, identifiers)
            known = set(self._content.concepts)
            for record in records:
                if record.identifier not in known and self._content.meta["year"] < year:
                    continue
                if record.identifier not in known:
                    self._outdated.add(record.identifier)
                if record.supplementary:
                    self._add_supplement(record, newest=False)
                else:
                    self._add_record(record, record.trees, " ".join(record.mapped_to), record.trees)
        self._content.meta["source"] += f", names of MeSH {year} in {lexicon.name}"

    def _add_record(
        self, record: MeshRecord, kind: Sequence[str], parents: str, trees: Sequence[str], newest: bool = True
    ) -> None:
        """`kind`: the tree numbers that decide what kind of concept it is."""
        content, identifier = self._content, record.identifier
        known = content.concepts.get(identifier)
        if known is None:
            distance = SUBSTANCE if any(tree.startswith(DRUG_BRANCHES) for tree in kind) else ELSEWHERE
            distance = CHEMICAL if is_chemical(kind, self._sources.branches) else distance
            # The years in which an identifier of the files can be an answer.
            years = CURRENT if self._sources.headings is None else CURRENT | CURRENT << len(self._history) + 1
            years |= sum(CURRENT << n + 1 for n, year in enumerate(self._history) if identifier in year)
            known = StoredConcept(identifier, record.name, distance, years, " ".join(trees), parents)
            content.concepts[identifier] = known
            # A record that the newest file does not have may have become a descriptor under any of its names.
            keys = {relaxed(record.name)}
            if not record.supplementary or not newest:
                keys |= {relaxed(term.name) for term in record.terms if term.preferred or record.supplementary}
            for key in sorted(keys):
                (self._old if record.supplementary else self._new)[key].append(identifier)
        content.crossrefs += [(number, identifier) for number in record.registry]
        rows = content.elsewhere if known.distance == ELSEWHERE else content.names
        layer = self._layer
        rows.append((record.name, layer, identifier, record.name == known.preferred_name, 0))
        names = {record.name}
        for term in record.terms:
            if term.name not in names:
                names.add(term.name)
                rows.append((term.name, layer + 2 if term.trade else layer, identifier, False, 0))
        for name in sorted(names):
            turned = natural_order(name)
            if turned is not None and turned not in names:
                names.add(turned)
                rows.append((turned, layer + 1, identifier, False, 0))


def _add_names(content: Content, sources: Sources, report: Callable[[str], None]) -> None:
    """Add the layers of other terminologies and of corpora."""
    crossrefs = read_crossrefs(sources.crossrefs) if sources.names else {}
    labels: dict[str, set[str]] = defaultdict(set)
    for name, _, identifier, preferred, _ in content.names if sources.names else ():
        if preferred:
            labels[relaxed(name)].add(identifier)
    for layer, path in sources.names:
        report(f"reading {path.name}")
        rank = len(content.layers)
        content.layers.append(layer)
        for name, identifier in join_groups(read_names(path), crossrefs, labels):
            if identifier in content.concepts and content.concepts[identifier].distance != ELSEWHERE:
                content.names.append((name, rank, identifier, False, 0))
    for layer, path in sources.corpora:
        report(f"reading {path}")
        rank = len(content.layers)
        content.layers.append(layer)
        content.names += [(text, rank, ids, False, count) for text, ids, count in agreed_names(path)]
