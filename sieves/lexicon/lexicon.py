"""A read-only store of names and the concepts that they stand for, in SQLite.

Three kinds of lexicon can be opened:

- the default: all of MeSH with the starter names on top, which comes with the package (`sieves.lexicon.shipped`);
- `starter`: the hand-picked names alone;
- a file: SQLite as `nlmchem lexicon build` writes it, or a TSV `identifier<TAB>preferred name<TAB>synonyms joined by |`
  that is compiled into memory. Both forms give the same answers and the same `version`.

Names are stored in plain characters (`sieves.lexicon.keys.plain`). A name matches a text in one of these ways, the
most trusted first:

1. The text is the name, letter for letter.
2. The text has three characters or more and is the name with a capital at its start, as at the start of a sentence
   (`Iron` for `iron`).
3. The text is the name in any case (`ETHANOL`, `Nile Red`). The name must have six characters or more and three small
   letters in a row. Case is the only difference between other words and shorter names, formulae and abbreviations
   (`NO`, `Na+`, `NaHCO3`, `HEPES`), so they keep theirs.
4. Where a sieve requests it (`Lexicon.relaxed`), the text is the name in any case, punctuation and Greek spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from corpora.model.mesh_ids import is_descriptor
from corpora.reporting import Report, log
from corpora.words.short_texts import LONGEST
from sieves.lexicon.concepts import StoredConcepts, Years
from sieves.lexicon.database import LOOKUP, Database, lookup_in, open_database
from sieves.lexicon.keys import bag, fold_key, plain, readings, relaxed, singular, stable_start, tidy
from sieves.lexicon.shipped import SHIPPED
from sieves.lexicon.store import StoredConcept
from sieves.lexicon.tables import BLOCKED, STARTER, build_lexicon, compile_own_names

__all__ = ["STARTER", "Lexicon", "Match", "build_lexicon", "fold_key", "plain", "singular"]

T = TypeVar("T")

CACHED = 131_072
"""How many answers a lexicon has in memory; about 40 MB when full."""


@dataclass(frozen=True, slots=True)
class Match:
    """A concept and the name by which it was found."""

    identifier: str
    """One concept (`MESH:D014867`), or several joined by `,` if the name means a mixture (buffered saline)."""
    name: str
    preferred_name: str
    layer: str
    """The source of the name."""
    count: int = 0
    """How often a corpus has it."""

    @property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(self.identifier.split(","))


_Rows = tuple[tuple[Match, ...], tuple[tuple[Any, ...], ...]]
"""The rows with a key, best first: those that the year in use has, and those of other years as they are stored."""


class Lexicon:
    """Names and their concepts; open one with `Lexicon.open`.

    A pickled lexicon holds what it was opened from and is opened again where it is unpickled. A lexicon is only read,
    so the threads of a process may share it (the workers of Dask change threads).
    """

    __slots__ = (
        "_cache",
        "_each",
        "_every_year",
        "_layers",
        "_own_paths",
        "_owned",
        "_query",
        "_years",
        "as_of",
        "concepts",
        "database",
        "external",
        "own",
        "version",
    )

    def __init__(self, database: Database, as_of: int | None = None) -> None:
        """`database` is closed with the lexicon. Raises `ConfigurationError` for a year without history."""
        self.database = database
        self._query, self._each = database.query, database.each
        self._owned = True
        self._every_year = False
        self.version = self.meta["sha256"]
        """The sha256 of the content, in hex: the same for a TSV and the SQLite file built from it."""
        self.own: Lexicon | None = None
        """The names of the user (`sieves.lexicon.tables`), whose answers come first; None if there are none."""
        self._own_paths: tuple[Path, ...] = ()
        self.as_of = as_of
        """The MeSH year of the identifiers in answers; None for that of the files it was built from."""
        self._layers = database.layers()
        self.external = frozenset(self.meta.get("external", "").split("\t")) - {""}
        """Layers with names of other terminologies than MeSH."""
        self._years = Years(database, as_of)
        self.concepts = StoredConcepts(database, self._years)
        self._cache: dict[tuple[str, str], Any] = {}
        """Answers by the kind of query and its text; emptied when it is full."""

    @classmethod
    def open(
        cls,
        source: Path | str | None = None,
        as_of: int | None = None,
        report: Report = log,
        names: Sequence[Path | str] = (),
    ) -> Lexicon:
        """Open a lexicon: the default one (None), `starter`, or a TSV or SQLite file.

        `names`: tables of names of the user, which are put on top (`sieves.lexicon.tables`).

        `as_of` is a MeSH year of which the lexicon has a history. `report` receives a line when the default lexicon is
        unpacked, which happens once on a machine. Raises `ResourceError` if there is no lexicon, or it is broken or of
        another version, and `ConfigurationError` for a year without history.
        """
        opened = cls._of(open_database(source, report), as_of)
        if names:
            paths = tuple(Path(name).absolute() for name in names)
            place = ", ".join(map(str, paths))
            try:
                own = cls._of(Database(compile_own_names(paths), Path(place), place, in_memory=True), None)
                opened._share(own, paths, sha256(f"{opened.version}\n{own.version}".encode()).hexdigest())
            except BaseException:
                opened.close()
                raise
        return opened

    @classmethod
    def _of(cls, database: Database, as_of: int | None) -> Lexicon:
        try:
            return cls(database, as_of)
        except BaseException:
            database.close()
            raise

    @property
    def meta(self) -> Mapping[str, str]:
        """The properties that the file states: sources, years, counts."""
        return self.database.meta

    @property
    def file(self) -> Path | None:
        """The user's own file that it was opened from; None for a lexicon that comes with the package."""
        return None if self.database.source in (SHIPPED, STARTER) else self.database.path

    @property
    def year(self) -> str | None:
        """The year of MeSH of the identifiers in answers; None for a lexicon that was not built from MeSH."""
        return self.meta.get("year") if self.as_of is None else str(self.as_of)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        source = None if self.database.source == SHIPPED else self.database.source
        return Lexicon.open, (source, self.as_of, log, self._own_paths)

    def _share(self, own: Lexicon | None, paths: tuple[Path, ...], version: str) -> None:
        self.own, self._own_paths, self.version = own, paths, version
        self.concepts.own = None if own is None else own.concepts

    def conflicts(self) -> Iterator[tuple[str, str, str]]:
        """The names of the user that mean another concept in the lexicon: name, own identifier, the other one."""
        if self.own is None:
            return
        for name, identifier in self.own._each("SELECT DISTINCT name.name, id FROM name JOIN concept ON row = concept"):
            # The rows without the names of the user.
            below = self._by_reading(name, self._divided(self._query(LOOKUP, relaxed(name)))[0])
            if below and identifier not in {match.identifier for match in below} | {BLOCKED}:
                yield name, identifier, f"{below[0].identifier} ({below[0].preferred_name})"

    def __enter__(self) -> Lexicon:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._owned:
            # Other lexicons may use the connection, which counts who closes it.
            self._owned = False
            self.database.close()
            if self.own is not None:
                self.own.close()

    def undated(self) -> Lexicon:
        """The same lexicon with the concepts of all years, and the identifiers of its own year where it has them.

        What marks names uses it: a record that MeSH has removed still names a chemical. It is closed with this one.
        """
        if self._every_year:
            return self
        same = Lexicon(self.database)
        same._owned, same._every_year = False, True
        if self.as_of is None:
            same._cache = self._cache
        same._share(self.own, self._own_paths, self.version)
        return same

    def check(self) -> None:
        """Raises `ResourceError` if the file was written to since it was opened (`Database.check`).

        A stage calls this before it returns its articles.
        """
        self.database.check()

    # -- queries --------------------------------------------------------------------------------

    def lookup(self, name: str, external: bool = True) -> tuple[Match, ...]:
        """The concepts with a name, best first; empty if there is none. `external`: also search external layers.

        The answer is the first of the first three readings of a name (see above) that any concept has. Order within
        it: chemicals before proteins and roles, earlier layers, preferred names before synonyms, MeSH descriptors
        before supplementary records, corpus counts, then identifier and name.
        """
        return self.spelt(tidy(name), external)

    def own_meaning(self, text: str) -> str | None:
        """The identifier that a name of the user gives to a tidied text, `BLOCKED` for a blocked name; else None."""
        if self.own is None:
            return None
        return next((match.identifier for match in self.own.spelt(text)), None)

    def spelt(self, text: str, external: bool = True) -> tuple[Match, ...]:
        """`lookup` for a text that is already tidied (`sieves.lexicon.keys.tidy`)."""
        rows: Sequence[Match] = self._rows(relaxed(text))
        if rows and not external:
            rows = [row for row in rows if row.layer not in self.external]
        matching = self._by_reading(text, rows) if rows else []
        of_user = [] if self.own is None else [match for match in self.own.spelt(text) if match.identifier != BLOCKED]
        return distinct([*map(self._with_name, of_user), *matching]) if of_user or matching else ()

    def _by_reading(self, text: str, rows: Sequence[Match]) -> list[Match]:
        """The rows of the first of the readings of a text that any row has."""
        for column, value in readings(text):
            if column == "name":
                matching = [row for row in rows if row.name == value]
            else:
                matching = [row for row in rows if fold_key(row.name) == value]
            if matching:
                return matching
        return []

    def relaxed(self, name: str) -> tuple[Match, ...]:
        """The concepts with a name in any case, punctuation and Greek spelling, best first."""
        return self.with_key(relaxed(tidy(name)))

    def has_key(self, key: str) -> bool:
        """Whether the year in use has any name with this `relaxed` key."""
        return bool(self._rows(key))

    def with_key(self, key: str) -> tuple[Match, ...]:
        """The concepts of the names with this `relaxed` key, best first."""
        return distinct(self._rows(key))

    def with_bag(self, words: str) -> tuple[Match, ...]:
        """The concepts of the names with these words in any order (`sieves.lexicon.keys.bag`), best first."""
        orders = self._arranged("", words.split(" "))
        matching = [row for key in sorted(set(map(relaxed, orders))) for row in self._rows(key)]
        keys = {relaxed(row.name) for row in matching if bag(row.name) == words}
        return distinct([row for row in matching if relaxed(row.name) in keys])

    def _arranged(self, start: str, words: Sequence[str]) -> Iterator[str]:
        """The texts of `start` and the words in any order with which a name may begin."""
        if not words:
            yield start
        for word in dict.fromkeys(words):
            # Most orders end here after a word or two: no name begins so. An article has many similar names.
            if self.begins(stable_start(start + word)):
                at = words.index(word)
                yield from self._arranged(start + word, [*words[:at], *words[at + 1 :]])

    def names(self, distance: int = 1) -> Iterator[tuple[str, str]]:
        """Every (name, identifier) of concepts of at most this distance, sorted (`Database.names`)."""
        return self.database.names(distance)

    def keys_like(self, start: str, shortest: int, longest: int) -> list[str]:
        """The keys that begin with `start` and have `shortest` to `longest` characters, sorted."""
        query = "SELECT DISTINCT key FROM name WHERE key >= ? AND key < ? AND length(key) BETWEEN ? AND ?"
        keys = [key for (key,) in self._query(query, start, f"{start}\U0010ffff", shortest, longest)]
        return keys if self.own is None else sorted({*keys, *self.own.keys_like(start, shortest, longest)})

    def begins(self, start: str) -> bool:
        """Whether the key of any name, of any year, begins with `start`."""
        return self._cached("start", start, self._begins)

    def _begins(self, start: str) -> bool:
        if self.own is not None and self.own._begins(start):
            return True
        query = "SELECT EXISTS (SELECT 1 FROM name WHERE key >= ? AND key < ?)"
        rows = self._query(query, start, f"{start}\U0010ffff")
        return bool(rows and rows[0][0])

    def elsewhere(self, name: str) -> tuple[Match, ...]:
        """The concepts with a name that are no substances (diseases, methods), in any case and punctuation."""
        key = relaxed(tidy(name))
        return distinct(self._divided(self._query(lookup_in("elsewhere"), key))[0])

    def concept(self, identifier: str) -> StoredConcept | None:
        """The concept with an identifier, of any year; None if the lexicon does not have it."""
        return self.concepts.concept(identifier)

    def preferred_name(self, identifier: str) -> str | None:
        """The preferred name of a concept; None for an identifier that the lexicon does not have."""
        return self._cached("preferred", identifier, self.concepts.preferred_name)

    def trees(self, identifier: str) -> tuple[str, ...]:
        """The tree numbers of a concept (`StoredConcepts.trees`)."""
        return self.concepts.trees(identifier)

    def parents(self, identifier: str) -> tuple[str, ...]:
        """The broader concepts, sorted (`StoredConcepts.parents`)."""
        return self.concepts.parents(identifier)

    def headings(self, name: str) -> tuple[Match, ...]:
        """The headings that stand for a name in the year in use if that year does not have its concept.

        A supplementary record that the year does not have is mapped to headings. Those that the year has are the
        answer, joined by `,` if they are several. The answer for a younger descriptor is the heading above it, if
        there is only one.
        """
        _, undated = self._cached("key", relaxed(tidy(name)), self._read)
        matches = []
        for identifier, known, _, layer, _, count, _, _ in undated:
            if "," not in identifier:
                above = list(dict.fromkeys(filter(None, map(self.translate, self.parents(identifier)))))
                if len(above) == 1 or (above and not is_descriptor(identifier)):
                    preferred = " | ".join(self.preferred_name(heading) or heading for heading in above)
                    matches.append(Match(",".join(above), known, preferred, self._layers[layer], count))
        return distinct(matches)

    def translate(self, identifier: str) -> str | None:
        """An identifier of any year as the year in use has it; None if that year does not have the concept."""
        return self._years.dated(identifier)

    # -- rows -----------------------------------------------------------------------------------

    def _rows(self, key: str) -> tuple[Match, ...]:
        """The rows with a key that the year in use has, best first."""
        dated, others = self._cached("key", key, self._read)
        # Few names are those of concepts that the year does not have.
        return self._cached("every year", key, self._read_every_year) if self._every_year and others else dated

    def _read_every_year(self, key: str) -> tuple[Match, ...]:
        return tuple(
            Match(self._years.dated(identifier, years) or identifier, name, preferred, self._layers[layer], count)
            for identifier, name, preferred, layer, years, count, _, _ in sorted(self._query(LOOKUP, key), key=order_of)
        )

    def _read(self, key: str) -> _Rows:
        dated, undated = self._divided(self._query(LOOKUP, key))
        if self.own is not None:
            of_user = (match for match in self.own._rows(key) if match.identifier != BLOCKED)
            dated = (*map(self._with_name, of_user), *dated)
        return dated, undated

    def _with_name(self, match: Match) -> Match:
        """A name of the user with the preferred name of its concept, which MeSH may have."""
        return replace(match, preferred_name=self.preferred_name(match.identifier) or match.preferred_name)

    def _divided(self, rows: list[tuple[Any, ...]]) -> _Rows:
        """Rows of the year in use, and those of concepts that it does not have (for `headings`)."""
        if not rows:
            return (), ()
        dated, undated = list[Match](), list[tuple[Any, ...]]()
        for row in sorted(rows, key=order_of) if len(rows) > 1 else rows:
            identifier, name, preferred, layer, years, count, _, _ = row
            known = self._years.dated(identifier, years)
            if known is None:
                undated.append(row)
            else:
                dated.append(Match(known, name, preferred, self._layers[layer], count))
        return tuple(dated), tuple(undated)

    def _cached(self, kind: str, text: str, find: Callable[[str], T]) -> T:
        known: T | None = self._cache.get((kind, text))
        if known is None:
            known = find(text)
            if len(self._cache) >= CACHED:
                self._cache.clear()
            if len(text) <= LONGEST:
                self._cache[kind, text] = known
        return known


def order_of(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The order within a reading: chemicals before proteins and roles, earlier layers, preferred names before synonyms,
    descriptors before supplementary records (indexers use descriptors), names that a corpus has more often."""
    identifier, name, _, layer, _, count, distance, preferred = row
    return distance > 0, layer, not preferred, not is_descriptor(identifier), -count, identifier, name


def distinct(rows: Sequence[Match]) -> tuple[Match, ...]:
    """The first row of each concept; most names are in several layers and have one concept."""
    first: dict[str, Match] = {}
    for row in rows:
        first.setdefault(row.identifier, row)
    return tuple(first.values())
