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
    "tests/test_benchmarks.py", "tests/test_public_names.py", "tests/nlmchem/cli/test_groups.py", "tests/nlmchem/run",
    "tests/corpora/datasets", "tests/nlmchem/api/test_python.py::test_a_text_gives_an_article",
    "tests/test_plugins.py::test_companions_come_before_plugins_keep_their_names_and_are_no_plugins",
    "tests/test_plugins.py::test_formats_of_plugins_are_tried_after_the_built_in_ones",
    "--deselect", "tests/nlmchem/run/test_options.py::test_an_option_is_stated_once",
)  # fmt: skip
"""A part of what `python -m benchmarks.release.without_companion NAME` runs: what uses the registries, whose entries
are fewer here. Tests that read the source, such as `tests/test_imports.py`, find no more in a part of it."""


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
