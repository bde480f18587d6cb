"""A read-only store of names and the concepts they stand for, in SQLite.

`sieves.lexicon.building` makes one of NLM's MeSH files and further layers of names. A small lexicon may also be a TSV,
`identifier<TAB>preferred name<TAB>synonyms joined by |`, compiled into memory when it is opened. Both forms give the
same answers and the same `version`. The package carries a hand-picked one, `starter.tsv`.

Names are kept in plain characters (`sieves.lexicon.keys.plain`). A name matches a text, most trusted first, by:

1. the name itself, letter for letter;
2. of three characters or more, the name with a capital at its start, as a sentence writes it
   (`Iron` for `iron`);
3. the name in any case (`ETHANOL`, `Nile Red`), if it has six characters or more and a run of three small
   letters in it. Shorter names, formulae and abbreviations (`NO`, `Na+`, `NaHCO3`, `HEPES`) are told from
   other words by their case alone, so theirs is kept;
4. where a sieve asks for it (`Lexicon.relaxed`), the name in any case, punctuation and Greek spelling.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.mesh_ids import is_descriptor
from sieves.lexicon.building import build_lexicon, compile_tsv
from sieves.lexicon.file import LOOKUP, WAY_OUT, checked_meta, connect, is_sqlite, stamp
from sieves.lexicon.keys import fold_key, plain, readings, relaxed, singular, tidy
from sieves.lexicon.store import CURRENT

__all__ = ["STARTER", "Lexicon", "Match", "build_lexicon", "fold_key", "plain", "readings", "singular"]

STARTER = Path(__file__).with_name("starter.tsv")
"""The hand-picked lexicon that comes with the package; docs/reference/lexicon.md says how it was made."""

CACHED_LOOKUPS = 65_536
"""Keys whose rows are remembered; some 20 MB when full."""

_NAMES = """
SELECT DISTINCT name.name, concept.id FROM name JOIN concept ON concept.row = name.concept
WHERE concept.distance <= ? ORDER BY name.name, concept.id
"""


@dataclass(frozen=True, slots=True)
class Match:
    """A concept that bears a name, and the name by which it was found.

    `identifier` is one concept (`MESH:D014867`), or several joined by `,` where a name means a mixture
    (phosphate-buffered saline). `layer` says which source the name is from; `count` how often a corpus has it.
    """

    identifier: str
    name: str
    preferred_name: str
    layer: str
    count: int = 0

    @property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(self.identifier.split(","))


_Row = tuple[str, str, str, str, int]
"""What a `Match` is made of, in the order of its fields."""


class Lexicon:
    """Names and their concepts; open one with `Lexicon.open`.

    A lexicon pickles as the path that it was opened from, and is opened again where it is unpickled.
    It is only read from, so threads of one process may share it (Dask's workers change threads).
    """

    __slots__ = (
        "_answers",
        "_bit",
        "_cache",
        "_connection",
        "_layers",
        "_path",
        "_renamed",
        "_stamp",
        "_undated",
        "as_of",
        "external",
        "meta",
        "version",
    )

    def __init__(self, connection: sqlite3.Connection, path: Path, as_of: int | None, in_memory: bool = False) -> None:
        self._connection = connection
        self._path = path
        self._stamp = None if in_memory else stamp(path)
        self.meta: Mapping[str, str] = MappingProxyType(checked_meta(connection, path))
        """What the file says of itself: sources, years, counts."""
        self.version = self.meta["sha256"]
        """The sha256 of the content, in hex: the same for the TSV and the SQLite file made of it."""
        self.as_of = as_of
        """The MeSH year whose ids are given, None for that of the files it was built from."""
        self._bit = self._year_bit(as_of)
        self._layers: tuple[str, ...] = tuple(name for (name,) in self._ask("SELECT name FROM layer ORDER BY rank"))
        self.external = frozenset(self.meta.get("external", "").split("\t")) - {""}
        """Layers whose names come from other terminologies than MeSH."""
        self._renamed = self._read_renamed()
        self._cache: dict[str, tuple[_Row, ...]] = {}
        self._undated: dict[str, list[tuple]] = {}
        self._answers: dict[tuple[str, bool], tuple[Match, ...]] = {}

    @classmethod
    def open(cls, path: Path | str | None = None, as_of: int | None = None) -> Lexicon:
        """Open a lexicon: the starter (None), a TSV or an SQLite file; `as_of` is a MeSH year it has a history of.

        Raises `ResourceError` where there is none, or it is of another version, or broken; `ConfigurationError`
        for a year that it knows nothing of.
        """
        path = STARTER if path is None else Path(path).resolve()
        is_file = is_sqlite(path)
        connection = connect(path) if is_file else compile_tsv([path])
        try:
            return cls(connection, path, as_of, in_memory=not is_file)
        except BaseException:
            connection.close()
            raise

    def __reduce__(self) -> tuple[object, tuple[Path, int | None]]:
        return Lexicon.open, (self._path, self.as_of)

    def __enter__(self) -> Lexicon:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def check(self) -> None:
        """Raises `ResourceError` where the file was written to since it was opened: its answers are worth nothing.

        A stage asks this before it gives its articles back. A file that was moved, removed or replaced is still open,
        and what it was.
        """
        now = None if self._stamp is None else stamp(self._path)
        if now is not None and self._stamp is not None and now != self._stamp and now[0] == self._stamp[0]:
            raise ResourceError(f"the lexicon at {self._path} is broken (written to while in use); {WAY_OUT}")

    # -- asking ---------------------------------------------------------------------------------

    def lookup(self, name: str, external: bool = True) -> tuple[Match, ...]:
        """The concepts that bear a name, best first; empty where none does. `external`: in external layers, too.

        The first of the first three readings of a name (see above) that any concept bears is the answer. Within it:
        chemicals before proteins and roles, the layer that was given first, preferred names before synonyms, MeSH
        descriptors before supplementary records, corpus counts, then by identifier and by name.
        """
        known = self._answers.get((name, external))
        if known is not None:
            return known
        answer = self.spelt(tidy(name), external)
        if len(self._answers) >= CACHED_LOOKUPS:
            self._answers.clear()
        self._answers[name, external] = answer
        return answer

    def spelt(self, text: str, external: bool = True) -> tuple[Match, ...]:
        """`lookup` for a text that is already tidied (`sieves.lexicon.keys.tidy`); only its key is cached."""
        rows: Sequence[_Row] = self._rows(relaxed(text))
        if rows and not external:
            rows = [row for row in rows if row[3] not in self.external]
        if not rows:
            return ()
        for column, value in readings(text):
            if column == "name":
                found = [row for row in rows if row[1] == value]
            else:
                found = [row for row in rows if fold_key(row[1]) == value]
            if found:
                return _matches(found)
        return ()

    def relaxed(self, name: str) -> tuple[Match, ...]:
        """The concepts that bear a name in any case, punctuation and Greek spelling, best first."""
        return self.with_key(relaxed(tidy(name)))

    def has_key(self, key: str) -> bool:
        """Whether the view's year has any name with this `relaxed` key."""
        return bool(self._rows(key))

    def with_key(self, key: str) -> tuple[Match, ...]:
        """The concepts of the names with this `relaxed` key, best first."""
        return _matches(self._rows(key))

    def with_bag(self, words: str) -> tuple[Match, ...]:
        """The concepts of the names with these words in any order (`sieves.lexicon.keys.bag`), best first."""
        keys = [key for (key,) in self._ask("SELECT key FROM bag WHERE bag = ? ORDER BY key", words)]
        return _matches([row for key in keys for row in self._rows(key)])

    def names(self, distance: int = 1) -> Iterator[tuple[str, str]]:
        """Every (name, identifier), sorted; of concepts of at most this distance (`sieves.lexicon.store.Concept`)."""
        yield from self._ask(_NAMES, distance)
        self.check()

    def keys(self) -> Iterator[str]:
        """The `relaxed` keys of all names, sorted, each once."""
        self.check()
        try:
            for (key,) in self._connection.execute("SELECT DISTINCT key FROM name ORDER BY key"):
                yield key
        except sqlite3.DatabaseError as error:
            raise ResourceError(f"the lexicon at {self._path} is broken ({error}); {WAY_OUT}") from error

    def keys_like(self, start: str, shortest: int, longest: int) -> list[str]:
        """The keys that begin with `start` and have so many characters, sorted."""
        query = "SELECT DISTINCT key FROM name WHERE key >= ? AND key < ? AND length(key) BETWEEN ? AND ?"
        return [key for (key,) in self._ask(query, start, f"{start}\U0010ffff", shortest, longest)]

    def begins(self, start: str) -> bool:
        """Whether the key of any name, of whatever year, begins so."""
        query = "SELECT EXISTS (SELECT 1 FROM name WHERE key >= ? AND key < ?)"
        return bool(self._ask(query, start, f"{start}\U0010ffff")[0][0])

    def preferred_name(self, identifier: str) -> str | None:
        """What a concept is called; None for an id that the lexicon does not have."""
        found = self._ask("SELECT preferred_name FROM concept WHERE id = ?", identifier)
        return found[0][0] if found else None

    def trees(self, identifier: str) -> tuple[str, ...]:
        """The tree numbers of a concept; of a supplementary record, those of the headings it maps to."""
        found = self._ask("SELECT trees FROM concept WHERE id = ?", identifier)
        return tuple(found[0][0].split()) if found else ()

    def parents(self, identifier: str) -> tuple[str, ...]:
        """The broader concepts of one: headings above a descriptor, headings that a record maps to."""
        return tuple(row[0] for row in self._ask("SELECT parent FROM parent WHERE child = ? ORDER BY 1", identifier))

    def headings(self, name: str) -> tuple[Match, ...]:
        """What stands for a name in the view's year where that year has no concept of it: the headings above.

        A supplementary record that the year has not is mapped to headings: those that the year has are the answer,
        joined by `,` where they are several. Of a younger descriptor it is the heading above, if it has only one.
        """
        key = relaxed(tidy(name))
        self._rows(key)
        found = []
        for identifier, known, _, layer, _, count, _, _ in self._undated.get(key, ()):
            if "," not in identifier:
                above = list(dict.fromkeys(filter(None, map(self.translate, self.parents(identifier)))))
                if len(above) == 1 or (above and not is_descriptor(identifier)):
                    preferred = " | ".join(self.preferred_name(heading) or heading for heading in above)
                    found.append((",".join(above), known, preferred, self._layers[layer], count))
        return _matches(found)

    def translate(self, identifier: str) -> str | None:
        """An id of any year as the view's year has it; None where that year has none for the concept."""
        return self._dated(identifier, self._years(identifier))

    def counts(self) -> dict[str, int]:
        """How many concepts and names each layer has, and altogether."""
        found = {"concepts": self._ask("SELECT count(*) FROM concept")[0][0]}
        for rank, layer in enumerate(self._layers):
            found[f"names of {layer}"] = self._ask("SELECT count(*) FROM name WHERE layer = ?", rank)[0][0]
        return found

    # -- within ---------------------------------------------------------------------------------

    def _rows(self, key: str) -> tuple[_Row, ...]:
        """What the view's year has with a key, best first; remembered."""
        known = self._cache.get(key)
        if known is not None:
            return known
        if len(self._cache) >= CACHED_LOOKUPS:
            self._cache.clear()
            self._undated.clear()
        rows = self._ask(LOOKUP, key)
        self._cache[key] = tuple(self._dated_rows(key, rows)) if rows else ()
        return self._cache[key]

    def _dated_rows(self, key: str, rows: list[tuple]) -> Iterator[_Row]:
        """Those that the view's year has a concept of, best first; the others are noted for `headings`."""
        if len(rows) > 1:
            rows.sort(key=_rank)
        for row in rows:
            identifier, name, preferred, layer, years, count, _, _ = row
            dated = self._dated(identifier, years)
            if dated is not None:
                yield dated, name, preferred, self._layers[layer], count
            else:
                self._undated.setdefault(key, []).append(row)

    def _dated(self, identifier: str, years: int) -> str | None:
        if "," in identifier:
            parts = [self._dated(part, self._years(part)) for part in identifier.split(",")]
            return None if None in parts else ",".join(part for part in parts if part)
        # What replaced an id goes before the id itself: files of several years may have both.
        renamed = self._renamed.get(identifier)
        return renamed or (identifier if years & self._bit else None)

    def _years(self, identifier: str) -> int:
        found = self._ask("SELECT years FROM concept WHERE id = ?", identifier)
        return int(found[0][0]) if found else self._bit

    def _year_bit(self, as_of: int | None) -> int:
        if as_of is None:
            return CURRENT
        years = self.meta.get("history", "").split()
        if str(as_of) == self.meta.get("year"):
            return CURRENT
        if str(as_of) not in years:
            known = ", ".join(dict.fromkeys([*years, *filter(None, [self.meta.get("year")])])) or "none"
            raise ConfigurationError(
                f"the lexicon at {self._path} has no history of MeSH {as_of} (it has {known}); "
                "build one with --history, or leave --as-of out"
            )
        return int(CURRENT << 1 + years.index(str(as_of)))

    def _read_renamed(self) -> dict[str, str]:
        """Ids that the view's year does not use -> those it uses for the same concept."""
        concerned = "SELECT old FROM replaced UNION SELECT new FROM replaced"
        years = dict(self._ask(f"SELECT id, years FROM concept WHERE id IN ({concerned})"))
        renamed: dict[str, str] = {}
        for old, new in self._ask("SELECT old, new FROM replaced ORDER BY old, new"):
            if years.get(new, self._bit) & self._bit:
                renamed.setdefault(old, new)
            elif years.get(old, self._bit) & self._bit:
                renamed.setdefault(new, old)
        return renamed

    def _ask(self, query: str, *values: str | int) -> list[tuple]:
        try:
            return self._connection.execute(query, values).fetchall()
        except UnicodeEncodeError:
            # SQLite stores UTF-8, so no name or identifier of a lexicon contains a lone surrogate.
            return []
        except sqlite3.DatabaseError as error:
            raise ResourceError(f"the lexicon at {self._path} is broken ({error}); {WAY_OUT}") from error


def _rank(row: tuple) -> tuple:
    """Within a reading: chemicals before proteins and roles, the layer that was given first, preferred names before
    synonyms, descriptors before supplementary records (they are what indexers use), what a corpus has more often."""
    identifier, name, _, layer, _, count, distance, preferred = row
    return distance > 0, layer, not preferred, not is_descriptor(identifier), -count, identifier, name


def _matches(rows: Sequence[_Row]) -> tuple[Match, ...]:
    """The first row of each concept as a match: most names are in several layers, and of one concept."""
    first: dict[str, _Row] = {}
    for row in rows:
        first.setdefault(row[0], row)
    return tuple(Match(*row) for row in first.values())
