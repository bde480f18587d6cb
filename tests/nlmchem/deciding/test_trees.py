"""Trees in plain numbers: probabilities, contributions, files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora.errors import ResourceError
from nlmchem.deciding.trees import Tree, Trees, read_trees, write_trees

STUMP = Tree((0, -1, -1), (0.5, 0.0, 0.0), (1, -1, -1), (2, -1, -1), (0.25, -1.0, 2.0))
DEEP = Tree(
    (1, -1, 0, -1, -1), (3.0, 0, 0.5, 0, 0), (1, -1, 3, -1, -1), (2, -1, 4, -1, -1), (0.0, 0.5, -0.5, -2.0, 1.0)
)
MODEL = Trees(("marked", "length"), -0.75, 0.4, 0.7, (STUMP, DEEP), {"articles": 3})
VALUES = np.array([[0.0, 2.0], [1.0, 2.0], [0.0, 4.0], [1.0, 4.0]])


def test_log_odds_are_the_sum_of_the_leaves() -> None:
    assert MODEL.log_odds(VALUES).tolist() == [-0.75 - 1 + 0.5, -0.75 + 2 + 0.5, -0.75 - 1 - 2, -0.75 + 2 + 1]
    assert MODEL.log_odds(np.zeros((0, 2))).tolist() == []


def test_contributions_and_roots_add_up_to_the_log_odds() -> None:
    roots = MODEL.base + sum(tree.value[0] for tree in MODEL.trees)
    assert np.allclose(MODEL.contributions(VALUES).sum(axis=1) + roots, MODEL.log_odds(VALUES))
    # The last row: 2 - 0.25 at the stump, -0.5 to 1 at the second node of the deep tree; the rest is of `length`.
    assert MODEL.contributions(VALUES)[-1].tolist() == [1.75 + 1.5, -0.5]


def test_a_model_survives_a_file(tmp_path: Path) -> None:
    write_trees(tmp_path / "model.json", MODEL)
    found = read_trees(tmp_path / "model.json", ("length", "marked", "score"))
    assert found == MODEL
    assert found.version == MODEL.version
    assert replace(MODEL, threshold=0.5).version != MODEL.version


def broken(tmp_path: Path, **changes: Any) -> Path:
    write_trees(tmp_path / "model.json", MODEL)
    content = {**json.loads((tmp_path / "model.json").read_text("utf-8")), **changes}
    (tmp_path / "model.json").write_text(json.dumps(content), "utf-8")
    return tmp_path / "model.json"


TREE = {"feature": [0, -1, -1], "threshold": [0.5, 0, 0], "left": [1, -1, -1], "right": [2, -1, -1], "value": [0, 1, 2]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 7}, "has schema 7, not 1"),
        ({"features": ["marked", "smell"]}, "has the unknown feature 'smell'"),
        ({"features": None}, "has the unknown feature 'none'"),
        ({"trees": [{**TREE, "left": [0, -1, -1]}]}, "a node has a child that is not there"),
        ({"trees": [{**TREE, "right": [9, -1, -1]}]}, "a node has a child that is not there"),
        ({"trees": [{**TREE, "feature": [2, -1, -1]}]}, "a feature that is not there"),
        ({"trees": [{**TREE, "value": [0, 1]}]}, "lists of different lengths"),
        ({"trees": [{"feature": []}]}, "is damaged"),
        ({"trees": [{**TREE, "value": [0, 1, math.inf]}]}, "a number is not finite"),
        ({"threshold": 1}, "must be between 0 and 1"),
        ({"base": "high"}, "is damaged"),
    ],
)
def test_a_damaged_model_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ResourceError, match=message) as error:
        read_trees(broken(tmp_path, **changes), MODEL.features)
    assert "nlmchem train decision" in str(error.value)


def test_a_torn_or_missing_file_is_refused(tmp_path: Path) -> None:
    path = broken(tmp_path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ResourceError, match="is not JSON, or is cut off"):
        read_trees(path, MODEL.features)
    with pytest.raises(ResourceError, match="cannot read a decision model"):
        read_trees(tmp_path / "none.json", MODEL.features)
    path.write_text("[1]", "utf-8")
    with pytest.raises(ResourceError, match="has schema None, not 1"):
        read_trees(path, MODEL.features)
