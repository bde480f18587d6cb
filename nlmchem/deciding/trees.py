"""Boosted trees in plain arrays: numpy computes the probabilities, and what each feature adds to them.

The file is JSON with the names of the features, so a model is only used with the features that it was trained on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.storage.atomic import write_bytes

__all__ = ["SCHEMA", "Tree", "Trees", "read_trees", "write_trees"]

Floats = NDArray[np.float64]

SCHEMA = 1
"""The version of the file. A file of another version is refused."""
LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file that is read."""
_REMEDY = "train one with `nlmchem train decision`, or use --decision knowledge"


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree. `feature[i]` is the feature that node i asks for, -1 in a leaf. Values up to `threshold[i]` go to
    `left[i]`, others to `right[i]`. `value[i]` is what the tree adds to the log-odds if it ends in node i."""

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]


@dataclass(frozen=True)
class Trees:
    """Log-odds = `base` + the sum of the leaves. `threshold` (0 to 1): a candidate needs a higher probability.

    `floor` (0 to 1): the least probability of a span of the tagger that the lexicon has as a chemical, and of those
    without a meaning in articles about new compounds (`nlmchem.deciding.decision.log_odds_of`). This is knowledge and
    not learnt: whether such a name is marked differs between guidelines.
    """

    features: tuple[str, ...]
    base: float
    threshold: float
    floor: float
    trees: tuple[Tree, ...]
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def version(self) -> str:
        """The sha256 of what decides about the probabilities."""
        return hashlib.sha256(json.dumps(_plain(self), sort_keys=True).encode()).hexdigest()

    @cached_property
    def _arrays(self) -> list[tuple[NDArray[np.int64], Floats, NDArray[np.int64], NDArray[np.int64], Floats]]:
        return [
            (np.array(t.feature), np.array(t.threshold), np.array(t.left), np.array(t.right), np.array(t.value))
            for t in self.trees
        ]

    def log_odds(self, values: Floats) -> Floats:
        """The log-odds of each row of `values` (candidates x features)."""
        total: Floats = np.full(len(values), self.base)
        for arrays in self._arrays:
            for nodes, _ in _steps(values, arrays):
                last = nodes
            total += arrays[4][last]
        return total

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds (candidates x features).

        At each node the change of the value is added to the feature that the node asks for (Saabas 2014). Base and
        root values are the rest of the sum.
        """
        added = np.zeros((len(values), len(self.features)))
        rows = np.arange(len(values))
        for arrays in self._arrays:
            feature, _, _, _, value = arrays
            before = None
            for nodes, _ in _steps(values, arrays):
                if before is not None:
                    asked = feature[before]
                    inner = asked >= 0
                    np.add.at(added, (rows[inner], asked[inner]), (value[nodes] - value[before])[inner])
                before = nodes
        return added


def _steps(values: Floats, arrays: tuple) -> Any:
    """The node of each row after 0, 1, ... steps."""
    feature, threshold, left, right, _ = arrays
    nodes = np.zeros(len(values), dtype=np.int64)
    rows = np.arange(len(values))
    step = 0
    yield nodes, step
    while True:
        asked = feature[nodes]
        inner = asked >= 0
        if not inner.any():
            return
        below = values[rows, np.maximum(asked, 0)] <= threshold[nodes]
        nodes = np.where(inner, np.where(below, left[nodes], right[nodes]), nodes)
        step += 1
        yield nodes, step


def write_trees(path: Path, model: Trees) -> None:
    """Write a model as JSON, as a whole or not at all."""
    content = {"schema": SCHEMA, **_plain(model), "provenance": dict(model.provenance)}
    write_bytes(path, (json.dumps(content) + "\n").encode())


def read_trees(path: Path, known: Sequence[str]) -> Trees:
    """Read a model. `known`: the features that this version computes.

    Raises `ResourceError` if the file is missing, is not JSON, has another version or unknown features, or if a tree is
    damaged.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise ResourceError(f"the decision model at {path} is larger than {LARGEST >> 20} MB; {_REMEDY}")
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ResourceError(f"cannot read a decision model at {path} ({error.strerror}); {_REMEDY}") from error
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"the decision model at {path} is not JSON, or is cut off ({error}); {_REMEDY}") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        found = content.get("schema") if isinstance(content, dict) else None
        raise ResourceError(f"the decision model at {path} has schema {found!r}, not {SCHEMA}; {_REMEDY}")
    given = content.get("features")
    names = [str(name) for name in given] if isinstance(given, list) else ["none"]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ResourceError(f"the decision model at {path} has the unknown feature {unknown[0]!r}; {_REMEDY}")
    try:
        trees = tuple(_tree(row, len(names)) for row in content["trees"])
        return Trees(
            tuple(names),
            _number(content["base"]),
            _share(content["threshold"]),
            _share(content["floor"]),
            trees,
            content.get("provenance", {}),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ResourceError(f"the decision model at {path} is damaged ({error}); {_REMEDY}") from error


def _tree(row: Mapping[str, Any], features: int) -> Tree:
    tree = Tree(
        tuple(int(value) for value in row["feature"]),
        tuple(_number(value) for value in row["threshold"]),
        tuple(int(value) for value in row["left"]),
        tuple(int(value) for value in row["right"]),
        tuple(_number(value) for value in row["value"]),
    )
    size = len(tree.feature)
    if not size or {len(part) for part in (tree.threshold, tree.left, tree.right, tree.value)} != {size}:
        raise ValueError("a tree has lists of different lengths")
    for node, feature in enumerate(tree.feature):
        if not -1 <= feature < features:
            raise ValueError("a node asks for a feature that is not there")
        # Children have higher numbers, so that every walk through the tree ends.
        if feature >= 0 and not (node < tree.left[node] < size and node < tree.right[node] < size):
            raise ValueError("a node has a child that is not there")
    return tree


def _number(value: Any) -> float:
    number = float(value)
    if not np.isfinite(number):
        raise ValueError("a number is not finite")
    return number


def _share(value: Any) -> float:
    number = _number(value)
    if not 0 < number < 1:
        raise ValueError("the threshold and the floor must be between 0 and 1")
    return number


def _plain(model: Trees) -> dict[str, Any]:
    return {
        "features": list(model.features),
        "base": model.base,
        "threshold": model.threshold,
        "floor": model.floor,
        "trees": [
            {
                "feature": list(tree.feature),
                "threshold": [float(value) for value in tree.threshold],
                "left": list(tree.left),
                "right": list(tree.right),
                "value": [float(value) for value in tree.value],
            }
            for tree in model.trees
        ],
    }
