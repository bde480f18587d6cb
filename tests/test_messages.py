"""The library does not know the command line: its messages have options as data, and commands from `command`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
COMMAND_LINE = ROOT / "nlmchem" / "cli"
SPELLED = re.compile(r"(?<![\w-])--[a-z]|`nlmchem ")
MAY_SPELL = {"command", "option", "argument", "Command"}
"""Calls with texts of the command line: commands, their examples, and the help and the flags of an option."""


def spelled(code: str) -> list[str]:
    """The literals of a module with a flag or a command, apart from docstrings."""
    tree = ast.parse(code)
    exempt: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAY_SPELL
        ):
            # An expression that is a statement of its own is a docstring, or a call whose arguments count.
            exempt.update([node.value] if isinstance(node, ast.Expr) else ast.walk(node))
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in exempt]
    return [node.value for node in texts if isinstance(node.value, str) and SPELLED.search(node.value)]


def test_messages_do_not_spell_flags_or_commands() -> None:
    library = [path for path in FILES if COMMAND_LINE not in path.parents]
    found = {str(path.relative_to(ROOT)): spelled(path.read_text(encoding="utf-8")) for path in library}
    assert len(library) > 300
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_flags_and_commands_are_found() -> None:
    message, text, allowed = 'f"use --device {a}"', '"see `nlmchem fetch`"', 'command("fetch --list")'
    code = f'"""Reads `--lines`."""\nraise Error({message})\nx = {text}\ny = {allowed}'
    assert sorted(spelled(code)) == ["see `nlmchem fetch`", "use --device "]
