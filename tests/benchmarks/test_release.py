"""The checks and files of `make release`."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from benchmarks.release.release import components, contents, problems, required, section_of

CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n### Added\n- A thing.\n\n## 0.1.0\n- First.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is ready for the release 0.2.0."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "nlmchem"\nversion = "0.2.0"\n', "utf-8")
    (tmp_path / "CITATION.cff").write_text("title: x\nversion: 0.2.0\n", "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, "utf-8")
    return tmp_path


def test_a_project_that_is_ready_has_no_problems(project: Path) -> None:
    assert list(problems(project, "0.2.0", "", {"v0.1.0"})) == []


@pytest.mark.parametrize(
    ("version", "changed", "tags", "words"),
    [
        (
            "0.3.0",
            "",
            set(),
            ["pyproject.toml has the version 0.2.0, not 0.3.0; change it there and in CITATION.cff", "'## 0.3.0'"],
        ),
        ("0.2", "", set(), ["'0.2' is not a version", "pyproject.toml", "CHANGELOG.md"]),
        ("0.2.0", " M a.py\n?? b.py\n", set(), ["changes in 2 file(s) are not committed (the first: a.py)"]),
        ("0.2.0", "", {"v0.2.0"}, ["the tag v0.2.0 exists already"]),
    ],
)
def test_what_prevents_a_release(project: Path, version: str, changed: str, tags: set[str], words: list[str]) -> None:
    found = list(problems(project, version, changed, tags))
    assert len(found) == len(words)
    assert all(part in one for part, one in zip(words, found, strict=True))


def test_a_long_section_of_the_changelog_prevents_a_release(project: Path) -> None:
    (project / "CHANGELOG.md").write_text("## 0.2.0\n" + "- A thing.\n" * 41, "utf-8")
    (found,) = problems(project, "0.2.0", "", set())
    assert "has 41 lines, 40 are allowed" in found


def test_the_section_of_a_version_ends_before_the_next_one() -> None:
    assert section_of(CHANGELOG, "0.2.0") == ["### Added", "- A thing."]
    assert section_of(CHANGELOG, "Unreleased") == []
    assert section_of(CHANGELOG, "0.2") is None


def test_the_list_of_contents_has_each_file_of_the_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("b.py", "x = 1\n")
        archive.writestr("a.py", "")
    assert [row.split("\t")[1:] for row in contents(wheel)] == [["0", "a.py"], ["6", "b.py"]]
    assert next(contents(wheel)).split("\t")[0] == hashlib.sha256(b"").hexdigest()


def test_the_list_of_components_has_what_an_installation_has() -> None:
    names = required("nlmchem")
    # filelock is needed by huggingface-hub, which tokenizers needs.
    assert {"nlmchem", "tokenizers", "click", "lxml", "filelock"} <= names
    assert names.isdisjoint({"pytest", "ruff", "scikit-learn", "furo", "torch"})
    bom = {
        "metadata": {"component": {"bom-ref": "root"}},
        "components": [{"name": "Lxml", "bom-ref": "t"}, {"name": "pytest", "bom-ref": "p"}],
        "dependencies": [{"ref": "root", "dependsOn": ["p", "t"]}, {"ref": "t"}, {"ref": "p"}],
    }
    kept = components(bom, names)
    assert [one["name"] for one in kept["components"]] == ["Lxml"]
    assert kept["dependencies"] == [{"ref": "root", "dependsOn": ["t"]}, {"ref": "t"}]
