"""The command line in the process of the test, with the inline executor."""

from __future__ import annotations

import sys
from subprocess import CompletedProcess

import pytest
from inline_executor import InlineExecutor


def call(*arguments: object, capsys: pytest.CaptureFixture[str]) -> CompletedProcess[str]:
    """Run a command: its exit code and what it printed. Starts no process."""
    from nlmchem.batch import runner
    from nlmchem.cli import main

    words = ["nlmchem", *map(str, arguments)]
    code: object = 0
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "LocalExecutor", InlineExecutor)
        patch.setattr(sys, "argv", words)
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    printed = capsys.readouterr()
    return CompletedProcess(words, int(str(code)), printed.out, printed.err)
