"""A folder written by a command is read by all others: its manifest is not an article."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

import corpora


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    document = BioCDocument.of_passages(BioCPassage.of_text("Water."))
    document.id = "1"
    corpora.write([document], tmp_path / "1.xml")
    (tmp_path / "quarantine").mkdir()
    (tmp_path / "quarantine" / "error.json").write_text("{}")
    return tmp_path


def ids(folder: Path) -> list[str]:
    return [document.id for document in corpora.read(folder)]


@pytest.mark.parametrize("name", ["manifest.json", "manifest-2-of-3.json"])
def test_the_manifest_and_quarantine_of_a_run_are_not_read(folder: Path, name: str) -> None:
    (folder / name).write_text('{\n "made_by": "nlmchem annotate",\n "state": "finished"\n}')
    assert ids(folder) == ["1"]


def test_reserved_names_in_a_folder_of_other_origin_are_read(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"made_by": "somebody"}')
    with pytest.raises(corpora.ArticleError, match=r"error\.json"):
        ids(folder)


def test_reserved_names_in_subfolders_are_read(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"made_by": "nlmchem annotate"}')
    (folder / "more").mkdir()
    (folder / "1.xml").rename(folder / "more" / "manifest.json")
    assert ids(folder) == ["1"]
