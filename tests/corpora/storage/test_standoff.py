"""A text and its annotations in two files are one input."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from corpora.storage import inputs, members, standoff
from corpora.storage.inputs import InputFile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("Zinc")
    (tmp_path / "a.ann").write_text("T1\tChemical 0 4\tZinc\n")
    (tmp_path / "b.txt").write_text("alone")
    (tmp_path / "c.ann").write_text("alone")
    return tmp_path


def names(*sources: str) -> list[str]:
    return [Path(file.path).name for file in inputs.expand(sources)]


def test_both_files_are_found_as_one_input(folder: Path) -> None:
    assert names(str(folder)) == ["a.txt", "b.txt", "c.ann"]
    assert names(str(folder / "a.*")) == names(str(folder / "*.an?"))[:1] == ["a.txt"]
    assert names(str(folder / "a.ann")) == ["a.txt"]
    assert names(str(folder / "a.ann"), str(folder / "a.txt")) == ["a.txt"]


def test_both_files_are_read_as_one_stream(folder: Path) -> None:
    [(member, stream)] = members.members(InputFile(str(folder / "a.txt"), PurePosixPath("a.txt")))
    assert (member.name, member.fault) == (None, None)
    assert standoff.parted(stream.read()) == ("a", b"Zinc", b"T1\tChemical 0 4\tZinc\n")


def test_a_text_without_annotations_is_read_as_it_is(folder: Path) -> None:
    contents = [
        stream.read() for _, stream in members.members(InputFile(str(folder / "b.txt"), PurePosixPath("b.txt")))
    ]
    assert contents == [b"alone"]


@pytest.mark.parametrize("name", ["", "a b", "10.1000/x", "é%", "\n"])
def test_any_name_is_restored(name: str) -> None:
    assert standoff.parted(standoff.joined(name, b"text\n", b"T1")) == (name, b"text\n", b"T1")


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="not a text with its annotations"):
        standoff.parted(b"T1\tChemical 0 4\tZinc\n")


def test_files_of_bionlp_are_one_input(tmp_path: Path) -> None:
    for name, content in {
        "a.txt": "Zinc",
        "a.a1": "T1\tX 0 4\tZinc",
        "a.a2": "R1\tr a:T1 b:T1",
        "b.a1": "alone",
    }.items():
        (tmp_path / name).write_text(content)
    assert names(str(tmp_path)) == ["a.txt", "b.a1"]
    assert names(str(tmp_path / "a.a2")) == names(str(tmp_path / "a.a*"), str(tmp_path / "a.txt"))[:1] == ["a.txt"]
    [(_, stream)] = members.members(InputFile(str(tmp_path / "a.txt"), PurePosixPath("a.txt")))
    assert standoff.parted(stream.read()) == ("a", b"Zinc", b"T1\tX 0 4\tZinc\nR1\tr a:T1 b:T1")
    (tmp_path / "a.ann").write_text("T1\tY 0 4\tZinc")
    assert names(str(tmp_path)) == ["a.a1", "a.a2", "a.txt", "b.a1"], "they are not left out without a word"
