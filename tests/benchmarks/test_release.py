"""The checks and files of `make release`."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from benchmarks.release import release
from benchmarks.release.release import ROOT, components, contents, problems, required, section_of

ADDRESS = "https://example.org/group/nlmchem"
CHANGELOG = """# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-01

### Added
- A thing.

## [0.1.0] - 2026-11-22
- First.
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is ready for the release 0.2.0."""
    stated = f'[project]\nname = "nlmchem"\nversion = "0.2.0"\n[project.urls]\nRepository = "{ADDRESS}"\n'
    (tmp_path / "pyproject.toml").write_text(stated, "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, "utf-8")
    return tmp_path


@pytest.mark.parametrize("remote", [ADDRESS, f"{ADDRESS}.git\n", "git@example.org:group/nlmchem.git"])
def test_a_project_that_is_ready_has_no_problems(project: Path, remote: str) -> None:
    assert list(problems(project, "0.2.0", "", {"v0.1.0"}, remote)) == []


@pytest.mark.parametrize(
    ("version", "changed", "tags", "words"),
    [
        (
            "0.3.0",
            "",
            set(),
            ["pyproject.toml has the version 0.2.0, not 0.3.0; change it there", "'## [0.3.0] - DATE'"],
        ),
        ("0.2", "", set(), ["'0.2' is not a version", "pyproject.toml", "CHANGELOG.md"]),
        ("0.2.0", " M a.py\n?? b.py\n", set(), ["changes in 2 file(s) are not committed (the first: a.py)"]),
        ("0.2.0", "", {"v0.2.0"}, ["the tag v0.2.0 exists already"]),
    ],
)
def test_what_prevents_a_release(project: Path, version: str, changed: str, tags: set[str], words: list[str]) -> None:
    found = list(problems(project, version, changed, tags, ADDRESS))
    assert len(found) == len(words)
    assert all(part in one for part, one in zip(words, found, strict=True))


def test_another_address_than_that_of_the_remote_prevents_a_release(project: Path) -> None:
    (found,) = problems(project, "0.2.0", "", set(), "git@example.org:fork/nlmchem.git")
    assert f"pyproject.toml has the repository {ADDRESS}, and git pushes to 'git@example.org:fork" in found


def test_a_long_section_of_the_changelog_prevents_a_release(project: Path) -> None:
    (project / "CHANGELOG.md").write_text("## [0.2.0] - 2026-12-01\n" + "- A thing.\n" * 41, "utf-8")
    (found,) = problems(project, "0.2.0", "", set(), ADDRESS)
    assert "has 41 lines, 40 are allowed" in found


def test_the_section_of_a_version_has_a_date_and_ends_before_the_next_one() -> None:
    assert section_of(CHANGELOG, "0.2.0") == ["### Added", "- A thing."]
    assert section_of(CHANGELOG, "0.2") is None
    assert section_of(CHANGELOG.replace(" - 2026-12-01", ""), "0.2.0") is None


def test_the_changelog_has_a_date_for_each_version_and_a_part_for_what_is_not_released() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    dated = r"\[\d+\.\d+\.\d+((a|b|rc)\d+)?\] - \d{4}-\d\d-\d\d"
    assert [heading for heading in headings if not re.fullmatch(dated, heading)] == (
        ["[Unreleased]"] if version("nlmchem").endswith(".dev0") else []
    )


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


def test_the_files_of_a_release_list_the_wheels_for_an_index_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "run", lambda *command, cwd: json.dumps({"metadata": {}, "components": []}))
    names = ["nlmchem-0.2.0-cp311-abi3-manylinux_2_28_x86_64.whl", "nlmchem-0.2.0-cp311-abi3-macosx_11_0_arm64.whl"]
    for name in [*names, "nlmchem-0.2.0-cp311-abi3-linux_x86_64.whl", "nlmchem-0.1.0-cp311-abi3-macosx_11_0_arm64.whl"]:
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("a.py", "")
    (tmp_path / "nlmchem-0.2.0.tar.gz").write_bytes(b"")
    release.write_files(tmp_path, "0.2.0")
    listed = (tmp_path / "nlmchem-0.2.0-contents.tsv").read_text("utf-8").splitlines()[1:]
    assert [row.split("\t")[0] for row in listed] == sorted(names)
    summed = {row.split()[1] for row in (tmp_path / "SHA256SUMS").read_text("utf-8").splitlines()}
    assert summed == {*names, "nlmchem-0.2.0.tar.gz", "nlmchem-0.2.0-contents.tsv", "nlmchem-0.2.0.cdx.json"}
