"""Locks on outputs: one process at a time, and nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpora.errors import ConfigurationError, ResourceError
from corpora.reporting import log
from corpora.storage import cache, locks
from corpora.storage.locks import hold
from corpora.storage.owned_files import FileRecord

CODE = """
import sys
from pathlib import Path
from corpora.errors import ConfigurationError, ResourceError
from corpora.storage.locks import hold
from corpora.storage.owned_files import FileRecord
try:
    held = hold(Path(sys.argv[1]), sys.argv[2] == "shared")
except ConfigurationError as error:
    print(error, flush=True)
    sys.exit()
print("held" if held else "without", flush=True)
sys.stdin.read()
"""


@contextmanager
def other(path: Path, how: str = "alone") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Another process that takes the lock: what it says, and the process."""
    command = [sys.executable, "-c", CODE, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process
        process.kill()


def test_the_second_process_is_told_which_one_works_there(tmp_path: Path) -> None:
    with hold(tmp_path / "out"):
        with other(tmp_path / "out") as (told, _):
            assert told.startswith(f"another nlmchem command (process {os.getpid()} on ")
            assert told.endswith(f" works in {tmp_path / 'out'}; wait until it ends, or name another output")
        with other(tmp_path / "another") as (told, _):
            assert told == "held"
    assert [path.name for path in tmp_path.iterdir() if "another" not in path.name] == []
    with other(tmp_path / "out") as (told, _):
        assert told == "held"


def test_a_link_and_another_spelling_are_the_same_output(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to("out")
    with hold(tmp_path / "link" / ".." / "out"), other(tmp_path / "link") as (told, _):
        assert "another nlmchem command" in told


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    with other(tmp_path / "out") as (told, process):
        assert told == "held"
        with pytest.raises(ConfigurationError, match=f"process {process.pid} on "):
            hold(tmp_path / "out")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert [path.name for path in tmp_path.iterdir()] == [f".out{locks.SUFFIX}"]
    with hold(tmp_path / "out") as held:
        assert held
    assert not list(tmp_path.iterdir())


def test_shared_locks_exclude_only_those_that_are_not(tmp_path: Path) -> None:
    with hold(tmp_path / "out", shared=True):
        with other(tmp_path / "out", "shared") as (told, _):
            assert told == "held"
        with other(tmp_path / "out") as (told, _):
            assert "another nlmchem command" in told
    with other(tmp_path / "out") as (told, _):
        assert told == "held"


def test_a_process_takes_a_lock_several_times_and_releases_it_once(tmp_path: Path) -> None:
    first = hold(tmp_path / "out")
    (tmp_path / "out").mkdir()
    second, inside = hold(tmp_path / "out"), hold(tmp_path / "out" / "part")
    assert len(list(tmp_path.iterdir())) == 2
    first.close()
    inside.close()
    with other(tmp_path / "out") as (told, _):
        assert "another nlmchem command" in told
    second.close()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_of_the_user_with_the_name_of_a_lock_stays(tmp_path: Path) -> None:
    mine = tmp_path / f".out{locks.SUFFIX}"
    mine.write_text("mine")
    with pytest.raises(ConfigurationError, match="is not a lock of nlmchem; move it away"):
        hold(tmp_path / "out")
    assert mine.read_text() == "mine"


def test_a_folder_below_a_read_only_one_is_locked_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    opened = os.open

    def refusing(path: Path, flags: int, mode: int = 0o777) -> int:
        if Path(path).parent == tmp_path:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    with hold(tmp_path / "out") as held:
        assert held
        assert [path.name for path in (tmp_path / "out").iterdir()] == [locks.SUFFIX]
    assert not list((tmp_path / "out").iterdir())
    assert not hold(tmp_path / "file")


def test_what_needs_no_lock_has_none(tmp_path: Path) -> None:
    assert not hold(Path("/dev/null"))
    assert not hold(tmp_path / "none" / "out")


@pytest.mark.parametrize("name", [".lock", "outputs"])
def test_work_of_another_process_is_waited_for_with_a_sentence_and_an_end(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the cache folder, and for a list of outputs: a process that was stopped holds its locks."""
    monkeypatch.setattr(locks, "QUIET", 0.1)
    monkeypatch.setattr(locks, "WAIT", 0.4)

    def work() -> None:
        if name == "outputs":
            FileRecord(tmp_path / name).add({"1.xml": "0" * 64})
        else:
            with cache.locked(tmp_path, log):
                pass

    code = "import fcntl, sys; file = open(sys.argv[1], 'ab'); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True)"
    line = [sys.executable, "-c", f"{code}; sys.stdin.read()", str(tmp_path / name)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(ResourceError, match="for 0 s; end it, or try again later"):
            work()
        process.kill()
    assert [record.message.endswith("; waiting for it, 0 s at most") for record in caplog.records] == [True]
    work()
