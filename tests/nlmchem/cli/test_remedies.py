"""Every command that a message recommends exists, with its options."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from command_tree import commands, default_of, flags_of

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


def named(words: list[str]) -> list[str]:
    """The commands that the first words name. `a|b` names two, and a placeholder all commands of its group."""
    names = [""]
    for word in words:
        if word.startswith("-"):
            break
        longer = [f"{name} {part}".strip() for name in names for part in _parts(word, name)]
        if not longer:
            break
        names = longer
    names = [name for name in names if name]
    return [*names, *(f"{name} {default_of(name)}" for name in names if name not in commands() and default_of(name))]


def _parts(word: str, group: str) -> list[str]:
    below = [name.removeprefix(group).split() for name in commands() if name.startswith(f"{group} " if group else "")]
    known = {rest[0] for rest in below if rest}
    return sorted(known) if word[0].isupper() else [part for part in word.split("|") if part in known]


@pytest.mark.parametrize("line", recommended())
def test_a_recommended_command_exists(line: str) -> None:
    words = line.split()
    options = {word for word in words if word.startswith("-")} - {"-", "--help"}
    names = named(words)
    assert names or options <= flags_of(""), "no such command"
    assert any(options <= flags_of(name) for name in names or [""]), "no command has all of these options"


def test_the_messages_are_found() -> None:
    lines = recommended()
    assert len(lines) > 15
    assert {"fetch --list", "replay"} <= set(lines)
