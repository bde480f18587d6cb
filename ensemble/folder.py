"""Output folders of commands that write all files at once: complete or absent, with a manifest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError, OptionError, ResourceError
from corpora.formats.registry import suffixes
from corpora.storage import atomic
from corpora.storage.reserved_names import MANIFEST
from ensemble.runs import Poll

__all__ = ["describe_runs", "whole_folder", "write_json", "write_manifest"]


@contextmanager
def whole_folder(out: Path, made_by: str, restart: bool = False) -> Iterator[Path]:
    """A new folder beside `out`. It is renamed to `out` when the block ends without error.

    `made_by` is the command: the manifest that the block writes must contain it. With `restart`, a folder `out` that
    is not empty is replaced, if its manifest contains the same command. Raises `ConfigurationError`, and
    `ResourceError` where the folder cannot be created or written.
    """
    out = out.resolve()
    _require_free(out, made_by, restart)
    created = False
    try:
        with atomic.replacing_folder(out) as partial:
            created = True
            yield partial
    except OSError as error:
        if not created:
            why = f"the folder {out} cannot be created ({error.strerror}); choose another "
            raise ResourceError(why, Argument("out")) from error
        why = f"the folder {out} cannot be written ({error}); correct that and run the command again"
        raise ResourceError(why) from error


def _require_free(out: Path, made_by: str, restart: bool) -> None:
    if out.suffix.lower() in suffixes():
        raise OptionError("out", f"is a folder, but {out} is the name of a file; name a folder")
    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"{out} is a file; name a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not restart:
        why = f"the folder {out} is not empty; choose another, or add "
        raise ConfigurationError(why, Argument("restart", True), " to replace it")
    if _maker(out) != made_by:
        raise ConfigurationError(f"the folder {out} was not made by `{made_by}`; choose another")


def _maker(folder: Path) -> str | None:
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    return content.get("made_by") if isinstance(content, dict) else None


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write indented JSON atomically."""
    atomic.write_bytes(path, json.dumps(content, indent=1, ensure_ascii=True).encode() + b"\n")


def describe_runs(poll: Poll) -> list[dict[str, Any]]:
    """The entries of the runs in a manifest."""
    return [
        {
            "name": run.name,
            "path": run.path,
            "sha256": run.digest,
            "weight": run.weight,
            "documents": run.documents,
            "mentions": run.mentions,
            "index_terms": run.terms,
        }
        for run in poll.runs
    ]


def write_manifest(folder: Path, poll: Poll, made_by: str, content: dict[str, Any]) -> dict[str, Any]:
    """Write a manifest with the command, the runs and `content`. Returns its content."""
    manifest = {"made_by": made_by, "runs": describe_runs(poll), **content}
    write_json(folder / MANIFEST, manifest)
    return manifest
