"""What a lexicon stores of its concepts: names, tree numbers, broader concepts, identifiers of other name spaces."""

from __future__ import annotations

from sieves.lexicon.database import Database
from sieves.lexicon.own_names import BLOCKED
from sieves.lexicon.store import SUBSTANCE, StoredConcept
from sieves.lexicon.years import Years

_NAMES_OF = "SELECT name FROM {table} WHERE concept = (SELECT row FROM concept WHERE id = ?)"


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
        """The tree numbers of a concept.

        A supplementary record has the tree numbers of the headings that it maps to. So does a heading without any.
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
