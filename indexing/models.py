"""Models of indexers as JSON files: read with their hash, written whole."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.errors import ResourceError
from corpora.storage.atomic import write_bytes

__all__ = ["DEFAULT", "FORMAT", "ModelFile", "numbers_of", "read", "write"]

FORMAT = "nlmchem indexer 1"
"""What a model says it is; a program that reads other files must say another number."""
DEFAULT = Path(__file__).with_name("default.json")
"""The model that comes with the package; docs/indexing.md has its card."""

WAY_OUT = "train one with `nlmchem train indexer`, or leave the model out to use the one that comes with nlmchem"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The content of a model file, where it lay, and the sha256 of its bytes."""

    path: Path
    content: dict[str, Any]
    version: str

    def broken(self, what: str) -> ResourceError:
        """The error to raise where the content is not what it must be."""
        return ResourceError(f"the indexing model at {self.path} {what}; {WAY_OUT}")


def read(path: Path) -> ModelFile:
    """Read a model file. Raises `ResourceError` where there is none, or it is something else."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise ResourceError(f"no indexing model at {path}; {WAY_OUT}") from error
    except OSError as error:
        raise ResourceError(f"cannot read an indexing model at {path} ({error.strerror}); {WAY_OUT}") from error
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"the indexing model at {path} is not JSON ({error}); {WAY_OUT}") from error
    file = ModelFile(path, content, hashlib.sha256(raw).hexdigest())
    if not isinstance(content, dict) or "format" not in content:
        raise file.broken("is no indexing model of nlmchem")
    if content["format"] != FORMAT:
        raise file.broken(f"is of the format {content['format']!r}, this program reads {FORMAT!r}")
    return file


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a model, atomically; the same content gives the same bytes."""
    lines = json.dumps({"format": FORMAT, **content}, ensure_ascii=False, indent=1, allow_nan=False)
    write_bytes(path, lines.encode() + b"\n")


def numbers_of(file: ModelFile, values: object, what: str) -> list[float]:
    """A list of finite numbers of the file. Raises `ResourceError` for anything else."""
    if not isinstance(values, list) or not all(_is_number(value) for value in values):
        raise file.broken(f"has {what} that are no list of numbers")
    return [float(value) for value in values]


def _is_number(value: object) -> bool:
    # JSON as Python reads it has NaN and Infinity, which no sum survives.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
