"""A read-only store of names and the concepts they stand for, in SQLite.

`sieves.building` makes one of NLM's MeSH files and further layers of names. A small lexicon may also be a TSV,
`identifier<TAB>preferred name<TAB>synonyms joined by |`, compiled into memory when it is opened. Both forms give the
same answers and the same `version`. The package carries a hand-picked one, `starter.tsv`.

Names are kept in plain characters (see `sieves.keys.plain`). Which text a name stands for, in this order of trust:

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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from corpora.errors import ConfigurationError, ResourceError
from sieves.building import build_lexicon, compile_tsv
from sieves.keys import fold_key, plain, readings, relaxed, singular, tidy
from sieves.store import CURRENT, SCHEMA

__all__ = ["STARTER", "Lexicon", "Match", "build_lexicon", "fold_key", "plain", "readings", "singular"]

STARTER = Path(__file__).with_name("starter.tsv")
"""The hand-picked lexicon that comes with the package; docs/lexicon.md says how it was made."""

CACHED_LOOKUPS = 65_536
"""Keys whose rows are remembered; some 20 MB when full."""

_WAY_OUT = "build one with `nlmchem lexicon build`, or name none to use the starter lexicon"
_SQLITE_MAGIC = b"SQLite format 3\x00"

_LOOKUP = """
SELECT concept.id, name.name, concept.preferred_name, name.layer, concept.years, name.count, concept.distance,
    name.preferred
FROM name JOIN concept ON concept.row = name.concept
WHERE name.key = ?
"""
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
        "as_of",
        "external",
        "meta",
        "version",
    )

    def __init__(self, connection: sqlite3.Connection, path: Path, as_of: int | None) -> None:
        self._connection = connection
        self._path = path
        self.meta: Mapping[str, str] = MappingProxyType(_checked_meta(connection, path))
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
        self._cache: dict[str, tuple[tuple[str, Match], ...]] = {}
        self._answers: dict[tuple[str, bool], tuple[Match, ...]] = {}

    @classmethod
    def open(cls, path: Path | str | None = None, as_of: int | None = None) -> Lexicon:
        """Open a lexicon: the starter (None), a TSV or an SQLite file; `as_of` is a MeSH year it has a history of.

        Raises `ResourceError` where there is none, or it is of another version, or broken; `ConfigurationError`
        for a year that it knows nothing of.
        """
        path = STARTER if path is None else Path(path).resolve()
        connection = _connect(path) if _is_sqlite(path) else compile_tsv([path])
        try:
            return cls(connection, path, as_of)
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
        answer = self._lookup(tidy(name), external)
        if len(self._answers) >= CACHED_LOOKUPS:
            self._answers.clear()
        self._answers[name, external] = answer
        return answer

    def relaxed(self, name: str) -> tuple[Match, ...]:
        """The concepts that bear a name in any case, punctuation and Greek spelling, best first."""
        return _distinct(tuple(match for _, match in self._rows(relaxed(tidy(name)))))

    def with_key(self, key: str) -> tuple[Match, ...]:
        """The concepts of the names with this `relaxed` key, best first."""
        return _distinct(tuple(match for _, match in self._rows(key)))

    def with_bag(self, words: str) -> tuple[Match, ...]:
        """The concepts of the names with these words in any order (`sieves.keys.bag`), best first."""
        keys = [key for (key,) in self._ask("SELECT key FROM bag WHERE bag = ? ORDER BY key", words)]
        return _distinct(tuple(match for key in keys for match in self.with_key(key)))

    def names(self, distance: int = 1) -> Iterator[tuple[str, str]]:
        """Every (name, identifier), sorted; of concepts of at most this distance (`sieves.store.Concept`)."""
        yield from self._ask(_NAMES, distance)

    def keys(self) -> Iterator[str]:
        """The `relaxed` keys of all names, sorted, each once."""
        try:
            for (key,) in self._connection.execute("SELECT DISTINCT key FROM name ORDER BY key"):
                yield key
        except sqlite3.DatabaseError as error:
            raise ResourceError(f"the lexicon at {self._path} is broken ({error}); {_WAY_OUT}") from error

    def keys_like(self, start: str, shortest: int, longest: int) -> list[str]:
        """The keys that begin with `start` and have so many characters, sorted."""
        query = "SELECT DISTINCT key FROM name WHERE key >= ? AND key < ? AND length(key) BETWEEN ? AND ?"
        return [key for (key,) in self._ask(query, start, f"{start}\U0010ffff", shortest, longest)]

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
        found = []
        for identifier, known, _, layer, _, count, _, _ in sorted(self._ask(_LOOKUP, relaxed(tidy(name))), key=_rank):
            if self.translate(identifier) is None and "," not in identifier:
                above = list(dict.fromkeys(filter(None, map(self.translate, self.parents(identifier)))))
                if len(above) == 1 or (above and identifier.startswith("MESH:C")):
                    preferred = " | ".join(self.preferred_name(heading) or heading for heading in above)
                    found.append(Match(",".join(above), known, preferred, self._layers[layer], count))
        return _distinct(tuple(found))

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

    def _lookup(self, text: str, external: bool) -> tuple[Match, ...]:
        found = self._rows(relaxed(text))
        if not external and self.external:
            found = tuple(row for row in found if row[1].layer not in self.external)
        if not found:
            return ()
        for column, value in readings(text):
            if column == "name":
                matches = tuple(match for known, match in found if known == value)
            else:
                matches = tuple(match for known, match in found if fold_key(known) == value)
            if matches:
                return _distinct(matches)
        return ()

    def _rows(self, key: str) -> tuple[tuple[str, Match], ...]:
        """(name as the lexicon writes it, match as of the year) for a key, best first; remembered."""
        known = self._cache.get(key)
        if known is not None:
            return known
        rows = self._ask(_LOOKUP, key)
        if len(rows) > 1:
            rows.sort(key=_rank)
        found = []
        for identifier, name, preferred, layer, years, count, _, _ in rows:
            dated = self._dated(identifier, years)
            if dated is not None:
                found.append((name, Match(dated, name, preferred, self._layers[layer], count)))
        if len(self._cache) >= CACHED_LOOKUPS:
            self._cache.clear()
        self._cache[key] = tuple(found)
        return self._cache[key]

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
        except sqlite3.DatabaseError as error:
            raise ResourceError(f"the lexicon at {self._path} is broken ({error}); {_WAY_OUT}") from error


def _rank(row: tuple) -> tuple:
    """Within a reading: chemicals before proteins and roles, the layer that was given first, preferred names before
    synonyms, descriptors before supplementary records (they are what indexers use), what a corpus has more often."""
    identifier, name, _, layer, _, count, distance, preferred = row
    return distance > 0, layer, not preferred, not identifier.startswith("MESH:D"), -count, identifier, name


def _distinct(matches: tuple[Match, ...]) -> tuple[Match, ...]:
    """The first match of each concept."""
    if len(matches) < 2:
        return matches
    first: dict[str, Match] = {}
    for match in matches:
        first.setdefault(match.identifier, match)
    return tuple(first.values())


# -- opening ------------------------------------------------------------------------------------


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_MAGIC))
    except FileNotFoundError as error:
        raise ResourceError(f"no lexicon at {path}; {_WAY_OUT}") from error
    except OSError as error:
        raise ResourceError(f"cannot read a lexicon at {path} ({error.strerror}); {_WAY_OUT}") from error
    if start == _SQLITE_MAGIC:
        return True
    if path.suffix != ".tsv":
        raise ResourceError(f"the file at {path} is no lexicon, neither SQLite nor .tsv; {_WAY_OUT}")
    return False


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)


def _checked_meta(connection: sqlite3.Connection, path: Path) -> dict[str, str]:
    try:
        # 16 MB for each process; more is the page cache's work, which all share.
        connection.execute("PRAGMA cache_size = -16000")
        meta = {str(key): str(value) for key, value in connection.execute("SELECT key, value FROM meta")}
    except (sqlite3.DatabaseError, ValueError) as error:
        raise ResourceError(f"the file at {path} is no lexicon or broken ({error}); {_WAY_OUT}") from error
    if meta.get("schema") != SCHEMA or not meta.get("sha256"):
        raise ResourceError(
            f"the lexicon at {path} is of version {meta.get('schema')}, this program reads version {SCHEMA}; {_WAY_OUT}"
        )
    try:
        connection.execute(_LOOKUP, ("",)).fetchone()
    except sqlite3.DatabaseError as error:
        raise ResourceError(f"the file at {path} is no lexicon or broken ({error}); {_WAY_OUT}") from error
    return meta
