"""Concepts for people and other programs: found by name or identifier, with kinds and cross-references; as SKOS."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from corpora.model.mention_infons import DATABASES
from corpora.model.mesh_ids import NO_CONCEPT, SPELT_PREFIXES, bare_id, is_mesh_id, mesh_id
from sieves.lexicon.concepts import CHEMICAL_KIND, UNKNOWN_KIND, kind_of
from sieves.lexicon.further_names import identifier_of
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon, Match
from sieves.lexicon.store import CHEMICAL
from sieves.lexicon.tables import BLOCKED, class_key

ADDRESSES = {
    "chebi": "https://www.ebi.ac.uk/chebi/searchId.do?chebiId={}",
    "pubchem": "https://pubchem.ncbi.nlm.nih.gov/compound/{}",
}
"""The address of the page of an identifier, by database."""
TITLES = {"chebi": "ChEBI", "pubchem": "PubChem"}
COLUMNS = ("query", "identifier", "name", "preferred_name", "kind", "layer", "count", *DATABASES)
PREFIXES = {"CID": "PUBCHEM", "PUBCHEM.COMPOUND": "PUBCHEM"}
"""Other prefixes of the name spaces of databases."""
Entry = dict[str, str | int]
"""One concept that a query has found, by `COLUMNS`."""

_CROSS_REFERENCE = re.compile(r"[A-Za-z.]+:\S+|\d{2,7}-\d\d-\d")


class CrossReferences:
    """The identifiers of concepts in other databases (`DATABASES`), in the year that the lexicon is used with."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._by_database: dict[str, dict[str, tuple[str, ...]]] = {}
        for database in DATABASES:
            by_concept: dict[str, set[str]] = defaultdict(set)
            for other, identifier in lexicon.concepts.cross_references(database.upper()):
                # The tables of other databases know the identifiers of some year.
                for concept in {identifier, lexicon.translate(identifier) or identifier}:
                    # Compounds of PubChem are shown by their number.
                    by_concept[concept].add(other.removeprefix("PUBCHEM:"))
            self._by_database[database] = {
                identifier: tuple(sorted(others, key=lambda other: (len(other), other)))
                for identifier, others in by_concept.items()
            }

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
    """The kind of a concept (`sieves.lexicon.concepts`); `mixture` if it has several identifiers."""
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
        # With its prefix as the lexicon has it: `CHEBI:15377` for `chebi:15377`.
        prefix, colon, rest = query.rpartition(":")
        prefixed = f"{PREFIXES.get(prefix.upper(), prefix.upper())}{colon}{rest}"
        identifiers = lexicon.concepts.cross_referenced(identifier_of(prefixed) or query)
    else:
        return []
    concepts = [concept for concept in map(lexicon.concept, identifiers) if concept]
    return [
        (Match(c.identifier, c.preferred_name, c.preferred_name, "identifier"), kind(lexicon, [c.identifier]))
        for c in concepts
    ]


# -- SKOS ---------------------------------------------------------------------------------------

# INCEpTION imports the file with its schema `SKOS`: classes are `skos:Concept`, a class is below another by
# `skos:broader`, labels are `skos:prefLabel`, and descriptions are `rdfs:comment` (`SchemaProfile.java` of INCEpTION).
# Source of the vocabulary: W3C, SKOS Reference, https://www.w3.org/TR/skos-reference/.

MATCHES = {
    "chebi": "http://purl.obolibrary.org/obo/CHEBI_",
    "pubchem": "http://rdf.ncbi.nlm.nih.gov/pubchem/compound/CID",
}
"""What stands before the number of an identifier of another database in its address."""

_HEAD = f"""\
@prefix mesh: <{SPELT_PREFIXES["uri"]}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

"""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def turtle(lexicon: Lexicon) -> Iterator[str]:
    """The chemicals of the year in use, sorted: a block of text for each. Mixtures are no concepts of MeSH.

    A concept whose broader concepts are no chemicals is a root of the tree.
    """
    yield _HEAD
    names: dict[str, list[str]] = defaultdict(list)
    for name, identifier in lexicon.names(CHEMICAL):
        current = lexicon.translate(identifier)
        if current is not None and is_mesh_id(current):
            names[current].append(name)
    references = CrossReferences(lexicon)
    for identifier in sorted(names):
        preferred = lexicon.preferred_name(identifier) or names[identifier][0]
        above = {parent for parent in map(lexicon.translate, lexicon.parents(identifier)) if parent in names}
        others = {database: references.of(identifier, database) for database in DATABASES}
        stated = [f"{database}: {', '.join(values)}" for database, values in others.items() if values]
        statements = [
            "a skos:Concept",
            f"skos:prefLabel {_text(preferred)}",
            *(f"skos:altLabel {_text(name)}" for name in dict.fromkeys(names[identifier]) if name != preferred),
            *(f"skos:broader mesh:{bare_id(parent)}" for parent in sorted(above - {identifier})),
            f'skos:notation "{bare_id(identifier)}"',
            *(
                f"skos:exactMatch <{MATCHES[database]}{value.rpartition(':')[2]}>"
                for database, values in others.items()
                for value in values
            ),
            *([f"rdfs:comment {_text('; '.join(stated))}"] if stated else []),
        ]
        yield f"mesh:{bare_id(identifier)} " + " ;\n    ".join(statements) + " .\n\n"


def _text(value: str) -> str:
    return f'"{value.translate(_ESCAPES)}"@en'
