"""The packages that come with nlmchem, and files of the same name that hide them.

`corpora`, `sieves`, `indexing` and `ensemble` are common words: a user's own `corpora.py`, or another package, can be
found first. Python would then report a missing attribute or module; `require` names the file instead.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("corpora", "sieves", "indexing", "ensemble")
_HOME = Path(__file__).resolve().parents[2]


def require() -> None:
    """Raise `ImportError` if another file is imported in place of one of our packages."""
    for name in PACKAGES:
        file = in_the_way(name)
        if file is not None:
            raise ImportError(
                f"{file} is in the way: nlmchem needs its own package {name!r}, and Python finds this file first; "
                "rename the file, or start Python in another folder",
                name=name,
                path=file,
            )


def in_the_way(name: str) -> str | None:
    """The file that Python imports under the name of one of our packages, if it is not ours."""
    module = sys.modules.get(name)
    try:
        spec = module.__spec__ if module is not None else importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if module is not None and getattr(module, "__file__", None):
        file = str(module.__file__)
    elif spec is not None and spec.origin:
        file = spec.origin
    else:
        # Nothing has this name, or only a folder without code: the import itself reports what is missing.
        return None
    return None if _is_ours(Path(file), name) else file


def hidden_elsewhere(folder: Path) -> Iterator[Path]:
    """Files in a folder that would hide one of our packages from a script in that folder."""
    for name in PACKAGES:
        for file in (folder / f"{name}.py", folder / name / "__init__.py"):
            if file.is_file() and not _is_ours(file, name):
                yield file


def _is_ours(file: Path, name: str) -> bool:
    return file.resolve() == _HOME / name / "__init__.py"
