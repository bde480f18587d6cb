"""`nlmchem.lookup` and `nlmchem.define`."""

from __future__ import annotations

from pathlib import Path

import pytest

import nlmchem
from nlmchem.api.concepts import PreferredNames


@pytest.mark.parametrize("identifier", [" D005947 ", " MESH:D005947\n"])
def test_spaces_around_an_identifier_do_not_matter(identifier: str) -> None:
    assert nlmchem.define(identifier, lexicon="starter").name == "glucose"


def written(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "own.tsv").write_text(f"MINE:1\t{name}\tzinc\n", "utf-8")
    return folder / "own.tsv"


def test_a_lexicon_that_has_changed_is_opened_again(tmp_path: Path) -> None:
    for name in ("old zinc", "newer zinc"):
        file = written(tmp_path, name)
        assert nlmchem.define("MINE:1", lexicon=file).name == nlmchem.lookup("zinc", lexicon=file)[0].name == name


def test_a_relative_path_is_one_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        monkeypatch.chdir(written(tmp_path / name, name).parent)
        assert nlmchem.define("MINE:1", lexicon="own.tsv").name == name
    of_second = PreferredNames("own.tsv")
    monkeypatch.chdir(tmp_path / "one")
    assert of_second("MINE:1") == "two"
