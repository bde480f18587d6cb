"""Python without the packages of the extras: what `pip install nlmchem` gives."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

PACKAGES = (
    *("accelerate", "cassis", "dask", "distributed", "joblib", "matplotlib", "pandas", "pyarrow", "scipy", "sklearn"),
    *("spacy", "torch", "transformers"),
)


def hide(patch: pytest.MonkeyPatch, packages: Iterable[str] = PACKAGES) -> None:
    """Hide packages in this process: they seem not to be installed, and their import fails."""
    for package in packages:
        patch.setitem(sys.modules, package, None)


def run_without_extras(
    folder: Path, *arguments: object, input: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that cannot import the packages; nor can its workers. `folder` receives a file."""
    folder.mkdir(exist_ok=True)
    # Python imports this module at its start.
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({PACKAGES!r}))\n", "utf-8")
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "nlmchem", *map(str, arguments)],
        capture_output=True, text=True, input=input, cwd=cwd, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
