"""The lexicon that comes with the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from loaded_benchmark import load_benchmark

from sieves.lexicon.lexicon import STARTER, Lexicon

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def starter() -> Lexicon:
    return Lexicon.open()


def lines() -> list[list[str]]:
    text = STARTER.read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


def test_it_has_five_hundred_concepts_at_least_sorted_by_identifier() -> None:
    identifiers = [line[0] for line in lines()]
    assert len(identifiers) >= 500
    assert identifiers == sorted(identifiers)


def test_every_identifier_is_one_of_mesh_or_several() -> None:
    form = re.compile(r"MESH:[CD]\d{6}(\d{3})?(,MESH:[CD]\d{6}(\d{3})?)*")
    assert [line[0] for line in lines() if not form.fullmatch(line[0])] == []


def test_no_name_stands_for_two_concepts(starter: Lexicon) -> None:
    assert [name for name, _ in starter.names() if len(starter.lookup(name)) > 1] == []


def test_no_name_is_written_twice_in_a_line() -> None:
    for _, preferred, synonyms in lines():
        names = [preferred, *filter(None, synonyms.split("|"))]
        assert len(names) == len(set(names)), preferred


@pytest.mark.parametrize(
    "word", ["I", "In", "As", "At", "Be", "He", "No", "NO", "K", "C", "H", "N", "O", "tin", "glass", "base"]
)
def test_words_that_mostly_name_no_chemical_are_not_in_it(starter: Lexicon, word: str) -> None:
    assert starter.lookup(word) == ()


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("water", "MESH:D014867"),
        ("H₂O₂", "MESH:D006861"),
        ("Ca2+", "MESH:D002118"),
        ("sulphate", "MESH:D013431"),
        ("Dexamethasone", "MESH:D003907"),
        ("DMSO", "MESH:D004121"),
        ("PBS", "MESH:D010710,MESH:D012965"),
        ("α-tocopherol", "MESH:D024502"),
    ],
)
def test_what_articles_name_most_is_in_it(starter: Lexicon, name: str, identifier: str) -> None:
    assert [match.identifier for match in starter.lookup(name)] == [identifier]


@pytest.mark.realdata
def test_every_identifier_and_preferred_name_is_meshs_own(starter: Lexicon, shared_data: Path) -> None:
    check = load_benchmark("starter_lexicon_check")
    assert sorted(check.faults(starter, check.read_mesh(shared_data / "mesh"))) == []


@pytest.mark.realdata
def test_a_wrong_identifier_is_found(shared_data: Path, tmp_path: Path) -> None:
    check = load_benchmark("starter_lexicon_check")
    (tmp_path / "x.tsv").write_text("MESH:D014867\tethanol\nMESH:D999999\tx\nMESH:D000431\tethanol\twater\n", "utf-8")
    faults = "\n".join(check.faults(Lexicon.open(tmp_path / "x.tsv"), check.read_mesh(shared_data / "mesh")))
    assert "'ethanol' is preferred for MESH:D014867" in faults
    assert "MESH:D999999 (x) is not in MESH" in faults.replace("MeSH", "MESH")
    assert "'water' stands for MESH:D000431 here, for MESH:D014867 in MeSH" in faults


@pytest.mark.realdata
def test_it_finds_what_the_documents_say_it_finds(starter: Lexicon, shared_data: Path) -> None:
    check = load_benchmark("starter_lexicon_check")
    spans, identifiers = check.evaluate(starter, sorted((shared_data / "nlmchem" / "bioc").glob("*.xml")))
    stated = (ROOT / "docs" / "lexicon.md").read_text("utf-8")
    assert str(spans) in stated
    assert str(identifiers) in stated
