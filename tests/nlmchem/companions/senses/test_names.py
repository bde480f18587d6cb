"""Names of concepts as senses: keys, search in texts, the file, and what a resolver makes of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from small_world import CELLS, articles, using

from corpora.errors import ResourceError
from nlmchem.abbreviations import define
from nlmchem.abbreviations.inventory import Inventory, InventorySense
from nlmchem.companions.senses.building import BuildingOptions, Built, build, read_records
from nlmchem.companions.senses.making import make_folder
from nlmchem.companions.senses.names import (
    FEWEST_LETTERS,
    NameFinder,
    NamesByForm,
    by_key,
    keys_of,
    name_lines,
    read_names,
    spelt,
    write_names,
)
from sieves.lexicon.lexicon import Lexicon

ROWS = [
    ("mri", InventorySense("Magnetic Resonance Imaging", 0, None, 4, 1, 9, "MESH:D008279")),
    ("ql", InventorySense("Quality of Life", 0, None, 5, 2, 3, "MESH:D011788")),
    ("qol", InventorySense("Quality of Life", 0, None, 6, 1, 3, "MESH:D011788")),
]
FINDER = NameFinder(
    [
        ("Reticulum, Endoplasmic", "MESH:D004721"),
        ("Emergency Room", "MESH:D004636"),
        ("error ratios", "MESH:D000001"),
        ("estrogen receptor", "MESH:D011960"),
        ("external rough layer", "MESH:D000002"),
        ("every rare ligand", "MESH:C000003"),
    ]
)
OPTIONS = BuildingOptions(words=500, terms=20, width=8)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("magnetic resonance imaging", {"mri": 1}),
        ("quality of life", {"qol": 1, "ql": 2}),
        ("TNF-α", {"ta": 1}),
        ("cytochrome P450 3A4", {"cp3": 1}),
        ("2 hours", {"2h": 1}),
        ("insulin", {}),
    ],
)
def test_the_keys_of_a_name_are_its_initials(name: str, keys: dict[str, int]) -> None:
    assert keys_of(spelt(name)) == keys


@pytest.mark.parametrize("text", ["the ENDOPLASMIC reticulums", "endoplasmic-reticulum", "Endoplasmic\nreticulum"])
def test_inverted_names_are_found_straight_in_any_case_and_number(text: str) -> None:
    assert FINDER.find([text]) == {"endoplasmic reticulum"}


def test_a_name_does_not_cross_texts() -> None:
    assert FINDER.find(["an emergency", "room"]) == set()


def test_names_that_stand_nowhere_need_letters_and_a_descriptor() -> None:
    found = by_key(FINDER, {"error ratio": [1, 2], "emergency room": [3]})
    assert found["er"] == [("error ratio", 1), ("emergency room", 1)]
    assert found["erl"] == [("external rough layer", 1)]
    assert len("erl") == FEWEST_LETTERS


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_names(tmp_path / "n.tsv.gz", ROWS)
    read = read_names(tmp_path / "n.tsv.gz", 4)
    assert list(read.of("MRI")) == list(read.of("MRIs")) == [ROWS[0][1]]
    assert list(read.of("Q-o-L")) == [ROWS[2][1]]
    assert list(read.of("XY")) == []


def test_the_same_names_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_names(tmp_path / name, ROWS)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"torn", gzip.compress(b"another\n"), gzip.compress(b"# nlmchem names 1\nkey\nmri")],
    ids=["no gzip", "another file", "cut off"],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "n").write_bytes(content)
    with pytest.raises(ResourceError) as raised:
        read_names(tmp_path / "n", 0)
    assert str(tmp_path / "n") in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_line_without_a_count_is_one_sentence() -> None:
    with pytest.raises(ResourceError, match="line 3, is no name with grade and count"):
        list(NamesByForm(["mri\tMagnetic Resonance Imaging\t1\tmany\tMESH:D008279"]).of("MRI"))


@pytest.fixture(scope="module")
def built() -> Built:
    used = [using(CELLS, 500 + number, "An error ratio was seen.") for number in range(3)]
    records = read_records([*articles(), *used], lambda document: define(document).definitions, FINDER)
    return build(records, OPTIONS)


def test_names_are_senses_beside_those_that_articles_define(built: Built) -> None:
    names = NamesByForm(name_lines(built.names), len(built.rows))
    senses = Inventory.of(built.rows).with_names(names.of).senses("ER")
    assert [(one.long_form, one.identifier, one.grade) for one in senses] == [
        ("endoplasmic reticulum", "MESH:D004721", 1),
        ("estrogen receptor", "MESH:D011960", 1),
        ("error ratios", "MESH:D000001", 1),
    ]
    assert [one.articles for one in senses[1:]] == [34, 0]
    assert [one.containing for one in senses[1:]] == [34, 3]


def test_the_index_has_the_articles_that_contain_a_name(built: Built) -> None:
    starts, found = built.arrays["starts"], built.arrays["articles"]
    [row] = [name.row for key, name in built.names if key == "er"]
    assert found[starts[row] : starts[row + 1]].tolist() == [80, 81, 82]
    assert len(starts) == len(built.rows) + len(built.names) + 1


def test_a_lexicon_without_such_names_is_reported(tmp_path: Path) -> None:
    told: list[str] = []
    records = read_records(articles(), lambda document: define(document).definitions)
    with Lexicon.open("starter") as lexicon:
        made = make_folder(records, tmp_path, told.append, options=OPTIONS, lexicon=lexicon)
    assert made.names == 0
    assert any("the lexicon has no name that the articles contain" in one and "\n" not in one for one in told)
