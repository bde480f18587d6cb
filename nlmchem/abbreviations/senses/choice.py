"""The choice among senses: a conditional logistic regression (McFadden 1974) whose last alternative is "another sense".

The probability of a sense is the softmax of the weighted features of all senses, and of the features of the short form
that speak for a sense outside the dictionary. So an answer can be uncertain although one sense is the best of all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ResourceError, Text, command
from corpora.storage.atomic import write_bytes

__all__ = ["FORMAT", "ChoiceModel", "Weights", "dumps_choice", "read_choice", "write_choice"]

FORMAT = "nlmchem senses 1"
REMEDY = Text(f"train weights with {command('train senses')}, or leave ", Argument("dictionary"), " out")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of standardised features: sum of weight * (value - mean) / scale, in the order of `names`."""

    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]

    def utility(self, values: Floats) -> Floats:
        """The weighted sum of each row of values; the shape is that of `values` without its last axis."""
        standard = (values - np.array(self.means)) / np.array(self.scales)
        result: Floats = standard @ np.array(self.weights)
        return result


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """The weights of the senses, and those of the alternative "another sense"."""

    senses: Weights
    other: Weights
    provenance: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    def probabilities(self, senses: Floats, other: Floats) -> Floats:
        """The probability of each sense. They sum to less than 1; the rest is that of another sense.

        `senses`: (senses, features). `other`: (features,).
        """
        return self.all_probabilities(senses, other[None, :], np.array([0, len(senses)]))

    def all_probabilities(self, senses: Floats, other: Floats, starts: NDArray[np.int64]) -> Floats:
        """The same for many short forms; form f has the rows from `starts[f]` to `starts[f + 1]` of `senses`.

        `senses`: (all senses, features). `other`: (forms, features). Each form has at least one sense.
        """
        begins, sizes = starts[:-1], np.diff(starts)
        utility, rest = self.senses.utility(senses), self.other.utility(other)
        most = np.maximum(np.maximum.reduceat(utility, begins), rest)
        values = np.exp(utility - np.repeat(most, sizes))
        whole = np.add.reduceat(values, begins) + np.exp(rest - most)
        result: Floats = values / np.repeat(whole, sizes)
        return result


def read_choice(path: Path, senses: Sequence[str], other: Sequence[str]) -> ChoiceModel:
    """Read weights for these features. Raises `ResourceError` if the file is missing or damaged, or has others."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise ResourceError(f"there is no file {path} beside the dictionary; ", REMEDY) from error
    except OSError as error:
        raise ResourceError(f"cannot read {path} ({error.strerror}); ", REMEDY) from error
    try:
        content = json.loads(raw)
        if content["format"] != FORMAT:
            raise ResourceError(f"{path} has the format {content['format']!r}; this version reads {FORMAT!r}")
        parts = _weights(content["senses"], senses), _weights(content["other"], other)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ResourceError(f"{path} does not contain weights for senses ({error}); ", REMEDY) from error
    return ChoiceModel(*parts, content.get("provenance") or {}, hashlib.sha256(raw).hexdigest())


def _weights(value: Mapping[str, Any], names: Sequence[str]) -> Weights:
    if tuple(value["features"]) != tuple(names):
        raise ValueError(f"its features are not {', '.join(names)}")
    columns = [tuple(map(float, value[key])) for key in ("means", "scales", "weights")]
    if any(len(column) != len(names) for column in columns):
        raise ValueError("a list of numbers is shorter or longer than that of features")
    if not np.isfinite(columns).all() or min(columns[1]) <= 0:
        raise ValueError("a number is not finite, or a scale is not greater than 0")
    return Weights(tuple(names), *columns)


def dumps_choice(model: ChoiceModel) -> bytes:
    """The model as JSON; numbers have 6 decimals."""
    plain = {
        "format": FORMAT,
        "provenance": dict(model.provenance),
        "senses": _plain(model.senses),
        "other": _plain(model.other),
    }
    return (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode()


def _plain(weights: Weights) -> dict[str, Any]:
    return {
        "features": list(weights.names),
        "means": [round(value, 6) for value in weights.means],
        "scales": [max(round(value, 6), 1e-6) for value in weights.scales],
        "weights": [round(value, 6) for value in weights.weights],
    }


def write_choice(path: Path, model: ChoiceModel) -> None:
    """Write the model. No partial file is left after an error."""
    write_bytes(path, dumps_choice(model))
