"""The chemicals of a lexicon as SKOS, which INCEpTION imports as a knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest
from aged_mesh import write_aged_mesh
from command_line import invoke

rdflib = pytest.importorskip("rdflib", reason="rdflib is not installed; it reads the Turtle")

MESH = "http://id.nlm.nih.gov/mesh/"
SKOS = "http://www.w3.org/2004/02/skos/core#"


def test_each_chemical_is_a_concept_with_names_and_broader_chemicals(tmp_path: Path) -> None:
    lexicon = write_aged_mesh(tmp_path)
    ran = invoke(["lexicon", "export", "--to", "inception", "--lexicon", lexicon, "-o", tmp_path / "mesh.ttl"])
    assert (ran.exit_code, ran.stdout.startswith("25 concepts in ")) == (0, True), ran.stdout
    graph = rdflib.Graph().parse(tmp_path / "mesh.ttl")
    concepts = {str(subject) for subject in graph.subjects(rdflib.RDF.type, rdflib.URIRef(f"{SKOS}Concept"))}
    assert {f"{MESH}D000002", f"{MESH}D000030"} <= concepts
    # A protein, a place, a record that became a heading, and one that was removed.
    assert not {f"{MESH}{identifier}" for identifier in ("D000012", "D000013", "C000033", "C000022")} & concepts
    assert {str(above) for above in graph.objects(None, rdflib.URIRef(f"{SKOS}broader"))} <= concepts

    def values(identifier: str, name: str) -> set[str]:
        return {str(value) for value in graph.objects(rdflib.URIRef(MESH + identifier), rdflib.URIRef(SKOS + name))}

    assert values("D000030", "prefLabel") == {"Semaglutons"}
    assert values("D000030", "altLabel") == {"semagluton"}
    assert values("D000002", "broader") == {f"{MESH}D000001"}
    assert values("D000002", "exactMatch") == {
        "http://purl.obolibrary.org/obo/CHEBI_2", "http://rdf.ncbi.nlm.nih.gov/pubchem/compound/CID77",
    }  # fmt: skip
