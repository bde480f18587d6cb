"""What is ours in a folder: the record of its files, and what a killed command leaves."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath

import pytest

from corpora.errors import ConfigurationError
from corpora.storage.owned_files import RECORD, FileRecord, FileState, OwnedFolder, check_replaceable, replacing_owned

FILE = PurePosixPath("sub/file.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with OwnedFolder(tmp_path / "out") as owned:
        owned.write_text(FILE, "text")
    return tmp_path / "out"


def state(folder: Path) -> FileState:
    with OwnedFolder(folder) as owned:
        return owned.state_of(FILE)


def test_the_standing_of_an_output(folder: Path) -> None:
    assert state(folder) is FileState.OURS
    (folder / FILE).write_text("corrected")
    assert state(folder) is FileState.CHANGED
    (folder / FILE).unlink()
    assert state(folder) is FileState.FREE
    (folder / FILE).symlink_to(folder / RECORD)
    assert state(folder) is FileState.FOREIGN
    (folder / FILE).unlink()
    (folder / FILE).mkdir()
    assert state(folder) is FileState.FREE
    (folder / FILE / "notes.txt").touch()
    assert state(folder) is FileState.FOREIGN


def test_a_file_that_we_wrote_at_any_time_is_ours(folder: Path) -> None:
    """A command that is killed between the record and the renaming leaves the earlier content."""
    with OwnedFolder(folder) as owned:
        owned.write_text(FILE, "second")
    (folder / FILE).write_text("text")
    assert state(folder) is FileState.OURS


def test_only_files_as_we_wrote_them_are_removed(folder: Path) -> None:
    (folder / FILE).write_text("corrected")
    with OwnedFolder(folder) as owned:
        assert owned.remove(FILE) is FileState.CHANGED
        (folder / FILE).write_text("text")
        assert owned.remove(FILE) is FileState.OURS
        assert owned.remove(FILE) is FileState.FREE


def test_several_files_are_written_or_none(folder: Path) -> None:
    (folder / FILE).write_text("corrected")
    with OwnedFolder(folder) as owned, pytest.raises(ConfigurationError, match="or was changed since"):
        owned.write_all({PurePosixPath("new.txt"): b"new", FILE: b"again"})
    assert not (folder / "new.txt").exists()


def test_a_folder_without_a_record_is_of_the_user_unless_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "out" / ".git").mkdir(parents=True)
    with OwnedFolder(tmp_path / "out") as owned:
        assert owned.is_new()
        owned.begin()
    (tmp_path / "out" / "notes.txt").touch()
    with OwnedFolder(tmp_path / "out") as owned:
        assert not owned.is_new()
    (tmp_path / "out" / RECORD).unlink()
    with pytest.raises(ConfigurationError, match=r"is not empty \(it has notes\.txt\); name a new folder"):
        OwnedFolder(tmp_path / "out")
    with OwnedFolder(tmp_path / "out", among_others=True) as owned:
        assert owned.is_foreign(PurePosixPath("notes.txt"))


def test_a_folder_is_not_replaced_where_a_file_was_added_during_the_work(tmp_path: Path) -> None:
    with replacing_owned(tmp_path / "out") as folder:
        (folder / "file").write_text("one")
    check_replaceable(tmp_path / "out")

    def add_during_the_work() -> None:
        with replacing_owned(tmp_path / "out") as folder:
            (folder / "file").write_text("two")
            (tmp_path / "out" / "notes.txt").write_text("mine")

    with pytest.raises(ConfigurationError, match="was changed or added and would be lost"):
        add_during_the_work()
    assert (tmp_path / "out" / "file").read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# -- the record ---------------------------------------------------------------------------------


def test_the_record_is_one_that_sha256sum_reads(folder: Path) -> None:
    digest = hashlib.sha256(b"text").hexdigest()
    assert (folder / RECORD).read_text() == f"{digest}  sub/file.txt\n"


def test_half_a_line_is_cut_off(tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_bytes(b"aa  one\nbb  tw")
    assert [FileRecord(record).has(name) for name in ("one", "tw", "two")] == [True, False, False]
    FileRecord(record).add({"three": "cc"})
    assert record.read_bytes() == b"aa  one\ncc  three\n"


def test_lines_of_another_process_are_found(tmp_path: Path) -> None:
    first, second = FileRecord(tmp_path / "record"), FileRecord(tmp_path / "record")
    assert not first.has("one")
    second.add({"one": "aa", "line\nbreak": "bb"})
    assert first.has("one", "aa")
    assert first.has("line\nbreak")
    assert not first.has("one", "bb")


def test_a_record_of_many_files_takes_little_memory(tmp_path: Path) -> None:
    import tracemalloc

    names = {f"folder/article-{number}.xml": f"{number:064}" for number in range(20_000)}
    FileRecord(tmp_path / "record").add(names)
    record = FileRecord(tmp_path / "record")
    tracemalloc.start()
    assert record.has("folder/article-7.xml", f"{7:064}")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 40 * len(names)


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_record_is_named_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    record = tmp_path / RECORD
    record.mkdir() if kind == "folder" else os.mkfifo(record)
    with pytest.raises(ConfigurationError, match=rf"{RECORD} is not a file of nlmchem; move it away"):
        OwnedFolder(tmp_path)


def test_a_record_with_other_names_is_copied_before_it_is_changed(tmp_path: Path) -> None:
    record = FileRecord(tmp_path / "record")
    record.add({"a": "0" * 64})
    os.link(tmp_path / "record", tmp_path / "snapshot")
    before = (tmp_path / "snapshot").read_bytes()
    record.add({"b": "1" * 64})
    assert (tmp_path / "snapshot").read_bytes() == before
    assert FileRecord(tmp_path / "record").has("b")
