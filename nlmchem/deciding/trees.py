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

from corpora.errors import Argument, ResourceError, Text, command
from corpora.storage.atomic import write_bytes
from indexing.boosting import Forest, Tree, tree_of

__all__ = ["SCHEMA", "Tree", "Trees", "read_trees", "write_trees"]

Floats = NDArray[np.float64]

SCHEMA = 1
"""The version of the file. A file of another version is refused."""
LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file that is read."""
_REMEDY = Text(f"train one with {command('train decision')}, or use ", Argument("decision", "knowledge"))


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
    def _forest(self) -> Forest:
        return Forest(self.trees)

    def log_odds(self, values: Floats) -> Floats:
        """The log-odds of each row of `values` (candidates x features)."""
        return self._forest.log_odds(values, self.base)

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds (candidates x features). Base and root values are the rest."""
        return self._forest.contributions(values, by_tree=True)


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
            raise ResourceError(f"the decision model at {path} is larger than {LARGEST >> 20} MB; ", _REMEDY)
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ResourceError(f"cannot read a decision model at {path} ({error.strerror}); ", _REMEDY) from error
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"the decision model at {path} is not JSON, or is cut off ({error}); ", _REMEDY) from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        found = content.get("schema") if isinstance(content, dict) else None
        raise ResourceError(f"the decision model at {path} has schema {found!r}, not {SCHEMA}; ", _REMEDY)
    given = content.get("features")
    names = [str(name) for name in given] if isinstance(given, list) else ["none"]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ResourceError(f"the decision model at {path} has the unknown feature {unknown[0]!r}; ", _REMEDY)
    try:
        trees = tuple(tree_of(row, len(names)) for row in content["trees"])
        return Trees(
            tuple(names),
            _number(content["base"]),
            _share(content["threshold"]),
            _share(content["floor"]),
            trees,
            content.get("provenance", {}),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ResourceError(f"the decision model at {path} is damaged ({error}); ", _REMEDY) from error


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
