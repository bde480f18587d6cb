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
    # A companion can be left out of a copy.
    absent = (
        {pattern for pattern in patterns if re.match(r"nlmchem/companions/\w+/", pattern)} if _is_partial() else set()
    )
    assert [pattern for pattern in patterns if pattern not in absent and not fnmatch.filter(names, pattern)] == []


def test_what_is_under_another_licence_has_a_notice() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for (pattern, *_), licence in rows():
        if "NOTICE" in licence:
            assert pattern.removesuffix("*") in notice, pattern


def _is_partial() -> bool:
    return any(
        not (ROOT / match).is_dir()
        for row, _ in rows()
        for pattern in row
        for match in re.findall(r"^nlmchem/companions/\w+", pattern)
    )
