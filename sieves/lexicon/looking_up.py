"""Finds concepts by name or by identifier, with their kinds; for people, not for mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.model.cross_references import DATABASES
from corpora.model.mesh_ids import mesh_id
from sieves.lexicon.cross_references import CrossReferences
from sieves.lexicon.further_names import identifier_of
from sieves.lexicon.keys import tidy
from sieves.lexicon.kinds import CHEMICAL_KIND, UNKNOWN_KIND, kind_of
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lexicon.own_names import BLOCKED, class_key
from sieves.lexicon.store import CHEMICAL

__all__ = ["COLUMNS", "by_identifier", "kind", "look_up"]

COLUMNS = ("query", "identifier", "name", "preferred_name", "kind", "layer", "count", *DATABASES)
_PREFIXES = {"CID": "PUBCHEM", "PUBCHEM.COMPOUND": "PUBCHEM"}
"""Other prefixes of name spaces."""
Entry = dict[str, str | int]
"""One concept that a query has found, by `COLUMNS`."""

_CROSS_REFERENCE = re.compile(r"[A-Za-z.]+:\S+|\d{2,7}-\d\d-\d")


def look_up(lexicon: Lexicon, query: str, references: CrossReferences) -> list[Entry]:
    """The concepts of a query, best first; empty if there is none.

    A query is a MeSH identifier (`D014867`), an identifier of another name space (`50-00-0`, `CHEBI:15377`,
    `PUBCHEM:962`), a name in any case and punctuation, or the number of a compound of PubChem that is no name. Concepts
    that are no substances are found if no substance has the name. `references`: those of the lexicon.
    """
    kinds = by_identifier(lexicon, query)
    if not kinds and lexicon.own_meaning(tidy(query)) != BLOCKED:
        matches = lexicon.lookup(query) or lexicon.relaxed(query) or lexicon.elsewhere(query)
        kinds = [(match, kind(lexicon, match.identifiers)) for match in matches]
    if not kinds and query.isdecimal():
        kinds = by_identifier(lexicon, f"PUBCHEM:{query}")
    return [
        {
            "query": query, "identifier": match.identifier, "name": match.name,
            "preferred_name": lexicon.preferred_name(match.identifier) or match.preferred_name,
            "kind": kind, "layer": match.layer, "count": match.count,
            **dict.fromkeys(DATABASES, ""), **references.of_all(match.identifiers),
        }
        for match, kind in kinds
    ]  # fmt: skip


def kind(lexicon: Lexicon, identifiers: Sequence[str]) -> str:
    """The kind of a concept (`sieves.lexicon.kinds`); `mixture` if it has several identifiers."""
    if len(identifiers) > 1:
        return "mixture"
    if lexicon.own is not None and (stated := lexicon.own.meta.get(class_key(identifiers[0]))):
        return stated
    trees = lexicon.trees(identifiers[0])
    if trees:
        return kind_of(trees)
    # A record that MeSH has no place for is there because a layer of chemicals has it. The place of some new headings
    # is not known.
    concept = lexicon.concept(identifiers[0])
    return CHEMICAL_KIND if concept is None or concept.distance == CHEMICAL else UNKNOWN_KIND


def by_identifier(lexicon: Lexicon, query: str) -> list[tuple[Match, str]]:
    """The concepts with an identifier, with their kinds; empty if the query is none, or no concept has it."""
    of_mesh = mesh_id(query)
    if of_mesh is not None:
        identifiers: tuple[str, ...] = (of_mesh,)
    elif lexicon.own is not None and query != BLOCKED and lexicon.own.concept(query) is not None:
        identifiers = (query,)
    elif _CROSS_REFERENCE.fullmatch(query):
        identifiers = lexicon.concepts.cross_referenced(identifier_of(_prefixed(query)) or query)
    else:
        return []
    concepts = [concept for concept in map(lexicon.concept, identifiers) if concept]
    return [
        (Match(c.identifier, c.preferred_name, c.preferred_name, "identifier"), kind(lexicon, [c.identifier]))
        for c in concepts
    ]


def _prefixed(query: str) -> str:
    """An identifier with its prefix as the lexicon has it: `CHEBI:15377` for `chebi:15377`."""
    prefix, colon, rest = query.rpartition(":")
    prefix = prefix.upper()
    return f"{_PREFIXES.get(prefix, prefix)}{colon}{rest}"
