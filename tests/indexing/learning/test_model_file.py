"""The file of all models: readable, equal bytes for equal models, and one sentence for a damaged file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora.errors import ResourceError
from indexing.learning import model_file
from indexing.learning.forest import Forest, Tree
from indexing.learning.linear import Linear

LINEAR = Linear.of({"a": (0.5, 1e-9, 2.0), "b": (0.25, 0.5, 1.23456789)}, 0.1)
FOREST = Forest(("b",), 1.0, [Tree((0, -1, -1), (0.123456789, 0.0, 0.0), (1, 1, 2), (2, 1, 2), (0.0, -1.0, 0.123456))])
VALUES: dict[str, Any] = {"threshold": 0.5, "names": {"Größe": [1, 2], "x": [3]}, "numbers": [1.5, 2]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "model.json")
    return tmp_path / "model.json"


def write(path: Path, values: dict[str, Any] | None = None) -> None:
    model_file.write(path, "test", {"licence": "CC0"}, {"one": LINEAR}, {"two": FOREST}, values or VALUES)


def test_a_model_is_read_as_it_was_written_with_rounded_numbers(path: Path) -> None:
    file = model_file.read(path, "test")
    linear, forest = file.linear("one", ("a", "b", "c")), file.forest("two", ("a", "b"))
    assert (linear.features, linear.intercept) == (("a", "b"), 0.1)
    assert np.stack([linear.means, linear.scales, linear.weights]).tolist() == [
        [0.5, 0.25],
        [1e-6, 0.5],
        [2.0, 1.234568],
    ]
    assert (forest.features, forest.base, forest.trees[0].threshold[0]) == (("b",), 1.0, 0.12345679)
    assert forest.trees[0].value == (0.0, -1.0, 0.12346)
    assert (file.share("threshold"), file.value("names", dict), file.card) == (0.5, VALUES["names"], {"licence": "CC0"})


def test_a_line_has_a_list_of_numbers_a_tree_or_a_feature(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert '    "a": {"mean": 0.5, "scale": 1e-06, "weight": 2.0},' in lines
    assert '   "Größe": [1, 2],' in lines
    assert '  "numbers": [1.5, 2]' in lines
    assert sum('"threshold": [' in line for line in lines) == 1


def test_the_same_model_has_the_same_bytes_and_version(path: Path, tmp_path: Path) -> None:
    write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    write(tmp_path / "other.json", {"threshold": 0.4})
    one, again, other = (model_file.read(tmp_path / f"{name}.json", "test") for name in ("model", "again", "other"))
    assert one.version == again.version != other.version


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_not_written(tmp_path: Path, number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write(tmp_path / "model.json", {"threshold": number})
    assert not (tmp_path / "model.json").exists()


def parts_of(file: model_file.ModelFile) -> tuple[Linear, Forest, float]:
    return file.linear("one", ("a", "b")), file.forest("two", ("a", "b")), file.share("threshold")


FEATURE, TREE = {"mean": 0, "scale": 1, "weight": 1}, {"feature": [0], "threshold": [0], "left": [0], "right": [0]}


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("format", "nlmchem model 9", "format 'nlmchem model 9'"),
        ("kind", "other", "kind 'other'"),
        ("linear", {}, "no 'one'"),
        ("linear", {"one": {"intercept": 0, "features": {}}}, "no features"),
        ("linear", {"one": {"intercept": 0, "features": {"moon phase": FEATURE}}}, "no feature 'moon phase'"),
        ("linear", {"one": {"intercept": 0, "features": {"a": {**FEATURE, "scale": 0}}}}, "not greater than 0"),
        ("linear", {"one": {"intercept": 0, "features": {"a": {**FEATURE, "mean": "x"}}}}, "'x' is not a number"),
        ("linear", {"one": {"intercept": 0, "features": {"a": {"mean": 0}}}}, "no 'scale'"),
        ("linear", {"one": {"intercept": float("inf"), "features": {"a": FEATURE}}}, "not finite"),
        ("linear", {"one": {"intercept": None, "features": {"a": FEATURE}}}, "damaged"),
        ("linear", {"one": {"intercept": 0, "features": ["a"]}}, "damaged"),
        ("linear", 7, "damaged"),
        ("forests", {"two": {"features": ["b", "b"], "base": 0, "trees": []}}, "named twice"),
        ("forests", {"two": {"features": ["b"], "base": "high", "trees": []}}, "'high' is not a number"),
        ("forests", {"two": {"features": ["b"], "base": 0, "trees": [{**TREE, "value": [0]}]}}, "child"),
        ("forests", {"two": {"features": ["b"], "base": 0, "trees": [{"feature": [10**400]}]}}, "damaged"),
        ("forests", {"two": None}, "damaged"),
        ("values", {"threshold": 7}, r"7 is not in 0\.\.1"),
        ("values", {"threshold": True}, "True is not a number"),
        ("values", {}, "no 'threshold'"),
    ],
)
def test_a_damaged_model_is_one_sentence(path: Path, part: str, value: object, message: str) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), part: value}), "utf-8")
    with pytest.raises(ResourceError, match=message) as error:
        parts_of(model_file.read(path, "test"))
    assert str(error.value).startswith(f"the test model at {path} ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_not_a_model_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ResourceError, match=r"is not JSON|is not a model of nlmchem|has the format None"):
        model_file.read(tmp_path / "model.json", "test")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(ResourceError, match="cannot be read"):
            model_file.read(path, "test")
