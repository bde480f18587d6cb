"""Names of outputs, parts of a job array, and what makes an input another one."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ConfigurationError
from corpora.output_names import output_name
from corpora.storage.inputs import STDIN, InputFile
from corpora.storage.members import Member
from nlmchem.engine.registration import output_of, stamp
from nlmchem.run.options import Shard


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("a.xml", "a.xml"),
        ("sub/a.json", "sub/a.xml"),
        ("a.nxml", "a.xml"),
        ("PMC1.v2", "PMC1.v2.xml"),
        ("10.1000/a.b.json", "10.1000/a.b.xml"),
        ("noname", "noname.xml"),
        (".xml", ".xml.xml"),
        ("A.XML", "A.xml"),
    ],
)
def test_an_output_has_its_input_s_place_and_the_suffix_of_its_format(name: str, output: str) -> None:
    assert output_name(PurePosixPath(name), ".xml") == PurePosixPath(output)


def test_the_rest_of_a_broken_archive_has_a_name_that_no_output_has() -> None:
    rest = Member(
        InputFile("x/a.zip", PurePosixPath("a.zip")), None, PurePosixPath("a.zip"), "it is broken", is_rest=True
    )
    assert output_of(rest, ".xml") == PurePosixPath("a.zip.xml.rest")


@given(st.integers(1, 40), st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1))
def test_every_output_belongs_to_exactly_one_shard(number: int, name: str) -> None:
    holding = [i for i in range(1, number + 1) if Shard(i, number).holds(PurePosixPath(name))]
    assert len(holding) == 1


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "a/b", "1/3/5", "-1/3", "1.5/3"])
def test_wrong_shards_are_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="must be I/N"):
        Shard.parse(text)


def test_shards_are_parsed_and_printed() -> None:
    assert Shard.parse("3/16") == Shard(3, 16)
    assert str(Shard(3, 16)) == "3-of-16"


def test_the_stamp_of_a_file_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    file = InputFile(str(path), PurePosixPath("a.xml"))
    assert stamp(file) is None
    path.write_text("one")
    first = stamp(file)
    assert first == stamp(file)
    path.write_text("two")
    os.utime(path, ns=(path.stat().st_atime_ns, int(str(first).split(":")[1])))
    assert stamp(file) != first
    assert stamp(InputFile(STDIN, PurePosixPath("stdin"))) is None


def test_a_change_of_the_annotations_beside_a_text_changes_its_stamp(tmp_path: Path) -> None:
    for name in ("a.txt", "a.ann"):
        (tmp_path / name).write_text("")
    file = InputFile(str(tmp_path / "a.txt"), PurePosixPath("a.txt"))
    before = stamp(file)
    os.utime(tmp_path / "a.ann", ns=(0, 0))
    assert stamp(file) != before
