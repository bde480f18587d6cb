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


# -- folders ------------------------------------------------------------------------------------


def no_exchange(first: Path, second: Path) -> bool:
    return False


@pytest.fixture(params=["in one step", "in two steps"])
def steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Folders are exchanged, or, as on file systems that cannot do that, moved one after the other."""
    if request.param == "in two steps":
        monkeypatch.setattr(atomic, "_exchange", no_exchange)
    return str(request.param)


def write_folder(path: Path, content: str) -> None:
    with atomic.replacing_folder(path) as folder:
        (folder / "file").write_text(content)


def test_a_folder_is_replaced_and_nothing_is_left(steps: str, tmp_path: Path) -> None:
    for content in ("one", "two"):
        write_folder(tmp_path / "out", content)
        assert (tmp_path / "out" / "file").read_text() == content
        assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_folders_of_the_user_beside_an_output_stay(steps: str, tmp_path: Path) -> None:
    names = [".out.old", ".out.partial", ".out.0123abcd.partial", "out.partial"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("mine")
    for content in ("one", "two"):
        write_folder(tmp_path / "out", content)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "out"])
    assert all((tmp_path / name / "file").read_text() == "mine" for name in names)


def test_an_error_between_the_two_steps_leaves_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "_exchange", no_exchange)
    write_folder(tmp_path / "out", "old")
    rename, calls = Path.rename, []

    def failing(path: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:
            raise PermissionError(1, "Operation not permitted")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(PermissionError):
        write_folder(tmp_path / "out", "new")
    assert len(calls) == 3
    assert (tmp_path / "out" / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("moment", ["first rename", "second rename", "removal"])
def test_a_folder_survives_a_kill_at_any_step(moment: str, steps: str, tmp_path: Path) -> None:
    """The next command finds the old folder or the new one, and removes what is left."""
    write_folder(tmp_path / "out", "old")
    child = os.fork()
    if child == 0:
        rename, renamed = Path.rename, []

        def killed(path: Path, target: Path) -> Path:
            renamed.append(target)
            if len(renamed) == {"first rename": 1, "second rename": 2}.get(moment):
                os._exit(9)
            return rename(path, target)

        def exchange(first: Path, second: Path) -> bool:
            if moment == "first rename":
                os._exit(9)
            return exchanged(first, second)

        exchanged = atomic._exchange
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "rename", killed)
            patch.setattr(atomic, "_exchange", exchange if steps == "in one step" else no_exchange)
            patch.setattr(atomic.shutil, "rmtree", lambda *given, **more: os._exit(9))
            write_folder(tmp_path / "out", "new")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    atomic.recover(tmp_path / "out")
    assert (tmp_path / "out" / "file").read_text() in ("old", "new")
    assert not list(tmp_path.glob(".out.*.partial"))
    write_folder(tmp_path / "out", "next")
    assert (tmp_path / "out" / "file").read_text() == "next"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_temporary_folder_in_work_is_no_leftover(tmp_path: Path) -> None:
    with atomic.partial_folder_beside(tmp_path / "out") as partial:
        child = os.fork()
        if child == 0:
            atomic.recover(tmp_path / "out")
            os._exit(0 if partial.is_dir() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_two_folders_are_exchanged_in_one_step_where_the_system_can(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not atomic._exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot exchange folders")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    with pytest.raises(FileNotFoundError):
        atomic._exchange(tmp_path / "a", tmp_path / "none")
