"""The MeSH hierarchy: ancestors, paths, distances."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from corpora.errors import ConfigurationError
from corpora.model.hierarchy import ROOT, Hierarchy

# top - (left, right); deep hangs under left, and under middle under right; other is a top of its own.
PARENTS = {
    "top": [],
    "left": ["top"],
    "right": ["top"],
    "middle": ["right"],
    "deep": ["left", "middle"],
    "twin": ["left", "right"],
    "other": [],
}


@pytest.fixture
def tree() -> Hierarchy:
    return Hierarchy(PARENTS)


def test_distance_is_the_smallest_number_of_steps(tree: Hierarchy) -> None:
    # deep to top: 2 steps over left, 3 over middle.
    assert dict(tree.distances("deep")) == {"deep": 0, "left": 1, "middle": 1, "top": 2, "right": 2}
    assert dict(tree.distances("top")) == {"top": 0}


def test_depth_counts_steps_to_the_root(tree: Hierarchy) -> None:
    assert [tree.depth(id) for id in ("top", "left", "middle", "deep")] == [1, 2, 3, 3]


def test_ascents_are_all_shortest_paths(tree: Hierarchy) -> None:
    assert tree.ascents("twin", "top") == (("twin", "left", "top"), ("twin", "right", "top"))
    assert tree.ascents("deep", "top") == (("deep", "left", "top"),)
    assert tree.ascents("deep", "deep") == (("deep",),)


def test_ascents_to_the_root_do_not_contain_the_root(tree: Hierarchy) -> None:
    assert tree.ascents("deep", ROOT) == (("deep", "left", "top"),)
    assert tree.ascents("other", ROOT) == (("other",),)


def test_distance_goes_through_the_nearest_common_ancestor(tree: Hierarchy) -> None:
    assert tree.distance("left", "left") == 0
    assert tree.distance("left", "top") == 1
    assert tree.distance("left", "right") == 2
    assert tree.distance("deep", "twin") == 2  # over left
    assert tree.distance("middle", "left") == 3
    assert tree.distance("other", "top") is None  # only the root is above both
    assert tree.distance("unknown", "top") is None


def test_an_id_that_occurs_only_as_a_parent_is_known(tree: Hierarchy) -> None:
    small = Hierarchy({"child": ["parent", "parent"]})
    assert "parent" in small
    assert small.parents("child") == ("parent",)
    assert small.parents("parent") == ()
    assert len(small) == 2


def test_an_unknown_id_has_no_distances(tree: Hierarchy) -> None:
    assert "unknown" not in tree
    assert "" not in tree
    with pytest.raises(KeyError):
        tree.distances("unknown")


@pytest.mark.parametrize(
    ("parents", "named"),
    [({"a": ["a"]}, "a under a"), ({"a": ["b"], "b": ["c"], "c": ["b"]}, "b"), ({"a": ["b"], "b": ["a"]}, "a")],
)
def test_a_loop_is_an_error(parents: dict[str, list[str]], named: str) -> None:
    with pytest.raises(ConfigurationError, match="is its own ancestor") as error:
        Hierarchy(parents)
    assert named in str(error.value)


# -- files --------------------------------------------------------------------------------------


def test_a_parents_file_may_be_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "parents.json", tmp_path / "parents.json.gz"
    plain.write_text(json.dumps(PARENTS))
    packed.write_bytes(gzip.compress(json.dumps(PARENTS).encode()))
    assert list(Hierarchy.read(plain)) == list(Hierarchy.read(packed)) == list(PARENTS)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[]", "must contain a JSON object"),
        (b"{}", "must contain a JSON object"),
        (b'{"a": "b"}', "the parents of 'a' are not a list of ids"),
        (b'{"a": [1]}', "the parents of 'a' are not a list of ids"),
        (b'{"a": null}', "the parents of 'a' are not a list of ids"),
        (b'{"a": ["a"]}', "a is its own ancestor"),
        (b"\x1f\x8b broken", "cannot be read"),
    ],
)
def test_a_broken_parents_file_is_a_configuration_error(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "parents.json"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=sentence) as error:
        Hierarchy.read(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_parents_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Hierarchy.read(tmp_path / "nowhere.json")


@pytest.mark.realdata
def test_mesh_2021(shared_data: Path) -> None:
    mesh = Hierarchy.read(shared_data / "mesh" / "parents_2021.json.gz")
    assert len(mesh) > 300_000
    # Every id reaches the root.
    assert all(mesh.depth(id) >= 1 for id in list(mesh)[::1000])
