"""What stands in a folder of results beside its articles, and is not to be read as one."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from pathlib import Path

__all__ = ["FURNITURE", "MANIFEST", "furniture_of"]

MANIFEST = "manifest.json"
FURNITURE = (MANIFEST, "manifest-*-of-*.json", "README.md", "quarantine", "report")
"""Names (patterns) at the top of a folder that one of our commands wrote."""

_LOOKED_AT = 1 << 12
_MADE_BY = re.compile(rb'"made_by":\s*"nlmchem ')


def furniture_of(folder: Path) -> Callable[[str], bool]:
    """Tells of a name at the top of a folder whether it is furniture; nothing is where the folder is not ours.

    Ours is a folder with a manifest that says it was made by one of our commands: somebody else's
    `manifest.json` is an input.
    """
    manifests = [folder / MANIFEST, *sorted(folder.glob("manifest-*-of-*.json"))]
    if not any(_is_ours(path) for path in manifests):
        return lambda name: False
    return lambda name: any(fnmatch.fnmatchcase(name, pattern) for pattern in FURNITURE)


def _is_ours(manifest: Path) -> bool:
    try:
        with manifest.open("rb") as stream:
            return _MADE_BY.search(stream.read(_LOOKED_AT)) is not None
    except OSError:
        return False
