"""Every command that a message recommends exists, with its options."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from nlmchem.cli.app import app

ROOT = Path(__file__).parents[3]
FILES = [
    path for name in ("corpora", "sieves", "indexing", "ensemble", "nlmchem") for path in (ROOT / name).rglob("*.py")
]
SPELLED = re.compile(r"`nlmchem ([^`]*)`")
UNKNOWN = "NAME"
"""Stands for a word that is known only when the message is made."""


def text_of(node: ast.expr) -> str:
    """The text of an argument, with `UNKNOWN` in the places of its values."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else UNKNOWN


def recommended() -> list[str]:
    """The commands in messages: arguments of `command`, and texts of the command line."""
    found: set[str] = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "command":
                found.add(" ".join(map(text_of, node.args)))
            elif isinstance(node, ast.Constant | ast.JoinedStr):
                found.update(SPELLED.findall(text_of(node)))
    return sorted(found)


def commands(words: list[str]) -> list[Any]:
    """The commands that the first words name. `a|b` names two, and a placeholder all commands of its group."""
    here: list[Any] = [typer.main.get_command(app)]
    for word in words:
        groups = [one for one in here if hasattr(one, "commands")]
        # Typer has its own copy of click, which is not the package `click`.
        if not groups or word.startswith("-"):
            break
        here = [group.commands[name] for group in groups for name in _names(word, group)]
    return [*here, *(one.commands[one.default] for one in here if getattr(one, "default", None) is not None)]


def _names(word: str, group: Any) -> list[str]:
    return list(group.commands) if word[0].isupper() else [name for name in word.split("|") if name in group.commands]


@pytest.mark.parametrize("line", recommended())
def test_a_recommended_command_exists(line: str) -> None:
    words = line.split()
    options = {word for word in words if word.startswith("-")} - {"-", "--help"}
    named = commands(words)
    assert named, "no such command"
    known = [{flag for parameter in one.params for flag in parameter.opts} for one in named]
    assert any(options <= flags for flags in known), "no command has all of these options"


def test_the_messages_are_found() -> None:
    lines = recommended()
    assert len(lines) > 15
    assert {"fetch NAME --empty", "fetch --list", "replay"} <= set(lines)
