"""Short names for runs: the end of each path, as much of it as tells the runs apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from corpora.errors import ConfigurationError

__all__ = ["run_names"]

_SUFFIXES = re.compile(r"(\.(xml|nxml|json|jsonl|ndjson|bioc|pubtator|txt|tar|tgz|zip|gz|bz2|xz))+\Z", re.IGNORECASE)
_UNWRITABLE = re.compile(r"[\s,;]+")


def run_names(paths: Sequence[str]) -> list[str]:
    """A name for every path, in their order: `fold1/out.xml` and `fold2/out.xml` become `fold1/out` and `fold2/out`.

    Names depend on the set of paths, not on its order, and hold neither blank nor comma nor semicolon.
    Raises `ConfigurationError` where one path is given twice.
    """
    resolved = [Path(path).resolve() for path in paths]
    for position, path in enumerate(resolved):
        if path in resolved[:position]:
            raise ConfigurationError(f"the run {paths[position]} is given twice; name every run once")
    parts = [_parts(path) for path in resolved]
    for depth in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in resolved]


def _parts(path: Path) -> list[str]:
    whole = [part for part in path.parts if part != path.anchor]
    if whole:
        whole[-1] = _SUFFIXES.sub("", whole[-1]) or whole[-1]
    return [_UNWRITABLE.sub("_", part) for part in whole] or ["run"]
