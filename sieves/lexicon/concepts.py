"""What a lexicon stores of its concepts: names, kinds, tree numbers, broader concepts, and the years that have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from corpora.errors import Argument, ConfigurationError
from corpora.model.chemical import BRANCHES
from sieves.lexicon.database import Database
from sieves.lexicon.store import CURRENT, SUBSTANCE, StoredConcept
from sieves.lexicon.tables import BLOCKED

CHEMICAL_KIND = "chemical"
UNKNOWN_KIND = "unknown"
"""Of a concept whose place in MeSH is not known."""
_OTHER_SUBSTANCE = "other substance"

KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("enzyme", ("D08.244", "D08.622", "D08.811")),
    (
        CHEMICAL_KIND,
        ("D02.455.426.392.368.242.888.777", "D04.345.566", *(f"D10.570.938.208.2{n}" for n in (70, 75, 85))),
    ),
    ("protein", ("D05.500", "D05.875", "D06.472.699", "D12.644.276", "D12.644.360", "D12.776")),
    ("nucleic acid", ("D13.444",)),
    (CHEMICAL_KIND, BRANCHES),
    ("pharmacological action", ("D27",)),
    (_OTHER_SUBSTANCE, ("D",)),
    ("disease", ("C", "F03")),
    ("organism", ("B",)),
    ("anatomy", ("A",)),
)
"""Kinds and their tree numbers. A concept is of the first kind that has one of its tree numbers.

Peptide hormones, cytokines and other signaling proteins are also in the branch of peptides. They are proteins here:
annotators of NLM-Chem, CHEMDNER and BC5CDR do not mark them (docs/measurements/lexicon.md). Cyclic peptides such as
colistin, the cholesterol of lipoproteins, and paclitaxel bound to albumin are chemicals, although MeSH has them among
the proteins, too.
"""
_STARTS = tuple((kind, tuple(one if len(one) == 1 else f"{one}." for one in branches)) for kind, branches in KINDS)
"""The same, with the beginnings of tree numbers with a dot behind: a category is a letter, a branch has numbers."""

_NAMES_OF = "SELECT name FROM {table} WHERE concept = (SELECT row FROM concept WHERE id = ?)"


def kind_of(tree_numbers: Iterable[str]) -> str:
    """The kind of a concept with these tree numbers; `other` if none of `KINDS` has one.

    >>> kind_of(["D12.644.548.586", "D06.472.699.587"]), kind_of(["D03.383", "D08.211"]), kind_of(["E02.319"])
    ('protein', 'chemical', 'other')
    """
    numbers = [f"{number}." for number in tree_numbers]
    return next((kind for kind, starts in _STARTS if any(number.startswith(starts) for number in numbers)), "other")


def with_inherited(own: Sequence[str], above: Iterable[str], trees: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """The tree numbers of a concept, with those of the broader concepts `above` where these decide what it is.

    A concept without any, such as a supplementary record, has those of the headings that it maps to. A mixture or
    material below a chemical is a chemical, too: MeSH has `Plant Oils` among lipids and among mixtures, `Palm Oil`
    below both places, and `Sunflower Oil` only below the second. `trees`: the tree numbers of a concept.
    """
    if own and kind_of(own) != _OTHER_SUBSTANCE:
        return tuple(own)
    inherited = sorted({number for identifier in above for number in trees(identifier)})
    return (*own, *inherited) if not own or kind_of(inherited) == CHEMICAL_KIND else tuple(own)


class Years:
    """The identifiers of one year in a lexicon that has the identifiers of several."""

    __slots__ = ("_bit", "_query", "_renamed")

    def __init__(self, database: Database, as_of: int | None) -> None:
        """`as_of`: the year; None for that of the files that the lexicon was built from.

        Raises `ConfigurationError` for a year without history.
        """
        self._query = database.query
        self._bit = _bit(as_of, database)
        self._renamed: dict[str, str] = {}
        """Identifiers that the year does not have -> those that it has for the same concept."""
        concerned = "SELECT old FROM replaced UNION SELECT new FROM replaced"
        years = dict(self._query(f"SELECT id, years FROM concept WHERE id IN ({concerned})"))
        for old, new in self._query("SELECT old, new FROM replaced ORDER BY old, new"):
            has_old, has_new = (bool(years.get(identifier, self._bit) & self._bit) for identifier in (old, new))
            if has_new and not (has_old and old in years):
                self._renamed.setdefault(old, new)
            elif has_old and not has_new:
                self._renamed.setdefault(new, old)

    def dated(self, identifier: str, years: int | None = None) -> str | None:
        """An identifier (several are joined by `,`) as the year has it; None if the year does not have the concept.

        `years`: the bits of the years that have the identifier, where they are known.
        """
        if "," in identifier:
            parts = [self.dated(part) for part in identifier.split(",")]
            return None if None in parts else ",".join(part for part in parts if part)
        renamed = self._renamed.get(identifier)
        if renamed:
            return renamed
        if years is None:
            rows = self._query("SELECT years FROM concept WHERE id = ?", identifier)
            years = rows[0][0] if rows else self._bit
        return identifier if years & self._bit else None


def _bit(as_of: int | None, database: Database) -> int:
    """The bit of a year in the column `years` of concepts."""
    current, years = database.meta.get("year"), database.meta.get("history", "").split()
    if as_of is None or str(as_of) == current:
        return CURRENT
    if str(as_of) not in years:
        known = ", ".join(dict.fromkeys([*years, *filter(None, [current])])) or "none"
        raise ConfigurationError(
            f"the lexicon at {database.path} has no history of MeSH {as_of} (it has {known}); build one with ",
            Argument("history"),
            ", or leave ",
            Argument("as_of"),
            " out",
        )
    return int(CURRENT << 1 + years.index(str(as_of)))


class StoredConcepts:
    """The concepts of a lexicon, of any year. Those of the user's names (`own`) are asked where it has none."""

    __slots__ = ("_query", "_years", "own")

    def __init__(self, database: Database, years: Years) -> None:
        self._query = database.query
        self._years = years
        self.own: StoredConcepts | None = None

    def concept(self, identifier: str) -> StoredConcept | None:
        """The concept with an identifier; None if the lexicon does not have it."""
        query = "SELECT id, preferred_name, distance, years, trees, parents, listed FROM concept WHERE id = ?"
        rows = self._query(query, identifier)
        if rows:
            return StoredConcept(*rows[0])
        return None if self.own is None or identifier == BLOCKED else self.own.concept(identifier)

    def preferred_name(self, identifier: str) -> str | None:
        """The preferred name of a concept; None for an identifier that the lexicon does not have."""
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
        of_user = () if self.own is None else self.own.names_of(identifier)
        return tuple(sorted({*(name for (name,) in rows), *of_user}))

    def trees(self, identifier: str) -> tuple[str, ...]:
        """The tree numbers of a concept (`with_inherited`)."""
        concept = self.concept(identifier)
        return () if concept is None else with_inherited(concept.trees.split(), concept.parents.split(), self.trees)

    @property
    def has_trees(self) -> bool:
        """Whether any concept has a tree number; lexicons made from tables of names have none."""
        return bool(self._query("SELECT 1 FROM concept WHERE trees != '' LIMIT 1"))

    def parents(self, identifier: str) -> tuple[str, ...]:
        """The broader concepts, sorted: headings above a descriptor, headings that a supplementary record maps to."""
        concept = self.concept(identifier)
        return tuple(concept.parents.split()) if concept else ()

    def every_parent(self) -> dict[str, tuple[str, ...]]:
        """The broader concepts of each substance of MeSH (`parents`), by identifier. Takes a second.

        Concepts that are no substances are left out: MeSH has circles among diseases.
        """
        query = "SELECT id, parents FROM concept WHERE id LIKE 'MESH:%' AND id NOT LIKE '%,%' AND distance <= ?"
        known = {identifier: above.split() for identifier, above in self._query(query, SUBSTANCE)}
        return {identifier: tuple(parent for parent in above if parent in known) for identifier, above in known.items()}

    def cross_referenced(self, other: str) -> tuple[str, ...]:
        """The identifiers of the concepts with an identifier of another name space (`CAS:50-00-0`), sorted.

        They are those of the year in use, where it has the concept.
        """
        rows = self._query("SELECT id FROM crossref WHERE other = ?", other)
        return tuple(sorted({self._years.dated(id) or id for (id,) in rows}))

    def cross_references(self, namespace: str) -> list[tuple[str, str]]:
        """All pairs of an identifier of a name space (`CHEBI`) and the identifier of a concept, sorted."""
        query = "SELECT other, id FROM crossref WHERE other >= ? AND other < ? ORDER BY other, id"
        return self._query(query, f"{namespace}:", f"{namespace};")
