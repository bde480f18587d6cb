"""The command line in the process of the test, with the inline executor."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from subprocess import CompletedProcess

import click
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


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code, what it printed, and the error that it raised, before it became a sentence."""

    exit_code: int
    stdout: str
    stderr: str
    exception: BaseException | None = None

    @property
    def output(self) -> str:
        """All that was printed."""
        return self.stdout + self.stderr


def invoke(arguments: Sequence[object], input: str = "") -> Ran:
    """Run a command in this process with real executors. Errors are returned, not printed as sentences."""
    from nlmchem.cli.app import program

    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    raised: BaseException | None = None
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", io.StringIO(input))
        patch.setattr(sys, "argv", ["nlmchem", *map(str, arguments)])
        try:
            code = program().main(list(map(str, arguments)), prog_name="nlmchem", standalone_mode=False)
        except click.ClickException as error:
            error.show(file=err)
            code = error.exit_code
        except SystemExit as error:
            code = error.code
        except Exception as error:
            raised, code = error, getattr(error, "exit_code", 1)
    return Ran(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue(), raised)
