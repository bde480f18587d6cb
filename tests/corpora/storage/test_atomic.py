"""Atomic writing: files are complete or do not exist."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from corpora.storage import atomic


def test_the_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "a.xml"
    with atomic.replacing(target) as stream:
        stream.write(b"half")
        assert not target.exists()
        stream.write(b" and half")
    assert target.read_bytes() == b"half and half"
    assert [path.name for path in target.parent.iterdir()] == ["a.xml"]


def test_a_block_that_raises_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.xml"
    target.write_bytes(b"old")

    def broken() -> None:
        with atomic.replacing(target) as stream:
            stream.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        broken()
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.xml"]


def test_a_kill_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.xml"
    target.write_bytes(b"old")
    child = os.fork()
    if child == 0:
        with atomic.replacing(target) as stream:
            stream.write(b"new")
            os._exit(9)
    os.waitpid(child, 0)
    assert target.read_bytes() == b"old"


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic.write_bytes(tmp_path / "a.xml", b"text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.xml").stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["x" * 251 + ".xml", "蛋" * 83 + ".xml"], ids=["ascii", "three bytes a character"])
def test_long_file_names_can_be_written(tmp_path: Path, name: str) -> None:
    atomic.write_bytes(tmp_path / name, b"text")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    target = tmp_path / "a.xml"
    with atomic.replacing(target) as first:
        first.write(b"first")
        with atomic.replacing(target) as second:
            second.write(b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"


def test_leftovers_are_removed_and_files_in_work_stay(tmp_path: Path) -> None:
    left = tmp_path / ".a.xml.00000000.tmp"
    left.write_bytes(b"half")
    with atomic.replacing(tmp_path / "a.xml") as stream:
        stream.write(b"whole")
        # As another command does, which has the same output.
        atomic.remove_leftovers(tmp_path / "a.xml")
        assert not left.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a.xml"]
    assert (tmp_path / "a.xml").read_bytes() == b"whole"
