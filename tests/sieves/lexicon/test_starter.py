"""The starter lexicon: its two files, and what it has."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

import sieves.lexicon.tables as starter_module
from benchmarks.retrain import starter_names
from sieves.lexicon.lexicon import STARTER, Lexicon
from sieves.lexicon.tables import COMMON_NAMES, STARTER_NAMES

ROOT = Path(__file__).resolve().parents[3]


FILES = pytest.mark.parametrize("path", [STARTER_NAMES, COMMON_NAMES], ids=lambda path: path.name)


@pytest.fixture(scope="module")
def starter() -> Lexicon:
    return Lexicon.open(STARTER)


@pytest.fixture(scope="module")
def mesh_names(shared_data: Path) -> Any:
    """The names of MeSH, read once."""
    return starter_names.read_mesh(shared_data / "mesh")


def lines(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]


def names_of(path: Path) -> set[tuple[str, str]]:
    return {
        (identifier, name)
        for identifier, preferred, synonyms in lines(path)
        for name in (preferred, *filter(None, synonyms.split("|")))
    }


@FILES
def test_lines_are_sorted_by_identifier(path: Path) -> None:
    identifiers = [line[0] for line in lines(path)]
    assert len(identifiers) > 400
    assert identifiers == sorted(identifiers)


@FILES
def test_every_identifier_is_one_of_mesh_or_several(path: Path) -> None:
    form = re.compile(r"MESH:[CD]\d{6}(\d{3})?(,MESH:[CD]\d{6}(\d{3})?)*")
    assert [line[0] for line in lines(path) if not form.fullmatch(line[0])] == []


@FILES
def test_no_name_is_written_twice_in_a_line(path: Path) -> None:
    for _, preferred, synonyms in lines(path):
        names = [preferred, *filter(None, synonyms.split("|"))]
        assert len(names) == len(set(names)), preferred


def test_no_name_stands_for_two_concepts(starter: Lexicon) -> None:
    assert [name for name, _ in starter.names() if len(starter.lookup(name)) > 1] == []


def test_both_files_are_one_layer(starter: Lexicon) -> None:
    assert {(identifier, name) for name, identifier in starter.names()} == names_of(STARTER_NAMES) | names_of(
        COMMON_NAMES
    )
    assert {starter.lookup(name)[0].layer for name in ("water", "ATP", "glucose")} == {STARTER}


def test_the_starter_layer_has_no_copy_of_a_name_that_mesh_gives() -> None:
    """The answer of MeSH without the starter layer is that of another layer, or of another concept."""
    with Lexicon.open(as_of=2021) as lexicon:
        rows = lexicon.database.query(
            "SELECT own.name, concept.id FROM name AS own JOIN concept ON concept.row = own.concept "
            "JOIN name AS mesh ON mesh.key = own.key AND mesh.concept = own.concept AND mesh.name = own.name "
            "WHERE own.layer = 0 AND mesh.layer > 0"
        )
        hidden = [
            (name, id) for name, id in rows if lexicon.translate(id) == id and not _has_another(lexicon, name, id)
        ]
    assert hidden == []


def _has_another(lexicon: Lexicon, name: str, identifier: str) -> bool:
    """Whether MeSH also gives the name to another concept, so that the starter layer decides which one comes first."""
    return len({match.identifier for match in lexicon.lookup(name)} - {identifier}) > 0


def test_common_names_are_those_that_mesh_gives() -> None:
    with Lexicon.open(as_of=2021) as lexicon:
        own = names_of(STARTER_NAMES)
        wrong = [
            (identifier, name)
            for identifier, name in names_of(COMMON_NAMES) - own
            if [match.identifier for match in lexicon.lookup(name)][:1] != [identifier]
        ]
    # A preferred name is in the line in every case; MeSH may have it in another spelling.
    preferred = {(identifier, name) for identifier, name, _ in lines(COMMON_NAMES)}
    assert set(wrong) <= preferred


def test_it_is_compiled_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    compile_tsv = starter_module.compile_tsv
    monkeypatch.setattr(
        starter_module,
        "compile_tsv",
        lambda *given: compiled.append(given) or compile_tsv(*given),  # type: ignore[func-returns-value]
    )
    starter_module._compiled.cache_clear()
    versions = {Lexicon.open(STARTER).version for _ in range(4)}
    assert (len(compiled), len(versions)) == (1, 1)


def test_closing_one_leaves_the_others_open(starter: Lexicon) -> None:
    Lexicon.open(STARTER).close()
    assert starter.lookup("ethanol")


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
def test_every_identifier_and_preferred_name_is_meshs_own(starter: Lexicon, mesh_names: Any) -> None:
    assert sorted(starter_names.faults(starter, mesh_names)) == []


@pytest.mark.realdata
def test_a_wrong_identifier_is_found(mesh_names: Any, tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("MESH:D014867\tethanol\nMESH:D999999\tx\nMESH:D000431\tethanol\twater\n", "utf-8")
    faults = "\n".join(starter_names.faults(Lexicon.open(tmp_path / "x.tsv"), mesh_names))
    assert "'ethanol' is preferred for MESH:D014867" in faults
    assert "MESH:D999999 (x) is not in MESH" in faults.replace("MeSH", "MESH")
    assert "'water' stands for MESH:D000431 here, for MESH:D014867 in MeSH" in faults


@pytest.mark.realdata
@FILES
def test_every_identifier_is_alive_in_the_year_that_the_file_claims(path: Path, shared_data: Path) -> None:
    (year,) = set(re.findall(r"as of (\d{4})", path.read_text("utf-8")))
    alive = json.loads(gzip.decompress((shared_data / "mesh" / f"parents_{year}.json.gz").read_bytes()))
    identifiers = {part for line in lines(path) for part in line[0].split(",")}
    assert sorted(identifiers - alive.keys()) == []


@pytest.mark.realdata
def test_every_identifier_of_the_starter_layer_is_alive_in_the_year_of_the_default_lexicon(shared_data: Path) -> None:
    """Those of `common_names.tsv` add no names there, and `Lexicon.open("starter")` has the year of the file."""
    folder = shared_data / "mesh"
    rows = gzip.decompress((folder / "descriptor_terms_2024.tsv.gz").read_bytes()).decode().splitlines()
    records = gzip.decompress((folder / "supp2024-derived.xml.gz").read_bytes()).decode()
    alive = {row.split("\t", 1)[0] for row in rows} | set(re.findall("<SupplementalRecordUI>(C[0-9]+)<", records))
    identifiers = {part.removeprefix("MESH:") for line in lines(STARTER_NAMES) for part in line[0].split(",")}
    assert sorted(identifiers - alive) == []
