"""The command line in the process of the test, with the inline executor."""

from __future__ import annotations

import sys
from subprocess import CompletedProcess

import pytest

from nlmchem.engine.executors import InlineExecutor


def exit_code(*arguments: object) -> int:
    """Run a command. Starts no process. Returns its exit code."""
    from nlmchem.cli import main
    from nlmchem.engine import runner

    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "LocalExecutor", InlineExecutor)
        patch.setattr(sys, "argv", ["nlmchem", *map(str, arguments)])
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    return int(str(code))


def call(*arguments: object, capsys: pytest.CaptureFixture[str]) -> CompletedProcess[str]:
    """Run a command: its exit code and what it printed."""
    capsys.readouterr()
    code = exit_code(*arguments)
    printed = capsys.readouterr()
    return CompletedProcess(list(map(str, arguments)), code, printed.out, printed.err)
