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
_OF_DATASETS = ("croissant.json", "data", "bigbio_kb")
"""Names in the folder of a silver corpus: its tables have the articles of its other files once more."""

_HEAD = 1 << 12
_MADE_BY = re.compile(rb'"made_by":\s*"nlmchem (\w+)')


def reserved_in(folder: Path) -> Callable[[str], bool]:
    """A function that returns whether a name at the top of a folder is reserved.

    Names are reserved only in a folder with a manifest that one of our commands wrote. Any other
    `manifest.json` is an input.
    """
    commands = _commands(folder)
    patterns = (*_RESERVED, *_OF_DATASETS) if b"silver" in commands else _RESERVED if commands else ()
    return lambda name: any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def is_of_a_run(folder: Path) -> bool:
    """Whether one of our commands wrote a folder: it has a manifest of ours."""
    return bool(_commands(folder))


def _commands(folder: Path) -> set[bytes]:
    """The commands of nlmchem that wrote manifests in a folder, such as `silver`."""
    return {command for path in (folder / MANIFEST, *folder.glob(_SHARD_MANIFESTS)) if (command := _maker(path))}


def _maker(manifest: Path) -> bytes | None:
    try:
        with manifest.open("rb") as stream:
            made_by = _MADE_BY.search(stream.read(_HEAD))
    except OSError:
        return None
    return made_by and made_by[1]
