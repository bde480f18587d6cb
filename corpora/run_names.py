"""Short names for runs: the end of each path, as long as needed to make the names unique."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from corpora.errors import ConfigurationError
from corpora.formats.registry import suffixes
from corpora.parsing.safe_xml import illegal_characters
from corpora.storage.members import PACKED

_SEPARATORS = re.compile(r"[\s,;]+")


def run_names(paths: Sequence[str]) -> list[str]:
    """A name for every path, in their order: `fold1/out.xml` and `fold2/out.xml` become `fold1/out` and `fold2/out`.

    Suffixes of formats and archives are left out. Names do not depend on the order of the paths, and contain no blank,
    comma, semicolon or character that XML forbids. Raises `ConfigurationError` if a path is given twice.
    """
    resolved = [Path(path).resolve() for path in paths]
    for position, path in enumerate(resolved):
        if path in resolved[:position]:
            raise ConfigurationError(f"the run {paths[position]} is given twice; name every run once")
    parts = [_parts(path) for path in paths]
    for depth in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in resolved]


def _parts(path: str) -> list[str]:
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 (removes `..` but keeps the names of links)
    whole = [part for part in absolute.parts if part != absolute.anchor]
    if whole:
        whole[-1] = _without_suffixes(whole[-1])
    return [_SEPARATORS.sub("_", _writable(part)) for part in whole] or ["run"]


def _writable(name: str) -> str:
    """The name with numbers of characters that XML forbids: names of runs are written into articles."""
    return "".join(f"U+{ord(character):04X}" if illegal_characters(character) else character for character in name)


def _without_suffixes(name: str) -> str:
    known = suffixes() | set(PACKED)
    while (suffix := Path(name).suffix.lower()) and suffix in known:
        name = Path(name).stem
    return name
