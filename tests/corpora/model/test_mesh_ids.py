"""MeSH identifiers, and which concepts are chemicals."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.model.chemical import CHEMICAL, is_chemical
from corpora.model.document import (
    IndexTerm,
    add_index_term,
    add_mention,
    identifier_parts,
    index_terms,
    mentions,
    set_identifiers,
)
from corpora.model.mesh_ids import (
    SPELLINGS,
    bare_id,
    canonical,
    has_only_mesh_ids,
    is_descriptor,
    is_mesh_id,
    mesh_id,
    mesh_ids,
    respelt,
    rewritten,
)


@pytest.mark.parametrize("text", ["D014867", "MESH:D014867"])
def test_an_id_is_read_with_or_without_its_prefix(text: str) -> None:
    assert mesh_id(text) == "MESH:D014867"
    assert bare_id(text) == "D014867"


@pytest.mark.parametrize("text", ["", "-", "D01", "D0148671234", "M0012345", "CHEBI:15377", "MESH:D014867,D012965"])
def test_anything_else_is_no_mesh_id(text: str) -> None:
    assert mesh_id(text) is None
    assert not is_mesh_id(text)


def test_only_ids_with_a_prefix_are_complete() -> None:
    assert is_mesh_id("MESH:C000002")
    assert not is_mesh_id("C000002")


def test_ids_are_found_in_text_of_any_layout() -> None:
    assert mesh_ids(["D003042|MESH:C000002;D014867", "-"]) == ("MESH:D003042", "MESH:C000002", "MESH:D014867")


def test_ids_of_other_vocabularies_are_no_descriptors() -> None:
    assert is_descriptor("MESH:D014867")
    assert not is_descriptor("MESH:C000002")
    assert not is_descriptor("DRUGBANK:DB00001")


@pytest.mark.parametrize(
    ("trees", "expected"),
    [
        (["D01.248"], True),
        (["D12.125"], True),
        (["D12.776.124", "D02.033"], True),
        (["D12.776.124"], False),
        (["D12.1250"], False),
        (["D27.505"], False),
        ([], False),
    ],
)
def test_a_concept_is_a_chemical_by_its_branches(trees: list[str], expected: bool) -> None:
    assert is_chemical(trees) is expected


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("D006470|D003556", ("MESH:D006470", "MESH:D003556")),
        ("MESH:D006470,MESH:D003556", ("MESH:D006470", "MESH:D003556")),
        ("MESH:D006470;D003556", ("MESH:D006470", "MESH:D003556")),
        ("C056507", ("MESH:C056507",)),
        ("-", ()),
        ("-1", ()),
        ("", ()),
        ("MESH:D006470,-", ("MESH:D006470",)),
        ("c|DEL||32", ("c|DEL||32",)),
        ("11820,351", ("11820", "351")),
        ("CHEBI:15377", ("CHEBI:15377",)),
    ],
)
def test_ids_get_one_spelling(written: str, meant: tuple[str, ...]) -> None:
    assert canonical(written) == meant


# -- MeSH identifiers as CURIEs and as addresses: every writer can write them, and everything reads them.


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
