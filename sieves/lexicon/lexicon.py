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

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from corpora.errors import Argument, ResourceError
from corpora.model.mesh_ids import is_descriptor
from corpora.reporting import Report, log
from corpora.words.short_texts import LONGEST
from sieves.lexicon.building import build_lexicon, compile_tsv
from sieves.lexicon.file import LOOKUP, WAY_OUT, checked_meta, connect, content_of, is_sqlite, lookup_in, stamp
from sieves.lexicon.history import IdentifierHistory
from sieves.lexicon.keys import bag, fold_key, plain, readings, relaxed, singular, stable_start, tidy
from sieves.lexicon.matches import Match, distinct, order_of
from sieves.lexicon.own_names import BLOCKED, compile_own_names
from sieves.lexicon.shipped import SHIPPED, shipped_file
from sieves.lexicon.starter import STARTER, open_starter
from sieves.lexicon.store import CHEMICAL, CURRENT, ELSEWHERE, SUBSTANCE, StoredConcept
from sieves.lexicon.years import Years

__all__ = ["STARTER", "Lexicon", "Match", "build_lexicon", "fold_key", "plain", "singular"]

T = TypeVar("T")

CACHED = 131_072
"""How many answers a lexicon has in memory; about 40 MB when full."""

_NAMES = """
SELECT DISTINCT name.name, concept.id FROM name JOIN concept ON concept.row = name.concept
WHERE concept.distance <= ? ORDER BY name.name, concept.id
"""

_EVERY_NAME = f"""
SELECT own.name, concept.id FROM (SELECT name, concept FROM name UNION SELECT name, concept FROM elsewhere) AS own
JOIN concept ON concept.row = own.concept WHERE concept.years & {CURRENT} ORDER BY own.name, concept.id
"""

_NAMES_OF = "SELECT name FROM {table} WHERE concept = (SELECT row FROM concept WHERE id = ?)"


_Rows = tuple[tuple[Match, ...], tuple[tuple[Any, ...], ...]]
"""The rows with a key, best first: those that the year in use has, and those of other years as they are stored."""


class Lexicon:
    """Names and their concepts; open one with `Lexicon.open`.

    A pickled lexicon holds what it was opened from and is opened again where it is unpickled. A lexicon is only read,
    so the threads of a process may share it (the workers of Dask change threads).
    """

    __slots__ = (
        "_cache",
        "_connection",
        "_content",
        "_every_year",
        "_layers",
        "_own_paths",
        "_owned",
        "_path",
        "_source",
        "_stamp",
        "_years",
        "as_of",
        "external",
        "meta",
        "own",
        "version",
    )

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        as_of: int | None,
        source: str,
        in_memory: bool = False,
    ) -> None:
        self._connection = connection
        self._owned = True
        self._every_year = False
        self._path = path
        self._source = source
        self._stamp = None if in_memory else stamp(path)
        self._content: str | None = None
        self.meta: Mapping[str, str] = MappingProxyType(checked_meta(connection, path))
        """The properties that the file states: sources, years, counts."""
        self.version = self.meta["sha256"]
        """The sha256 of the content, in hex: the same for a TSV and the SQLite file built from it."""
        self.own: Lexicon | None = None
        """The names of the user (`sieves.lexicon.own_names`), whose answers come first; None if there are none."""
        self._own_paths: tuple[Path, ...] = ()
        self.as_of = as_of
        """The MeSH year of the identifiers in answers; None for that of the files it was built from."""
        self._layers: tuple[str, ...] = tuple(name for (name,) in self._query("SELECT name FROM layer ORDER BY rank"))
        self.external = frozenset(self.meta.get("external", "").split("\t")) - {""}
        """Layers with names of other terminologies than MeSH."""
        self._years = Years(self._query, as_of, self.meta, path)
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

        `names`: tables of names of the user, which are put on top (`sieves.lexicon.own_names`).

        `as_of` is a MeSH year of which the lexicon has a history. `report` receives a line when the default lexicon is
        unpacked, which happens once on a machine. Raises `ResourceError` if there is no lexicon, or it is broken or of
        another version, and `ConfigurationError` for a year without history.
        """
        opened = cls._opened(source, as_of, report)
        if names:
            try:
                paths = tuple(Path(name).absolute() for name in names)
                connection, place = compile_own_names(paths), Path(", ".join(map(str, paths)))
                opened._put_on_top(cls._open(connection, place, None, str(place), in_memory=True), paths)
            except BaseException:
                opened.close()
                raise
        return opened

    @classmethod
    def _opened(cls, source: Path | str | None, as_of: int | None, report: Report) -> Lexicon:
        if source is None:
            path = shipped_file(report)
            return cls._open(connect(path, shared=True), path, as_of, SHIPPED)
        if str(source) == STARTER:
            return cls._open(open_starter(), Path(STARTER), as_of, STARTER, in_memory=True)
        if not str(source):
            raise ResourceError("the name of the lexicon is empty; name a file, or leave ", Argument("lexicon"), " out")
        path = Path(source).resolve()
        is_file = is_sqlite(path)
        return cls._open(connect(path) if is_file else compile_tsv([path]), path, as_of, str(path), not is_file)

    @classmethod
    def _open(
        cls, connection: sqlite3.Connection, path: Path, as_of: int | None, source: str, in_memory: bool = False
    ) -> Lexicon:
        try:
            return cls(connection, path, as_of, source, in_memory)
        except BaseException:
            connection.close()
            raise

    @property
    def file(self) -> Path | None:
        """The user's own file that it was opened from; None for a lexicon that comes with the package."""
        return None if self._source in (SHIPPED, STARTER) else self._path

    @property
    def year(self) -> str | None:
        """The year of MeSH of the identifiers in answers; None for a lexicon that was not built from MeSH."""
        return self.meta.get("year") if self.as_of is None else str(self.as_of)

    @property
    def in_memory(self) -> bool:
        """Whether it was compiled into memory: the starter lexicon, or a TSV."""
        return self._stamp is None

    @property
    def place(self) -> str:
        """Which lexicon it is and where it is, for messages."""
        if self._source == SHIPPED:
            return f"the default lexicon (MeSH {self.meta.get('year')}), unpacked to {self._path}"
        return "the starter lexicon" if self._source == STARTER else str(self._path)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        source = None if self._source == SHIPPED else self._source
        return Lexicon.open, (source, self.as_of, log, self._own_paths)

    def _put_on_top(self, own: Lexicon, paths: tuple[Path, ...]) -> None:
        """Put the names of the user before those of this lexicon, which is open and not used yet."""
        self.own, self._own_paths = own, paths
        self.version = sha256(f"{self.version}\n{own.version}".encode()).hexdigest()

    def conflicts(self) -> Iterator[tuple[str, str, str]]:
        """The names of the user that mean another concept in the lexicon: name, own identifier, the other one."""
        if self.own is None:
            return
        for name, identifier in self.own._each("SELECT DISTINCT name.name, id FROM name JOIN concept ON row = concept"):
            below = self._by_reading(name, self._below(relaxed(name)))
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
            self._connection.close()
            if self.own is not None:
                self.own.close()

    def undated(self) -> Lexicon:
        """The same lexicon with the concepts of all years, and the identifiers of its own year where it has them.

        What marks names uses it: a record that MeSH has removed still names a chemical. It is closed with this one.
        """
        if self._every_year:
            return self
        same = Lexicon(self._connection, self._path, None, self._source, self._stamp is None)
        same._owned, same._every_year = False, True
        if self.as_of is None:
            same._cache = self._cache
        same.own, same._own_paths, same.version = self.own, self._own_paths, self.version
        return same

    def check(self) -> None:
        """Raises `ResourceError` if the file was written to since it was opened: its answers may be wrong.

        A stage calls this before it returns its articles. A file that was moved, removed or replaced is still open and
        unchanged.
        """
        now = None if self._stamp is None else stamp(self._path)
        if now is not None and self._stamp is not None and now != self._stamp and now[0] == self._stamp[0]:
            raise ResourceError(f"the lexicon at {self._path} is broken (written to while in use); ", WAY_OUT)

    def content(self) -> str:
        """The sha256, in hex, that decides whether what was made of another lexicon can be used for this one.

        A file only states its `version`, and an edited copy states that of its original. Therefore it is the sha256 of
        the file; the version where it was computed here (a TSV), or where the file was compared with that of the
        package. Raises `ResourceError` if the file was replaced since it was opened.
        """
        if self.in_memory or self._source == SHIPPED:
            # Without the names of the user: what was made of the other names is used with them, too.
            return self.meta["sha256"]
        if self._content is None:
            self._content = content_of(self._path, self._stamp)
        return self._content

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
        own = [] if self.own is None else [match for match in self.own.spelt(text) if match.identifier != BLOCKED]
        return distinct([*map(self._with_name, own), *matching]) if own or matching else ()

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
        """Every (name, identifier) of concepts of at most this distance (see `StoredConcept`), sorted."""
        self.check()
        yield from self._each(_NAMES, distance)
        self.check()

    def every_name(self) -> Iterator[tuple[str, str]]:
        """Every (name, identifier) of the lexicon's own year, also of concepts that are no substances, sorted."""
        self.check()
        yield from self._each(_EVERY_NAME)
        self.check()

    def keys(self) -> Iterator[str]:
        """The distinct `relaxed` keys of all names, sorted."""
        self.check()
        for (key,) in self._each("SELECT DISTINCT key FROM name ORDER BY key"):
            yield key

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
        query = "SELECT id, preferred_name, distance, years, trees, parents, listed FROM concept WHERE id = ?"
        rows = self._query(query, identifier)
        if rows:
            return StoredConcept(*rows[0])
        return None if self.own is None or identifier == BLOCKED else self.own.concept(identifier)

    def cross_referenced(self, other: str) -> tuple[str, ...]:
        """The identifiers of the concepts with an identifier of another name space (`CAS:50-00-0`), sorted.

        They are those of the year in use, where it has the concept.
        """
        rows = self._query("SELECT id FROM crossref WHERE other = ?", other)
        return tuple(sorted({self.translate(id) or id for (id,) in rows}))

    def cross_references(self, namespace: str) -> list[tuple[str, str]]:
        """All pairs of an identifier of a name space (`CHEBI`) and the identifier of a concept, sorted."""
        query = "SELECT other, id FROM crossref WHERE other >= ? AND other < ? ORDER BY other, id"
        return self._query(query, f"{namespace}:", f"{namespace};")

    @property
    def history(self) -> IdentifierHistory:
        """Which years list its identifiers, and what replaced them."""
        return IdentifierHistory(self._each)

    def preferred_name(self, identifier: str) -> str | None:
        """The preferred name of a concept; None for an identifier that the lexicon does not have."""
        return self._cached("preferred", identifier, self._preferred)

    def _preferred(self, identifier: str) -> str | None:
        # The first name of a record that became a descriptor can be any of its names: `Cefrom` for cefpirome.
        newer = self._query(
            "SELECT preferred_name FROM concept WHERE id IN (SELECT new FROM replaced WHERE old = ?)", identifier
        )
        current = self._query("SELECT preferred_name FROM concept WHERE id = ?", identifier)
        rows = newer if current and len(newer) == 1 else current
        if rows or self.own is None or identifier == BLOCKED:
            return rows[0][0] if rows else None
        return self.own.preferred_name(identifier)

    def names_of(self, identifier: str) -> tuple[str, ...]:
        """The names of a concept, sorted. Reads all names, which takes about 0.1 s."""
        rows = self._query(_NAMES_OF.format(table="name"), identifier)
        rows += self._query(_NAMES_OF.format(table="elsewhere"), identifier)
        rows += [] if self.own is None else self.own._query(_NAMES_OF.format(table="name"), identifier)
        return tuple(sorted({name for (name,) in rows}))

    def trees(self, identifier: str) -> tuple[str, ...]:
        """The tree numbers of a concept.

        A supplementary record has those of the headings that it maps to, and so has a heading whose own are not known.
        """
        concept = self.concept(identifier)
        if concept is None:
            return ()
        if concept.trees:
            return tuple(concept.trees.split())
        above = (self.concept(heading) for heading in concept.parents.split())
        return tuple(sorted({tree for heading in above if heading for tree in heading.trees.split()}))

    @property
    def has_trees(self) -> bool:
        """Whether any concept has a tree number; lexicons made from tables of names have none."""
        return bool(self._query("SELECT 1 FROM concept WHERE trees != '' LIMIT 1"))

    def parents(self, identifier: str) -> tuple[str, ...]:
        """The broader concepts, sorted: headings above a descriptor, headings that a supplementary record maps to."""
        concept = self.concept(identifier)
        return tuple(concept.parents.split()) if concept else ()

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

    def every_parent(self) -> dict[str, tuple[str, ...]]:
        """The broader concepts of each substance of MeSH (`parents`), by identifier. Takes a second.

        Concepts that are no substances are left out: MeSH has circles among diseases.
        """
        query = "SELECT id, parents FROM concept WHERE id LIKE 'MESH:%' AND id NOT LIKE '%,%' AND distance <= ?"
        known = {identifier: above.split() for identifier, above in self._each(query, SUBSTANCE)}
        return {identifier: tuple(one for one in above if one in known) for identifier, above in known.items()}

    def translate(self, identifier: str) -> str | None:
        """An identifier of any year as the year in use has it; None if that year does not have the concept."""
        return self._years.dated(identifier)

    def counts(self) -> dict[str, int]:
        """The number of concepts, and the number of names in each layer."""
        query = "SELECT count(*) FROM concept WHERE distance = ?"
        numbers = {
            "chemicals": self._query(query, CHEMICAL)[0][0],
            "other substances": self._query(query, SUBSTANCE)[0][0],
            "other concepts": self._query(query, ELSEWHERE)[0][0],
        }
        for rank, layer in enumerate(self._layers):
            numbers[f"names of {layer}"] = self._query("SELECT count(*) FROM name WHERE layer = ?", rank)[0][0]
        numbers["names of other concepts"] = self._query("SELECT count(*) FROM elsewhere")[0][0]
        return numbers

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
            own = (match for match in self.own._rows(key) if match.identifier != BLOCKED)
            dated = (*map(self._with_name, own), *dated)
        return dated, undated

    def _below(self, key: str) -> tuple[Match, ...]:
        """The rows with a key without the names of the user."""
        return self._divided(self._query(LOOKUP, key))[0]

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

    def _query(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        return list(self._each(query, *values))

    def _each(self, query: str, *values: str | int) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._connection.execute(query, values)
        except UnicodeEncodeError:
            # SQLite stores UTF-8, so no name or identifier of a lexicon contains a lone surrogate.
            return
        except sqlite3.DatabaseError as error:
            raise ResourceError(f"the lexicon at {self._path} is broken ({error}); ", WAY_OUT) from error
