"""What is wrong with a damaged text or record is said in words, not in those of Python."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from corpora.errors import DAMAGE, damage, system_error
from corpora.storage.atomic import replacing
from corpora.storage.cache import Record
from nlmchem import cli
from nlmchem.cli.exit_codes import FAILED, USAGE, ending


def nested() -> object:
    return json.loads("[" * 200_000)


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (nested, "it is nested too deeply"),
        (lambda: json.loads("9" * 5000), "a number has too many digits"),
        (lambda: tomllib.loads("a = " + "9" * 5000), "a number has too many digits"),
        (lambda: int(json.loads("Infinity")), "a number is too large"),
        (lambda: int(json.loads("NaN")), "NaN is not a number"),
        (lambda: int("many"), "'many' is not a number"),
        (lambda: float("many"), "'many' is not a number"),
        (lambda: json.loads("{}")["id"], "'id' is missing"),
        (lambda: json.loads("[]")[0], "a list is too short"),
        (lambda: json.loads("[]")["id"], "a value has another type than expected"),
        (lambda: json.loads("[]").items(), "a value has another type than expected"),
        (lambda: Record(**json.loads('{"other": 1}')), "a value has another type than expected"),
        (lambda: json.loads(b'"\xff"'), "byte 1 is not UTF-8"),
        (lambda: json.loads("{1: 2}"), 'a key in "..." is missing, line 1, column 2'),
        (lambda: json.loads("[1\n 2]"), "a comma is missing, line 2, column 2"),
        (lambda: json.loads("{} {}"), "more text follows after the end, line 1, column 4"),
        (lambda: tomllib.loads("a"), "Expected '=' after a key in a key/value pair (at end of document)"),
        (lambda: json.loads("1")["a" * 500], "a value has another type than expected"),
    ],
)  # fmt: skip
def test_damage_in_words(read: Callable[[], object], words: str) -> None:
    with pytest.raises(DAMAGE) as caught:
        read()
    assert damage(caught.value) == words


# -- Each error of the operating system has a cause and a remedy in words, and an exit code.


@pytest.mark.parametrize(
    ("number", "words", "code"),
    [
        (errno.ENOSPC, "the disk is full; free some space", FAILED),
        (errno.EDQUOT, "the disk quota is used up", FAILED),
        (errno.EMFILE, "too many files are open; raise the limit with `ulimit -n`", FAILED),
        (errno.EIO, "the disk could not be read or written", FAILED),
        (errno.ESTALE, "the network disk no longer has it", FAILED),
        (errno.ENAMETOOLONG, "the path is too long; use shorter names", USAGE),
        (errno.EACCES, "there is no permission; change its permissions", USAGE),
        (errno.EPERM, "the operation is not permitted", USAGE),
        (errno.EROFS, "the disk is read-only", USAGE),
        (errno.ENOENT, "it does not exist; check the path", USAGE),
    ],
)
def test_an_error_names_the_place_the_cause_and_the_remedy(number: int, words: str, code: int) -> None:
    error = OSError(number, os.strerror(number), "out/a.xml")
    ended = ending(error)
    assert ended.sentence.startswith("out/a.xml cannot be used: ")
    assert words in ended.sentence
    assert (ended.code, ended.expected) == (code, True)


def test_an_error_without_a_file_names_what_was_used() -> None:
    assert system_error(OSError(errno.ENOSPC, "No space left"), "standard output").startswith("standard output cannot")


def test_an_unknown_error_keeps_the_words_of_the_system() -> None:
    error = OSError(errno.ENOTTY, "Inappropriate ioctl", b"/dev/x\xff")
    assert system_error(error, "") == r"/dev/x\xff cannot be used: Inappropriate ioctl; check the path and its disk"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_an_error_of_writing_names_the_file(number: int, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=re.escape(str(tmp_path / "a"))), replacing(tmp_path / "a"):
        raise OSError(number, os.strerror(number))


def test_an_error_without_a_file_is_of_standard_output_if_that_fails_or_the_disk_is_full(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = OSError(errno.EIO, os.strerror(errno.EIO))
    cli._explain(error)
    assert capsys.readouterr().err.startswith("nlmchem: a file or a stream cannot be used: ")
    cli._explain(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert capsys.readouterr().err.startswith("nlmchem: standard output cannot be used: the disk is full")
    full = Path("/dev/full").open("w")
    full.write("text")
    monkeypatch.setattr(sys, "stdout", full)
    cli._explain(error)
    with suppress(OSError):
        full.close()
    assert capsys.readouterr().err.startswith("nlmchem: standard output cannot be used: ")


@pytest.mark.parametrize(
    ("temporary", "named"),
    [("a/.x.xml.0a1b2c3d.tmp", "a/x.xml"), (".x.0a1b2c3d.partial/b/1.json", "x/b/1.json"), ("a/.x.tmp", "a/.x.tmp")],
)
def test_the_output_is_named_and_not_the_temporary_file(temporary: str, named: str) -> None:
    assert system_error(OSError(errno.EACCES, "", temporary), "it").startswith(f"{named} cannot be used: ")
