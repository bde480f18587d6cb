"""The identifiers that ChEBI and PubChem give to the concepts of a lexicon."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from corpora.model.cross_references import DATABASES
from corpora.model.document import NO_CONCEPT
from sieves.lexicon.lexicon import Lexicon

__all__ = ["ADDRESSES", "TITLES", "CrossReferences"]

ADDRESSES = {
    "chebi": "https://www.ebi.ac.uk/chebi/searchId.do?chebiId={}",
    "pubchem": "https://pubchem.ncbi.nlm.nih.gov/compound/{}",
}
"""The address of the page of an identifier, by database."""
TITLES = {"chebi": "ChEBI", "pubchem": "PubChem"}


class CrossReferences:
    """The identifiers of concepts in other databases (`DATABASES`), in the year that the lexicon is used with."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._by_database = {database: _read(lexicon, database) for database in DATABASES}

    def of(self, identifier: str, database: str) -> tuple[str, ...]:
        """The identifiers of one concept, sorted: `CHEBI:15377`, or the number of a compound of PubChem."""
        return self._by_database[database].get(identifier, ())

    def of_all(self, identifiers: Sequence[str]) -> dict[str, str]:
        """One text for each database that has any of the concepts.

        It has one part for each concept, joined by `,`; a part is `-`, or identifiers joined by `|`.
        """
        texts = {}
        for database in DATABASES:
            parts = [self.of(identifier, database) for identifier in identifiers]
            if any(parts):
                texts[database] = ",".join("|".join(part) or NO_CONCEPT for part in parts)
        return texts


def shown(other: str) -> str:
    """An identifier as the tables show it: compounds of PubChem by their number."""
    return other.removeprefix("PUBCHEM:")


def _read(lexicon: Lexicon, database: str) -> dict[str, tuple[str, ...]]:
    by_concept: dict[str, set[str]] = defaultdict(set)
    for other, identifier in lexicon.concepts.cross_references(database.upper()):
        # The tables of other databases know the identifiers of some year.
        for concept in {identifier, lexicon.translate(identifier) or identifier}:
            by_concept[concept].add(shown(other))
    return {identifier: _in_order(others) for identifier, others in by_concept.items()}


def _in_order(others: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(others, key=lambda other: (len(other), other)))
