"""The command line in the process of the test."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from inline_executor import InlineExecutor

from nlmchem.batch import runner

Nlmchem = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Nlmchem:
    """Run a command: exit code, standard output, standard error."""
    from nlmchem.cli import main

    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)

    def ran(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nlmchem", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return ran
