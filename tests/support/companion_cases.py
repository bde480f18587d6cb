"""The cases that companions add to tests which go over all commands, options or corpora.

A companion has them in `tests/nlmchem/companions/NAME/cases.py`, as constants that are dictionaries. So these tests
name no companion, and pass without it.
"""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "nlmchem" / "companions"


def cases(constant: str) -> dict[str, Any]:
    """The entries of a constant of all companions."""
    return {name: value for module in _modules() for name, value in module.get(constant, {}).items()}


@cache
def _modules() -> tuple[dict[str, Any], ...]:
    return tuple(runpy.run_path(str(path)) for path in sorted(FOLDER.glob("*/cases.py")))
