"""Warnings of commands."""

from __future__ import annotations

import pytest

from corpora.errors import Argument, Text
from nlmchem.commands.progress import warn


def test_a_warning_is_printed_on_standard_error_alone_with_flags(capsys: pytest.CaptureFixture[str]) -> None:
    warn("a.xml: the file is empty")
    warn(Text("a.xml was left out (", Argument("leave_out"), ")"))
    assert capsys.readouterr() == (
        "",
        "nlmchem: a.xml: the file is empty\nnlmchem: a.xml was left out (--leave-out)\n",
    )


def test_control_characters_are_printed_as_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    warn("a\x1b[2Jb\x9b\u202ec\td\r")
    assert capsys.readouterr().err == "nlmchem: a\\x1b[2Jb\\x9b\\x202ec\td\\x0d\n"
