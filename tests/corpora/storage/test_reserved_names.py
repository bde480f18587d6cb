"""A folder that a command wrote is read by every other: its manifest is no article."""

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
def test_what_a_run_leaves_beside_its_articles_is_not_read(folder: Path, name: str) -> None:
    (folder / name).write_text('{\n "made_by": "nlmchem annotate",\n "state": "finished"\n}')
    assert ids(folder) == ["1"]


def test_the_same_names_in_anybody_elses_folder_are_read(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"made_by": "somebody"}')
    with pytest.raises(corpora.ArticleError, match=r"manifest\.json"):
        ids(folder)


def test_only_the_top_of_the_folder_counts(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"made_by": "nlmchem annotate"}')
    (folder / "more").mkdir()
    (folder / "1.xml").rename(folder / "more" / "manifest.json")
    assert ids(folder) == ["1"]
