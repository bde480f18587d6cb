"""Completion in the shell: commands, options, choices and files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import call

BASH = """
eval "$(nlmchem completion bash)"
compopt() {{ echo "$@"; }}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_nlmchem_completion nlmchem
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("nlmchem anno", ["annotate"]),
        ("nlmchem lexicon mig", ["migrate"]),
        ("nlmchem annotate --skip-s", ["--skip-sections"]),
        ("nlmchem annotate a --format pubt", ["pubtator"]),
        ("nlmchem annotate a --steps tag,norm", ["tag,normalize"]),
        ("nlmchem annotate article", ["-o", "default"]),
        ("nlmchem evaluate gold", ["-o", "default"]),
    ],
)
def test_bash_completes(words: str, completed: list[str], tmp_path: Path) -> None:
    """A word that is no command, option or choice is left to the shell, which completes files."""
    program = tmp_path / "nlmchem"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m nlmchem "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    script = BASH.format(words=words)
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == completed, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = call("completion", shell, capsys=capsys)
    assert printed.returncode == 0
    assert f"_NLMCHEM_COMPLETE={shell}_complete" in printed.stdout


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("completion", "ksh", capsys=capsys).stderr.endswith("must be bash, zsh or fish, not 'ksh'\n")
