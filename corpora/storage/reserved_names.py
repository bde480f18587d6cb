"""Names that a run reserves in its output folder, and that are not read as articles."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from pathlib import Path

MANIFEST = "manifest.json"
_SHARD_MANIFESTS = "manifest-*-of-*.json"
_RESERVED = (MANIFEST, _SHARD_MANIFESTS, "README.md", "quarantine", "report", "editor")
"""Patterns of names at the top of an output folder."""

_HEAD = 1 << 12
_MADE_BY = re.compile(rb'"made_by":\s*"nlmchem ')


def reserved_in(folder: Path) -> Callable[[str], bool]:
    """A function that returns whether a name at the top of a folder is reserved.

    Names are reserved only in a folder with a manifest that one of our commands wrote. Any other
    `manifest.json` is an input.
    """
    if not is_of_a_run(folder):
        return lambda name: False
    return lambda name: any(fnmatch.fnmatchcase(name, pattern) for pattern in _RESERVED)


def is_of_a_run(folder: Path) -> bool:
    """Whether one of our commands wrote a folder: it has a manifest of ours."""
    return any(_is_ours(path) for path in (folder / MANIFEST, *sorted(folder.glob(_SHARD_MANIFESTS))))


def _is_ours(manifest: Path) -> bool:
    try:
        with manifest.open("rb") as stream:
            return _MADE_BY.search(stream.read(_HEAD)) is not None
    except OSError:
        return False
