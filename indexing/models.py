"""Model files of indexers: JSON, read with their hash, written atomically."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ResourceError, Text, command
from corpora.storage.atomic import write_bytes

__all__ = ["DEFAULT", "FORMAT", "ModelFile", "numbers_of", "read", "write"]

FORMAT = "nlmchem indexer 1"
"""The format of model files. The number changes when the format changes."""
DEFAULT = Path(__file__).with_name("default.json")
"""The embedded model; its card is indexing/default.md."""

WAY_OUT = Text(
    f"train a model with {command('train indexer')}, or use the embedded model: ", Argument("indexer", "default")
)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The content of a model file, its path, and the sha256 of its bytes."""

    path: Path
    content: dict[str, Any]
    version: str

    def broken(self, what: str) -> ResourceError:
        """The error for wrong content."""
        return ResourceError(f"the indexing model at {self.path} {what}; ", WAY_OUT)


def read(path: Path) -> ModelFile:
    """Read a model file. Raises `ResourceError` if it is missing or not a model."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise ResourceError(f"there is no indexing model at {path}; ", WAY_OUT) from error
    except OSError as error:
        raise ResourceError(f"cannot read the indexing model at {path} ({error.strerror}); ", WAY_OUT) from error
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"the indexing model at {path} is not JSON ({error}); ", WAY_OUT) from error
    file = ModelFile(path, content, hashlib.sha256(raw).hexdigest())
    if not isinstance(content, dict) or "format" not in content:
        raise file.broken("is not an indexing model of nlmchem")
    if content["format"] != FORMAT:
        raise file.broken(f"has the format {content['format']!r}; this version reads {FORMAT!r}")
    return file


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a model atomically. The same content gives the same bytes; each list of numbers is on one line."""
    write_bytes(path, _text({"format": FORMAT, **content}).encode() + b"\n")


def _text(value: Any, depth: int = 1) -> str:
    """JSON with one line for each entry of an object, and for each part of a list that has lists or objects."""
    edge = f"\n{' ' * (depth - 1)}"
    if isinstance(value, dict) and value:
        entries = [f"{_plain(key)}: {_text(entry, depth + 1)}" for key, entry in value.items()]
        return f"{{{edge} {f',{edge} '.join(entries)}{edge}}}"
    if isinstance(value, (list, tuple)) and any(isinstance(part, (dict, list, tuple)) for part in value):
        return f"[{edge} {f',{edge} '.join(map(_plain, value))}{edge}]"
    return _plain(value)


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def numbers_of(file: ModelFile, values: object, what: str) -> list[float]:
    """A list of finite numbers of the file. Raises `ResourceError` for anything else."""
    if not isinstance(values, list) or not all(_is_number(value) for value in values):
        raise file.broken(f"has no list of numbers for {what}")
    return [float(value) for value in values]


def _is_number(value: object) -> bool:
    # Python reads NaN and Infinity from JSON; they would spoil every sum.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
