"""docs/reference/licences.md has a row for each file of the packages that is not code, and each row has files."""

from __future__ import annotations

import fnmatch
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
CODE = (".py", ".pyx", ".c", ".cpp", ".h", ".hpp", ".inc")
PAGE = ROOT / "docs" / "reference" / "licences.md"


def rows() -> list[tuple[list[str], str]]:
    """The patterns of files of each row, with its licence."""
    cells = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    return [(re.findall(r"`([^`]+)`", row[0]), row[-1]) for row in cells]


def data_files() -> list[str]:
    """What the wheel contains apart from code: `make dist` checks that it has all tracked files of the packages."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.strip("\0").split("\0") if not name.endswith(CODE)]


def test_each_file_has_one_row_with_a_licence() -> None:
    found = {
        name: [row for row in rows() if any(fnmatch.fnmatch(name, one) for one in row[0])] for name in data_files()
    }
    assert len(found) > 30
    assert {name: len(matching) for name, matching in found.items() if len(matching) != 1} == {}
    assert all(re.search(r"Apache-2\.0|CC0|NLM|BSD", licence) for _, licence in rows())


def test_each_row_has_files() -> None:
    names = data_files()
    patterns = [pattern for row, _ in rows() for pattern in row]
    assert [pattern for pattern in patterns if not _is_left_out(pattern) and not fnmatch.filter(names, pattern)] == []


def _is_left_out(pattern: str) -> bool:
    """Whether it names files of a companion that this copy does not have."""
    companion = re.match(r"nlmchem/companions/\w+", pattern)
    return companion is not None and not (ROOT / companion[0]).is_dir()
