"""Dictionaries of short forms: both formats, deterministic bytes, and files that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.errors import ResourceError
from nlmchem.abbreviations.inventory import (
    COLUMNS,
    HEADER,
    Inventory,
    InventorySense,
    dumps_inventory,
    read_inventory,
    write_inventory,
)

ROWS = [
    ("ER", InventorySense("endoplasmic reticulum", 31, (2001, 2020))),
    ("ER", InventorySense("estrogen receptor", 12)),
    ("β2AR", InventorySense("β2-adrenergic receptor", 1, None, -1, 2, 7, "MESH:D000001")),
]


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_inventory(tmp_path / "d.tsv.gz", ROWS)
    read = read_inventory(tmp_path / "d.tsv.gz")
    assert list(read) == ["ER", "β2AR"]
    assert [(one.long_form, one.articles, one.years) for one in read.senses("ER")] == [
        ("endoplasmic reticulum", 31, (2001, 2020)),
        ("estrogen receptor", 12, None),
    ]
    [named] = read.senses("β2AR")
    assert (named.grade, named.containing, named.identifier) == (2, 7, "MESH:D000001")
    assert read.senses("XY") == ()


def test_the_same_rows_give_the_same_bytes() -> None:
    assert dumps_inventory(ROWS) == dumps_inventory(list(ROWS))
    assert dumps_inventory(ROWS)[4:8] == b"\0\0\0\0", "no time in the header"


def test_the_json_of_gladis_is_read(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.json"
    path.write_text(json.dumps({"ER": [["estrogen receptor", 2], ["endoplasmic reticulum", 9]], "SVM": ["machine"]}))
    read = read_inventory(path)
    assert [one.long_form for one in read.senses("ER")] == ["endoplasmic reticulum", "estrogen receptor"]
    assert [one.row for one in read.senses("ER")] == [1, 0], "rows are positions in the file"
    assert read.senses("SVM")[0].articles == 1


def test_equal_counts_are_in_sort_order() -> None:
    read = Inventory.of([("A", InventorySense("b", 2)), ("A", InventorySense("a", 2))])
    assert [one.long_form for one in read.senses("A")] == ["a", "b"]


def table(*rows: str) -> str:
    return "\n".join([HEADER, "\t".join(COLUMNS), *rows]) + "\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (table("ER\testrogen receptor\t0\t\t\t0\t0\t"), "'ER' has the count '0'; counts are whole numbers from 1"),
        (table("ER\testrogen receptor\t-3\t\t\t0\t0\t"), "'ER' has the count '-3'"),
        ('{"ER": [["estrogen receptor", 0]]}', "'ER' has the count 0"),
        ('{"ER": [["estrogen receptor", 1.5]]}', "'ER' has the count 1.5"),
        (table("ER\testrogen receptor\t3"), "line 3: 3 columns instead of 8"),
        (table("ER\testrogen receptor\t3\t\t\t0\t0\t")[:-4], "ends inside a line"),
        ('{"ER": [["estrogen rec', "the JSON is broken"),
        ("short,long\n", "the first line is not"),
    ],
    ids=["zero", "negative", "zero in JSON", "no whole number", "columns", "torn line", "torn JSON", "another file"],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "dictionary"
    path.write_text(content)
    with pytest.raises(ResourceError) as raised:
        read_inventory(path)
    assert problem in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_torn_archive_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "d.tsv.gz").write_bytes(dumps_inventory(ROWS)[:-20])
    with pytest.raises(ResourceError, match=r"d\.tsv\.gz is damaged or incomplete .*get the file again"):
        read_inventory(tmp_path / "d.tsv.gz")


def test_no_dictionary_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"there is no dictionary of short forms at .*corpora dictionary"):
        read_inventory(tmp_path / "absent.json")
