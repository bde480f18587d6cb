"""The model that is installed with the package."""

from __future__ import annotations

import json
from pathlib import Path

import corpora
from corpora.model.document import mentions
from nlmchem import load
from nlmchem.tagging.models.folders import DEFAULT, FOLDER, folder_of, version_of

LIMIT = 25_000_000


def test_the_model_is_installed_small_and_not_a_pickle() -> None:
    assert folder_of(DEFAULT) == FOLDER
    files = list(FOLDER.iterdir())
    assert sum(file.stat().st_size for file in files) <= LIMIT
    assert {file.suffix for file in files} == {".safetensors", ".json", ".md", ""}


def test_the_card_lists_data_licences_and_weights() -> None:
    card = (FOLDER / "README.md").read_text("utf-8")
    for corpus in ("nlmchem", "bc5cdr", "biored", "drugprot"):
        assert f"| {corpus} |" in card
    assert version_of(FOLDER) in card
    assert "all-MiniLM-L6-v2" in (FOLDER / "NOTICE").read_text("utf-8")


def test_the_model_is_part_of_the_package() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    assert "default/*" in project["tool"]["setuptools"]["package-data"]["nlmchem.tagging.models"]


def test_the_model_finds_the_chemicals_of_an_example(examples: Path) -> None:
    (document,) = load(steps=("abbreviate", "tag"))(corpora.read(examples / "guard-cells.nxml"))
    found = {mention.text for mention in mentions(document)}
    assert {"Hydrogen peroxide", "Ca2+", "abscisic acid", "ABA", "H2O2", "γ-aminobutyric acid", "CaCl2"} <= found
    assert not found & {"Arabidopsis", "catalase", "guard cells", "Stomata close"}
    assert len({mention.annotator for mention in mentions(document)}) == 1


def test_the_model_has_the_facts_of_its_training() -> None:
    facts = json.loads((FOLDER / "nlmchem.json").read_text("utf-8"))
    assert facts["stored"] == "int8"
    assert facts["trained"]["second"]["passes"] >= 1
