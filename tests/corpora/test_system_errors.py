"""Each error of the operating system has a cause and a remedy in words, and an exit code."""

from __future__ import annotations

import errno
import os

import pytest

from corpora.system_errors import explained
from nlmchem.cli.exit_codes import FAILED, USAGE, ending


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
    assert explained(OSError(errno.ENOSPC, "No space left"), "standard output").startswith("standard output cannot")


def test_an_unknown_error_keeps_the_words_of_the_system() -> None:
    error = OSError(errno.ENOTTY, "Inappropriate ioctl", b"/dev/x\xff")
    assert explained(error, "") == r"/dev/x\xff cannot be used: Inappropriate ioctl; check the path and its disk"
