"""Closed or full standard streams, pipes without a reader, signals at the start: documented codes, no lost work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from corpora.errors import ConfigurationError
from corpora.storage import cache

CONVERT = f"{sys.executable} -m nlmchem convert a.txt - --format tsv"
"""A command that writes to standard output, and a message to standard error."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("Zinc.")
    return tmp_path


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("redirection", "sentence"),
    [
        (">&-", "standard output cannot be used: it is closed; open it, or redirect it to a file"),
        (">/dev/full", "standard output cannot be used: the disk is full; free some space"),
    ],
)
def test_an_output_that_cannot_be_written_is_one_sentence(folder: Path, redirection: str, sentence: str) -> None:
    ended = run(f"{CONVERT} {redirection}", folder)
    assert ended.returncode == 1
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "0<&- 2>&-"])
def test_work_is_done_where_messages_cannot_be_written(folder: Path, redirection: str) -> None:
    ended = run(f"{CONVERT} {redirection}", folder)
    assert ended.returncode == 0
    assert ended.stdout.startswith("file\tdocument\t")


def test_workers_start_without_standard_streams(folder: Path) -> None:
    command = "annotate a.txt -o out --tagger lexicon --steps tag,normalize --workers 1"
    ended = run(f"{sys.executable} -m nlmchem {command} 0<&- 2>&-", folder)
    assert ended.returncode == 0
    assert (folder / "out" / "a.xml").is_file()
    assert ended.stdout.startswith("done 1 + failed 0")


def test_a_reader_that_has_gone_ends_a_command_without_a_message(folder: Path) -> None:
    ended = run(f"{CONVERT} | true; exit ${{PIPESTATUS[0]}}", folder)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "Traceback" not in ended.stderr
    assert "Broken" not in ended.stderr


def test_a_device_is_written_to_and_not_replaced(folder: Path) -> None:
    ended = run(f"{sys.executable} -m nlmchem convert a.txt /dev/stdout --format tsv | cat", folder)
    assert ended.stdout.startswith("file\tdocument\t")
    os.mkfifo(folder / "pipe")
    run(f"cat pipe > copy & {sys.executable} -m nlmchem convert a.txt pipe --format tsv; wait", folder)
    assert (folder / "pipe").is_fifo()
    assert (folder / "copy").read_text().startswith("file\tdocument\t")


def test_sigterm_at_the_start_is_reported(folder: Path) -> None:
    code = """
import nlmchem.cli, sys
print("ready", flush=True)
sys.argv[1:] = ["annotate", "a.txt", "-o", "out"]
nlmchem.cli.main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped; finished" in messages


def test_a_name_that_is_not_utf8_is_one_sentence(folder: Path) -> None:
    ended = run(f"{sys.executable} -m nlmchem annotate a.txt -o $'out\\xff'", folder)
    assert ended.returncode == 2
    assert "the name of the output, b'out\\xff', is not UTF-8; use another name" in ended.stderr


def test_a_deleted_current_folder_is_one_sentence(folder: Path) -> None:
    ended = run(f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m nlmchem doctor", folder)
    assert ended.returncode == 2
    assert ended.stderr == "nlmchem: the current folder has been deleted; change to another folder\n"


def test_a_cache_whose_name_is_not_utf8_is_one_sentence(folder: Path) -> None:
    ended = run(f"HOME=$'\\xff' NLMCHEM_HOME= XDG_CACHE_HOME= {sys.executable} -m nlmchem lexicon lookup zinc", folder)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "xff/.cache/nlmchem', is not UTF-8; set NLMCHEM_HOME to another folder" in ended.stderr
    assert "unexpected" not in ended.stderr
    ended = run(f"NLMCHEM_HOME=$'\\xff' {sys.executable} -m nlmchem fetch --cached", folder)
    assert ended.returncode == 2
    assert not list(folder.glob("*/.cache"))


def test_no_home_folder_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", "~nobody-has-this-name/cache")
    with pytest.raises(ConfigurationError, match="no home folder for the cache; set NLMCHEM_HOME to another folder"):
        cache.home()
