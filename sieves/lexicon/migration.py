"""What became of an identifier in another year of MeSH: kept, replaced, or retired.

The lexicon has what is needed: which years list an identifier, what replaced it, and its names. A year that lists no
supplementary records (NLM's list of headings) is taken to have those of the year before, but for the records that
became headings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from corpora.errors import Argument, ConfigurationError
from corpora.model.mesh_ids import PREFIX, is_descriptor
from sieves.lexicon.database import LOOKUP, lookup_in
from sieves.lexicon.keys import relaxed, tidy
from sieves.lexicon.lexicon import Lexicon

_PARAMETERS = 500
"""Values of one query; SQLite has a limit."""
_SHORTEST_NAME = 4
"""Characters of the key of a name by which a successor is found; shorter ones are of several substances."""
_LONG_NAME = 6
"""Characters of the key of a text that alone decides what an identifier without successor means; no abbreviation."""
_LONG_UI = len("MESH:D000000") + 1
"""Headings with an identifier of this length or more are younger than the first list of records (2017)."""


class Outcome(StrEnum):
    """What became of an identifier."""

    KEPT = "kept"
    REPLACED = "replaced"
    SEVERAL = "several successors"
    RETIRED = "retired"
    UNKNOWN = "unknown"


UNDECIDED = frozenset({Outcome.SEVERAL, Outcome.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one identifier."""

    identifier: str
    outcome: Outcome
    successors: tuple[str, ...] = ()
    """One if it was replaced, or those that it may mean now."""
    why: str = ""
    """The kind of the replacement."""
    last: str = ""
    """The last year that lists it; empty where no year is known."""
    since: str = ""
    """The first later year that does not list it; empty where no year is known."""
    broader: tuple[str, ...] = ()
    """The headings above it."""
    evidence: str = ""
    """The name that it and its successor have in common."""

    @property
    def is_undecided(self) -> bool:
        return self.outcome in UNDECIDED


_Known = tuple[int, tuple[str, ...]]
"""The years that list an identifier, as bits, and the concepts above it."""


class Migration:
    """The identifiers of any year in one year.

    Raises `ConfigurationError` if the lexicon has no list of the identifiers of the year.
    """

    def __init__(self, lexicon: Lexicon, year: int) -> None:
        self._lexicon = lexicon
        self._query, self._each = lexicon.database.query, lexicon.database.each
        self._years = tuple(lexicon.meta.get("listings", "").split())
        self.year = str(year)
        if self.year not in self._years:
            known = ", ".join(self._years) or "none"
            raise ConfigurationError(
                f"{lexicon.database.place} does not know the identifiers of MeSH {year} (it has {known}); "
                "choose another year with ",
                Argument("to"),
                ", or another ",
                Argument("lexicon"),
            )
        self._covered: dict[str, tuple[str, ...]] = {}
        """The years that list descriptors (`D`) or supplementary records (`C`)."""
        self._newest: dict[str, int] = {}
        """The highest number of their listed identifiers: NLM counts upwards."""
        lists = "SELECT EXISTS (SELECT 1 FROM concept WHERE listed & ? AND id >= ? AND id < ?)"
        every = "(SELECT id FROM concept WHERE listed UNION ALL SELECT id FROM nameless)"
        highest = f"SELECT max(CAST(substr(id, ?) AS INTEGER)) FROM {every} WHERE id >= ? AND id < ?"
        for letter in "CD":
            bounds = (start := f"{PREFIX}{letter}"), f"{start}\U0010ffff"
            self._covered[letter] = tuple(
                one for number, one in enumerate(self._years) if self._query(lists, 1 << number, *bounds)[0][0]
            )
            self._newest[letter] = int(self._query(highest, len(start) + 1, *bounds)[0][0] or 0)
        self._next: dict[str, list[str]] = defaultdict(list)
        self._former: dict[str, list[str]] = defaultdict(list)
        for old, new in self._query("SELECT old, new FROM replaced ORDER BY old, new"):
            self._next[old].append(new)
            self._former[new].append(old)
        self._fates: dict[str, Fate] = {}
        self._others: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, _Known | None] = {}
        self._names: dict[str, dict[str, str]] = {}

    def fate(self, identifier: str, text: str = "") -> Fate:
        """The fate of a MeSH identifier with its prefix. `text`: that of a mention; it decides between successors."""
        if identifier not in self._fates:
            self._fates[identifier] = self._fate(identifier)
        fate = self._fates[identifier]
        if text and fate.outcome in (Outcome.RETIRED, Outcome.UNKNOWN):
            # The concept that the text names, if it is the only one: the names of some identifiers are in no file.
            # Nothing is known about an identifier that is younger than all files.
            key, number = relaxed(tidy(text)), identifier.removeprefix(PREFIX)
            if len(key) < _LONG_NAME or int(number[1:]) > self._newest[number[:1]]:
                return fate
            named = [holder for holder in self._holders(key) if self._has(holder, self.year)]
            if len(named) != 1:
                return fate
            why = "decided by the text"
            return replace(fate, outcome=Outcome.REPLACED, successors=(named[0],), why=why, evidence=tidy(text))
        possible = (*fate.successors, *self._others.get(identifier, ()))
        if len(possible) < 2 or not text:
            return fate
        holders = self._holders(relaxed(tidy(text)))
        named = [successor for successor in possible if successor in holders]
        if len(named) != 1 or named == list(fate.successors):
            return fate
        why = f"{self._kind(fate, named[0])}, decided by the text"
        return replace(fate, outcome=Outcome.REPLACED, successors=(named[0],), why=why, evidence=tidy(text))

    def prepare(self, identifiers: Iterable[str]) -> None:
        """Read the names of all identifiers that need them at once: reading them one by one takes 0.1 s each."""
        distinct = dict.fromkeys(identifiers)
        self._read_names(i for i in distinct if not self._has(i, self.year) and self._look(i) is not None)

    # -- one identifier -------------------------------------------------------------------------

    def _fate(self, identifier: str) -> Fate:
        known = self._look(identifier)
        if known is None:
            return Fate(identifier, Outcome.UNKNOWN)
        if self._has(identifier, self.year):
            return Fate(identifier, Outcome.KEPT, last=self.year)
        listed, parents = known
        last = max((year for number, year in enumerate(self._years) if listed >> number & 1), default="")
        since = next((year for year in self._years if year > last and not self._has(identifier, year)), "")
        # The broader headings, as the year has them.
        above = tuple(dict.fromkeys(parent for parent in parents if self._has(parent, self.year)))
        fate = Fate(identifier, Outcome.RETIRED, last=last, since=since, broader=above)
        successors, evidence = self._successors(identifier)
        if not successors:
            return fate
        if len(successors) > 1:
            return replace(fate, outcome=Outcome.SEVERAL, successors=successors, evidence=evidence)
        why = self._kind(fate, successors[0])
        return replace(fate, outcome=Outcome.REPLACED, successors=successors, why=why, evidence=evidence)

    def _successors(self, identifier: str) -> tuple[tuple[str, ...], str]:
        """The identifiers of the year that replace one, and the name that they have in common with it."""
        stated = (*self._next.get(identifier, ()), *self._former.get(identifier, ()))
        # Of two records that a year has for a later heading, the text must decide.
        linked = tuple(sorted({other for other in stated if self._has(other, self.year)}))
        self._read_names([identifier])
        names = self._names[identifier]
        common: dict[str, str] = {}
        for key, name in sorted(
            names.items(), key=lambda named: (len(named[0]) < _SHORTEST_NAME, len(named[0]), named)
        ):
            for other in self._holders(key):
                if other in linked or (len(key) >= _SHORTEST_NAME and self._has(other, self.year)):
                    common.setdefault(other, name)
        holders = tuple(sorted(common.keys() - {identifier}))
        successors = linked or holders
        # A record that was divided: its heading has the text, unless that is a name of one of the parts.
        self._others[identifier] = tuple(other for other in holders if other not in successors)
        if not successors:
            return (), ""
        concept = self._lexicon.concept(identifier)
        return successors, common.get(successors[0]) or (concept.preferred_name if concept is not None else "")

    def _kind(self, fate: Fate, successor: str) -> str:
        if self.year < fate.last or not fate.since:
            return "the identifier of that year"
        existed = bool(fate.last) and self._listed_in(successor, fate.last)
        if is_descriptor(successor) and not is_descriptor(fate.identifier):
            # The lists of 2017 have no headings.
            is_old = fate.last not in self._covered["D"] and len(successor) < _LONG_UI
            return "merged into a heading" if existed or is_old else "promoted to a heading"
        return "merged" if existed else "renumbered"

    # -- years ----------------------------------------------------------------------------------

    def _listed_in(self, identifier: str, year: str) -> bool:
        known = self._look(identifier)
        return known is not None and bool(known[0] >> self._years.index(year) & 1)

    def _has(self, identifier: str, year: str) -> bool:
        """Whether a year has an identifier: it lists it, or the nearest year that lists its kind does."""
        covered = self._covered.get(identifier.removeprefix(PREFIX)[:1], ())
        earlier = [other for other in covered if other <= year]
        if not covered:
            return False
        nearest = earlier[-1] if earlier else covered[0]
        if not self._listed_in(identifier, nearest):
            return False
        # A record that became a heading meanwhile.
        return nearest == year or not any(self._listed_in(new, year) for new in self._next.get(identifier, ()))

    # -- what the lexicon has -------------------------------------------------------------------

    def _look(self, identifier: str) -> _Known | None:
        if identifier not in self._known:
            query = "SELECT listed, parents FROM {} WHERE id = ?"
            rows = self._query(query.format("concept"), identifier) or self._query(query.format("nameless"), identifier)
            self._known[identifier] = (rows[0][0], tuple(rows[0][1].split())) if rows and rows[0][0] else None
        return self._known[identifier]

    def _holders(self, key: str) -> tuple[str, ...]:
        """The identifiers, of all years and kinds, of the concepts with a name with this `relaxed` key, sorted."""
        rows = self._query(LOOKUP, key) + self._query(lookup_in("elsewhere"), key)
        return tuple(sorted({row[0] for row in rows}))

    def _read_names(self, identifiers: Iterable[str]) -> None:
        """Read the names of these concepts that are not there. Reads all names for each 500 concepts, 0.2 s."""
        wanted = [identifier for identifier in identifiers if identifier not in self._names]
        self._names.update((identifier, {}) for identifier in wanted)
        for first in range(0, len(wanted), _PARAMETERS):
            some = wanted[first : first + _PARAMETERS]
            marks = ",".join("?" * len(some))
            rows = dict(self._query(f"SELECT row, id FROM concept WHERE id IN ({marks})", *some))
            among = f"concept IN ({','.join('?' * len(rows))})"
            for table in ("name", "elsewhere"):
                for concept, key, name in self._each(f"SELECT concept, key, name FROM {table} WHERE {among}", *rows):
                    self._names[rows[concept]].setdefault(key, name)
