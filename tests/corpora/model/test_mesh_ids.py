"""MeSH identifiers, and which concepts are chemicals."""

from __future__ import annotations

import pytest

from corpora.model.chemical import is_chemical
from corpora.model.mesh_ids import bare_id, canonical, is_descriptor, is_mesh_id, mesh_id, mesh_ids


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
