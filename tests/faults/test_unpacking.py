"""What can happen while the default lexicon is unpacked: other processes, kills, a full disk, a read-only home."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LOOK_UP = [
    sys.executable,
    "-c",
    "import sys; from nlmchem.cli import main; sys.argv[1:] = ['lexicon', 'lookup', 'Ethanol', '--json']; main()",
]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "NLMCHEM_HOME": str(home)}


def files(home: Path) -> list[str]:
    names = (path.name.partition("-")[0] for path in (home / "lexicon").iterdir())
    return sorted(name for name in names if name != ".checked")


def look_up(home: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        LOOK_UP, env=environment(home), capture_output=True, text=True, timeout=600, check=False, **options
    )


def test_several_processes_at_once_unpack_it_once(tmp_path: Path) -> None:
    started = [
        subprocess.Popen(LOOK_UP, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    ended = [process.communicate(timeout=600) for process in started]
    assert [process.returncode for process in started] == [0] * 3
    assert len({out for out, _ in ended}) == 1
    assert "".join(err for _, err in ended).count("unpacking the default lexicon") == 1
    assert files(tmp_path) == [".lock", "mesh", "record.json"]


def test_after_a_kill_the_next_command_unpacks_it(tmp_path: Path, wait_for: Any) -> None:
    process = subprocess.Popen(LOOK_UP, env=environment(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: [path for path in tmp_path.glob("lexicon/.mesh-*.tmp") if path.stat().st_size])
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert files(tmp_path) == [".lock", ".mesh", "record.json"]
    run = look_up(tmp_path)
    assert (run.returncode, '"MESH:D000431"' in run.stdout) == (0, True)
    assert files(tmp_path) == [".lock", "mesh", "record.json"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 20 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
def test_a_full_disk_gives_an_error_of_one_sentence_and_leaves_nothing(small_disk: Path) -> None:
    run = look_up(small_disk)
    assert run.returncode == 2, run.stderr
    report, error = run.stderr.splitlines()
    assert "unpacking the default lexicon" in report
    assert "no space left to unpack the default lexicon into" in error
    assert "set NLMCHEM_HOME to a folder with more" in error
    assert files(small_disk) == [".lock", "record.json"]


def test_in_a_read_only_home_a_temporary_folder_is_used(tmp_path: Path, obedient: dict[str, Any]) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir(mode=0o555)
    temporary.mkdir()
    env = {**os.environ, "HOME": str(home), "TMPDIR": str(temporary)}
    del env["NLMCHEM_HOME"]
    env.pop("XDG_CACHE_HOME", None)
    for lines in (2, 1):
        run = subprocess.run(LOOK_UP, env=env, capture_output=True, text=True, timeout=600, check=False, **obedient)
        assert (run.returncode, '"MESH:D000431"' in run.stdout) == (0, True), run.stderr
        assert "the cache folder cannot be written (Permission denied); using" in run.stderr
        assert run.stderr.count("\n") == lines


def test_a_file_that_was_damaged_later_is_unpacked_again(tmp_path: Path) -> None:
    look_up(tmp_path)
    (lexicon,) = (tmp_path / "lexicon").glob("mesh-*.sqlite")
    whole = lexicon.read_bytes()
    with lexicon.open("r+b") as stream:
        stream.seek(20 << 20)
        stream.write(bytes(1 << 20))
    run = look_up(tmp_path)
    assert "unpacking the default lexicon" in run.stderr
    assert '"MESH:D000431"' in run.stdout
    assert lexicon.read_bytes() == whole


def test_a_damaged_record_of_the_cache_is_named_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "lexicon").mkdir()
    (tmp_path / "lexicon" / "record.json").write_text("[]")
    run = look_up(tmp_path)
    assert run.returncode == 2
    assert "record.json is not a valid record" in run.stderr
    assert f"remove the folder {tmp_path / 'lexicon'}" in run.stderr
