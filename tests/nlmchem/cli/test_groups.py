"""The tree of commands, which are imported when they are used."""

from __future__ import annotations

import click
import pytest
from command_tree import commands

from corpora.commands.command import Command
from nlmchem.cli.app import program
from nlmchem.commands.registry import COMMANDS


@pytest.mark.parametrize("name", [name for name in COMMANDS.names() if isinstance(COMMANDS.get(name), Command)])
def test_a_command_has_its_name_a_help_and_an_example_of_itself(name: str) -> None:
    command = COMMANDS.get(name)
    assert isinstance(command, Command)
    assert command.name == name
    assert command.summary.endswith(".")
    assert " ".join(command.help.split())[:20] in " ".join((commands()[name].help or "").split())


def test_a_command_is_built_once() -> None:
    root = program()
    context = click.Context(root)
    assert root.get_command(context, "view") is root.get_command(context, "view")
    assert root.get_command(context, "unknown") is None
