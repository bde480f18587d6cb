"""The infons of mentions with the identifiers of other databases: `chebi` and `pubchem`."""

from __future__ import annotations

from collections.abc import Mapping

from corpora.model.document import Mention

__all__ = ["DATABASES", "cross_reference", "set_cross_references"]

DATABASES = ("chebi", "pubchem")
"""The databases, by the names of their infons and columns."""


def cross_reference(mention: Mention, database: str) -> str | None:
    """The identifiers of a mention in a database (`CHEBI:15377`; of PubChem the number of the compound).

    One for each concept of the mention, joined by `,`; `-` for a concept without any. None where none was looked up.
    """
    value = mention.annotation.infons.get(database)
    return None if value is None else str(value)


def set_cross_references(mention: Mention, identifiers: Mapping[str, str]) -> None:
    """Write the identifiers of a mention, by database. Identifiers of an earlier look-up are replaced."""
    for database in DATABASES:
        mention.annotation.infons.pop(database, None)
    mention.annotation.infons.update(identifiers)
