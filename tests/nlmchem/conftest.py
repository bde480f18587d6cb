"""The command line in the process of the test."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from command_line import call

Nlmchem = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Nlmchem:
    """Run a command: exit code, standard output, standard error."""

    def ran(*arguments: object) -> tuple[int, str, str]:
        ended = call(*arguments, capsys=capsys)
        return ended.returncode, ended.stdout, ended.stderr

    return ran
