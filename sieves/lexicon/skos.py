"""Writes the chemicals of a lexicon as SKOS in Turtle, for the knowledge bases of annotation editors.

INCEpTION imports it with its schema `SKOS`: classes are `skos:Concept`, a class is below another by `skos:broader`,
labels are `skos:prefLabel`, and descriptions are `rdfs:comment` (`SchemaProfile.java` of INCEpTION). Source of the
vocabulary: W3C, SKOS Reference, https://www.w3.org/TR/skos-reference/.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from corpora.model.cross_references import DATABASES
from corpora.model.mesh_ids import bare_id, is_mesh_id
from corpora.model.spelling import PREFIXES
from sieves.lexicon.cross_references import CrossReferences
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.store import CHEMICAL

MATCHES = {
    "chebi": "http://purl.obolibrary.org/obo/CHEBI_",
    "pubchem": "http://rdf.ncbi.nlm.nih.gov/pubchem/compound/CID",
}
"""What stands before the number of an identifier of another database in its address."""

_HEAD = f"""\
@prefix mesh: <{PREFIXES["uri"]}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

"""
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def turtle(lexicon: Lexicon) -> Iterator[str]:
    """The chemicals of the year in use, sorted: a block of text for each. Mixtures are no concepts of MeSH.

    A concept whose broader concepts are no chemicals is a root of the tree.
    """
    yield _HEAD
    names = _names(lexicon)
    references = CrossReferences(lexicon)
    for identifier in sorted(names):
        preferred = lexicon.preferred_name(identifier) or names[identifier][0]
        broader = [parent for parent in _parents(lexicon, identifier) if parent in names and parent != identifier]
        yield _concept(identifier, preferred, names[identifier], broader, references)


def _names(lexicon: Lexicon) -> dict[str, list[str]]:
    """The names of each chemical, sorted."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, identifier in lexicon.names(CHEMICAL):
        current = lexicon.translate(identifier)
        if current is not None and is_mesh_id(current):
            names[current].append(name)
    return names


def _parents(lexicon: Lexicon, identifier: str) -> tuple[str, ...]:
    above = (lexicon.translate(parent) for parent in lexicon.parents(identifier))
    return tuple(sorted({parent for parent in above if parent is not None}))


def _concept(
    identifier: str, preferred: str, names: Sequence[str], broader: Sequence[str], references: CrossReferences
) -> str:
    others = {database: references.of(identifier, database) for database in DATABASES}
    stated = [f"{database}: {', '.join(values)}" for database, values in others.items() if values]
    statements = [
        "a skos:Concept",
        f"skos:prefLabel {_text(preferred)}",
        *(f"skos:altLabel {_text(name)}" for name in dict.fromkeys(names) if name != preferred),
        *(f"skos:broader mesh:{bare_id(parent)}" for parent in broader),
        f'skos:notation "{bare_id(identifier)}"',
        *(f"skos:exactMatch <{_address(database, value)}>" for database in others for value in others[database]),
        *([f"rdfs:comment {_text('; '.join(stated))}"] if stated else []),
    ]
    return f"mesh:{bare_id(identifier)} " + " ;\n    ".join(statements) + " .\n\n"


def _address(database: str, value: str) -> str:
    return MATCHES[database] + value.rpartition(":")[2]


def _text(value: str) -> str:
    return f'"{value.translate(_ESCAPES)}"@en'
