"""Runs the commands of a documentation page, and compares or writes their output.

    python tests/support/documented_commands.py --write docs/tutorial.md ...

A block that begins with ```console holds commands (lines that begin with `$ `; a line that ends with a backslash
continues on the next one) and what each prints on standard output. A line `...` in an output stands for any lines;
other outputs are written as the commands print them, so after a new model the pages are written again. A page is
run from top to bottom in an empty folder in which `articles/` is a copy of `examples/`; a block that begins with
```python is run there, too, and its output is not compared.
"""

from __future__ import annotations

import argparse
import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One command, or one block of Python, and what the page prints below it."""

    command: str
    expected: str
    python: bool = False


def steps(page: str) -> Iterator[Step]:
    """The commands of a page, in order."""
    for kind, body in _BLOCK.findall(page):
        if kind == "python":
            yield Step(body, "", python=True)
            continue
        parts = _COMMAND.split(body)
        yield from (Step(*pair) for pair in zip(parts[1::2], parts[2::2], strict=True))


def prepared(folder: Path) -> Path:
    """A folder with the articles that pages use."""
    shutil.copytree(ROOT / "examples", folder / "articles")
    return folder


def output(step: Step, folder: Path, commands: Path = Path(sys.executable).parent) -> str:
    """What a step prints on standard output. Raises `AssertionError`, with its messages, where it fails.

    `commands`: the folder of the `nlmchem` and `python` that are called.
    """
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    command = ["python", "-c", step.command] if step.python else ["bash", "-ec", step.command]
    environment = {**os.environ, "PATH": path, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{step.command}\nended with {done.returncode}:\n{done.stderr}"
    return done.stdout


def same(step: Step, printed: str) -> bool:
    """Whether a page has what a command printed, `...` standing for anything."""
    return doctest.OutputChecker().check_output(step.expected, printed, doctest.ELLIPSIS)


def shortened(step: Step) -> bool:
    """Whether a page leaves out lines of an output."""
    return "..." in step.expected.splitlines()


def written(page: str, folder: Path) -> str:
    """The page with the outputs that its commands have now; outputs with a line `...` stay where they still fit."""

    def replaced(block: re.Match[str]) -> str:
        lines = ["```" + block[1]]
        for step in steps(block[0]):
            printed = output(step, folder)
            if step.python:
                return block[0]
            kept = step.expected if shortened(step) and same(step, printed) else printed
            lines.append(f"$ {step.command}\n{kept}".rstrip("\n"))
        return "\n".join([*lines, "```"])

    return _BLOCK.sub(replaced, page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, nargs="+", required=True, metavar="PAGE")
    for page in parser.parse_args().write:
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(written(page.read_text("utf-8"), prepared(Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
