"""The file of a learnt model: JSON with its kind, its linear models and forests, other values, and its card.

    {"format": "nlmchem model 1", "kind": KIND, "card": {...},
     "linear": {PART: {"intercept": NUMBER, "features": {NAME: {"mean": ..., "scale": ..., "weight": ...}}}},
     "forests": {PART: {"features": [NAME, ...], "base": NUMBER, "trees": [...]}},
     "values": {NAME: ...}}

`card`: how the model was made. Only numbers and names are in the file, so reading it runs no code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from corpora.errors import ResourceError, damage
from corpora.storage.owned_files import write_bytes
from indexing.learning.forest import Forest, forest_of, plain_forest
from indexing.learning.linear import Linear, finite, linear_of, plain_linear

FORMAT = "nlmchem model 1"
"""The number changes when the format changes."""
LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file that is read."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The content of a model file, its path, and the sha256 of its bytes."""

    path: Path
    kind: str
    content: Mapping[str, Any]
    version: str
    card: Mapping[str, Any] = field(default_factory=dict)

    def linear(self, part: str, known: Collection[str]) -> Linear:
        """A linear model. `known`: the features that this version has. Raises `ResourceError` if it is damaged."""
        return self._checked(lambda: linear_of(self.content["linear"][part], known), f"the linear model {part!r}")

    def forest(self, part: str, known: Collection[str]) -> Forest:
        """A forest. `known`: the features that this version has. Raises `ResourceError` if it is damaged."""
        return self._checked(lambda: forest_of(self.content["forests"][part], known), f"the forest {part!r}")

    def share(self, name: str) -> float:
        """A number from 0 to 1, such as a threshold. Raises `ResourceError` for anything else."""
        return self.value(name, _share)

    def value(self, name: str, made: Callable[[Any], T]) -> T:
        """Another value, made from its plain data. Raises `ResourceError` if it is damaged."""
        return self._checked(lambda: made(self.content["values"][name]), name)

    def _checked(self, make: Callable[[], T], what: str) -> T:
        try:
            return make()
        except KeyError as error:
            raise self.broken(f"is damaged ({what} has no {error.args[0]!r})") from error
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise self.broken(f"is damaged ({what}: {damage(error)})") from error

    def broken(self, problem: str) -> ResourceError:
        """The error for wrong content."""
        return _error(self.kind, self.path, problem)


def read(path: Path, kind: str) -> ModelFile:
    """Read a model of a kind. Raises `ResourceError` if it is missing, no model, or of another format or kind."""
    try:
        if path.stat().st_size > LARGEST:
            raise _error(kind, path, f"is larger than {LARGEST >> 20} MB")
        raw = path.read_bytes()
    except OSError as error:
        raise _error(kind, path, f"cannot be read ({error.strerror})") from error
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _error(kind, path, f"is not JSON, or is cut off ({damage(error)})") from error
    if not isinstance(content, dict):
        raise _error(kind, path, "is not a model of nlmchem")
    for key, expected in (("format", FORMAT), ("kind", kind)):
        if content.get(key) != expected:
            raise _error(kind, path, f"has the {key} {content.get(key)!r}; this version reads {expected!r}")
    card = content.get("card")
    return ModelFile(path, kind, content, hashlib.sha256(raw).hexdigest(), card if isinstance(card, dict) else {})


def write(
    path: Path,
    kind: str,
    card: Mapping[str, Any],
    linear: Mapping[str, Linear] | None = None,
    forests: Mapping[str, Forest] | None = None,
    values: Mapping[str, Any] | None = None,
) -> None:
    """Write a model atomically. The same model gives the same bytes; each list of numbers is on one line."""
    content = {
        "format": FORMAT,
        "kind": kind,
        "card": dict(card),
        "linear": {part: plain_linear(model) for part, model in (linear or {}).items()},
        "forests": {part: plain_forest(model) for part, model in (forests or {}).items()},
        "values": dict(values or {}),
    }
    write_bytes(path, _text(content).encode() + b"\n")


def _error(kind: str, path: Path, problem: str) -> ResourceError:
    return ResourceError(f"the {kind} model at {path} {problem}; train another one, or use the one of the package")


def _share(value: Any) -> float:
    number = finite(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{number:g} is not in 0..1")
    return number


def _text(value: Any, depth: int = 1) -> str:
    """JSON with one line for each entry of an object, and for each part of a list that has lists or objects.

    Objects of up to three numbers are on one line.
    """
    edge = f"\n{' ' * (depth - 1)}"
    if isinstance(value, dict) and not (
        len(value) <= 3 and all(isinstance(number, (int, float)) for number in value.values())
    ):
        entries = [f"{_plain(key)}: {_text(entry, depth + 1)}" for key, entry in value.items()]
        return f"{{{edge} {f',{edge} '.join(entries)}{edge}}}"
    if isinstance(value, (list, tuple)) and any(isinstance(part, (dict, list, tuple)) for part in value):
        return f"[{edge} {f',{edge} '.join(map(_plain, value))}{edge}]"
    return _plain(value)


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
