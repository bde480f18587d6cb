"""Output folders that are whole or not there, and the manifest that makes them ours."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError, ResourceError
from corpora.storage import atomic
from corpora.storage.reserved_names import MANIFEST
from ensemble.runs import Poll

__all__ = ["describe_runs", "whole_folder", "write_json", "write_manifest"]


@contextmanager
def whole_folder(out: Path, made_by: str, restart: bool = False) -> Iterator[Path]:
    """A folder to write into, beside `out`; it becomes `out` when the block ends well.

    `made_by` must be what the manifest in the folder says under that name. A folder that is there and not
    empty is replaced with `restart`, and only where its manifest says that this command made it. Raises
    `ConfigurationError`, `ResourceError` where the folder cannot be made.
    """
    out = out.resolve()
    _require_free(out, made_by, restart)
    # One name, not a random one: what a killed run left behind is taken away by the next.
    partial = out.parent / f".{out.name}.partial"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
    except OSError as error:
        raise ResourceError(f"the folder {partial} cannot be made ({error.strerror}); choose another --out") from error
    try:
        yield partial
        _replace(partial, out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _require_free(out: Path, made_by: str, restart: bool) -> None:
    if out.suffix in (".xml", ".json", ".jsonl", ".pubtator", ".tsv"):
        raise ConfigurationError(f"--out is a folder, and {out} looks like a file; name a folder")
    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"{out} is a file; name a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not restart:
        raise ConfigurationError(f"the folder {out} is not empty; choose another, or say --restart to replace it")
    if _maker(out) != made_by:
        raise ConfigurationError(f"the folder {out} was not made by `{made_by}` and is not replaced; choose another")


def _maker(folder: Path) -> str | None:
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    return content.get("made_by") if isinstance(content, dict) else None


def _replace(partial: Path, out: Path) -> None:
    if not out.exists():
        partial.rename(out)
        return
    old = out.parent / f".{out.name}.old"
    shutil.rmtree(old, ignore_errors=True)
    out.rename(old)
    partial.rename(out)
    shutil.rmtree(old)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON that people can read, atomically."""
    atomic.write_bytes(path, json.dumps(content, indent=1, ensure_ascii=True).encode() + b"\n")


def describe_runs(poll: Poll) -> list[dict[str, Any]]:
    """The runs as a manifest lists them."""
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
    """Write a manifest that names its maker and the runs; says what it holds."""
    manifest = {"made_by": made_by, "runs": describe_runs(poll), **content}
    write_json(folder / MANIFEST, manifest)
    return manifest
