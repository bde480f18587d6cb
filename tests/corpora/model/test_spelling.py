"""MeSH identifiers as CURIEs and as addresses: every writer can write them, and everything reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.model.chemical import CHEMICAL
from corpora.model.document import (
    IndexTerm,
    add_index_term,
    add_mention,
    identifier_parts,
    index_terms,
    mentions,
    set_identifiers,
)
from corpora.model.mesh_ids import canonical, mesh_id
from corpora.model.rewriting import has_only_mesh_ids, rewritten
from corpora.model.spelling import SPELLINGS, respelt

WATER, SALT = "MESH:D014867", "MESH:C000002"
EUROPEPMC = "europepmc"
"""A format that has addresses only, and needs a PMID."""


def article() -> BioCDocument:
    document = BioCDocument()
    document.id = "1"
    document.add_passage(BioCPassage.of_text("Brine of water.", 0))
    passage = document.passages[0]
    set_identifiers(add_mention(passage, [(0, 5)], id="T1", annotator=None), [WATER, SALT])
    set_identifiers(add_mention(passage, [(9, 14)], id="T2", annotator=None, type=CHEMICAL), ["CHEBI:15377"])
    add_index_term(document, IndexTerm(WATER, "Water", 0.5))
    return document


@pytest.mark.parametrize(
    "text",
    [
        "D014867", "MESH:D014867", "mesh:D014867", "MeSH:D014867", "http://id.nlm.nih.gov/mesh/D014867",
        "https://id.nlm.nih.gov/mesh/2024/D014867", "https://identifiers.org/mesh:D014867",
        "http://identifiers.org/mesh/D014867", "https://bioregistry.io/mesh:D014867",
    ],
)  # fmt: skip
def test_every_spelling_is_the_same_identifier(text: str) -> None:
    assert mesh_id(text) == WATER
    assert canonical(f"{text}|C000002") == canonical(f"{text},{SALT}") == (WATER, SALT)
    assert canonical(f"{text},CHEBI:1") == (WATER, "CHEBI:1")


@pytest.mark.parametrize("text", ["mesh:", "mesh:X000001", "chebi:15377", "http://example.org/D014867", "D0148"])
def test_other_texts_are_no_identifiers_of_mesh(text: str) -> None:
    assert mesh_id(text) is None


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "name", [name for name in registry.writable_names() if not registry.named(name).package and name != EUROPEPMC]
)
def test_every_format_that_stores_identifiers_writes_and_reads_the_spelling(
    tmp_path: Path, name: str, spelling: str
) -> None:
    document = article()
    before = [dict(annotation.infons) for annotation in document.passages[0].annotations]
    out = tmp_path / f"out{registry.suffix_of(name)}"
    plain = tmp_path / f"plain{registry.suffix_of(name)}"
    corpora.write([document], out, name, report=lambda sentence: None, identifiers=spelling)
    corpora.write([document], plain, name, report=lambda sentence: None)
    content = (
        "".join(path.read_text("utf-8") for path in sorted(out.rglob("*")) if path.is_file())
        if out.is_dir()
        else (out.read_text("utf-8", "replace"))
    )
    had = WATER in (
        "".join(path.read_text("utf-8") for path in sorted(plain.rglob("*")) if path.is_file())
        if plain.is_dir()
        else plain.read_text("utf-8", "replace")
    )
    assert (respelt(WATER, spelling) in content.replace("\\/", "/")) == had
    if had and spelling != "mesh":
        assert WATER not in content
    assert [dict(annotation.infons) for annotation in document.passages[0].annotations] == before
    if had and registry.named(name).reader is not None:
        (read,) = corpora.read([str(out)], report=lambda sentence: None)
        assert WATER in {identifier for mention in mentions(read) for identifier in mention.identifiers}


def test_views_on_a_document_with_addresses_return_plain_identifiers() -> None:
    document = article()
    annotation = next(iter(mentions(document))).annotation
    annotation.infons["identifier"] = "http://id.nlm.nih.gov/mesh/D014867,D000001"
    assert identifier_parts(annotation) == (WATER, "D000001")
    for item in document.passages[0].annotations:
        if item.infons["type"] == "MeSH_Indexing_Chemical":
            item.infons["identifier"] = "mesh:D014867"
    assert [term.identifier for term in index_terms(document)] == [WATER]


def test_an_unknown_spelling_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="identifiers must be mesh, curie or uri, not 'url'"):
        corpora.write([article()], tmp_path / "a.json", identifiers="url")


def test_a_rewritten_identifier_keeps_its_spelling_and_its_joints() -> None:
    changed = {WATER: "MESH:D000001"}

    def change(identifier: str, text: str) -> str:
        return changed.get(identifier, identifier)

    assert rewritten("D014867|mesh:D014867; D000009", "", change) == "D000001|mesh:D000001; D000009"
    assert (
        rewritten("http://id.nlm.nih.gov/mesh/D014867,OMIM:1", "", change)
        == "http://id.nlm.nih.gov/mesh/D000001,OMIM:1"
    )
    assert [has_only_mesh_ids(text) for text in ("D014867|mesh:C000002", "D014867|OMIM:1", "", "-")] == [
        True, False, False, False,
    ]  # fmt: skip
