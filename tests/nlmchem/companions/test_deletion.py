"""The core works without each of the companions: in a copy of the tree without its folder, tests and entry points."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.release.without_companion import copy_without, environment

ROOT = Path(__file__).resolve().parents[3]
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
COMPANIONS = sorted(path.parent.name for path in (ROOT / "nlmchem" / "companions").glob("*/__init__.py"))
TESTS = (
    "tests/test_imports.py", "tests/test_plugins.py", "tests/test_public_names.py", "tests/test_benchmarks.py",
    "tests/nlmchem/run", "tests/nlmchem/api/test_python.py", "tests/corpora/datasets",
)  # fmt: skip
"""A part of what `python -m benchmarks.release.without_companion NAME` runs."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPANIONS)
def test_the_rest_works_without_a_companion(name: str, tmp_path: Path) -> None:
    folder = copy_without(name, tmp_path / "copy")

    def python(*words: str) -> str:
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "annotate" in python("nlmchem", "--help")
    python("nlmchem", "annotate", "examples/carotene-and-gaba.json", "--workers", "1", "-o", "out.xml")
    assert "Chemical" in (folder / "out.xml").read_text("utf-8")
    python("pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *TESTS)


@pytest.mark.parametrize("name", COMPANIONS)
def test_a_companion_is_registered_by_entry_points(name: str) -> None:
    assert f' = "nlmchem.companions.{name}.' in PROJECT
