"""Examples and help texts name options by their fields; the command line and Python spell them."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from typing import Any

import click
import pytest
from command_tree import commands

from corpora.commands.command import Call, Command, bound
from corpora.commands.options import check, filled, options_of
from nlmchem.cli.app import program
from nlmchem.cli.parameters import given_values, with_flags
from nlmchem.commands.functions import as_function, call
from nlmchem.commands.registry import COMMANDS

NAMED = [name for name in COMMANDS.names() if isinstance(COMMANDS.get(name), Command)]


def parsed(line: str) -> tuple[str, dict[str, Any]]:
    """The words of the command and its parameters, as the command line reads the line. Nothing is run."""
    root = program()
    context = click.Context(root)
    _, name, *rest = shlex.split(line.partition(" > ")[0])
    command: Any = root.get_command(context, name)
    if isinstance(command, click.Group):
        member = rest.pop(0) if rest and rest[0] in command.list_commands(context) else command.default
        name, command = f"{name} {member}", command.get_command(context, member)
    return name, command.make_context(name, rest, parent=context).params


@pytest.mark.parametrize("name", NAMED)
def test_the_command_line_reads_the_example_of_a_command_as_python_does(name: str) -> None:
    command: Any = COMMANDS.get(name)
    shown = commands()[name].epilog.removeprefix("Example: ")
    read, texts = parsed(shown)
    assert read == name
    options = filled(command.options, given_values(command, texts))
    check(options)
    if isinstance(command.example, Call):
        assert options == bound(command, command.example.values)
        assert [form for form in command.forms if texts[f"form_{form}"]] == [
            form for form in [command.example.form] if form
        ]


@pytest.mark.parametrize("name", NAMED)
def test_python_can_call_the_example_of_a_command(name: str) -> None:
    command: Any = COMMANDS.get(name)
    if not isinstance(command.example, Call):
        return
    made = ast.parse(call(command), mode="eval").body
    assert isinstance(made, ast.Call)
    assert ast.unparse(made.func) == f"nlmchem.commands.{command.function_name}"
    places = [ast.literal_eval(argument) for argument in made.args]
    names = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in made.keywords}
    given = inspect.signature(as_function(command)).bind(*places, **names).arguments
    assert bound(command, given) == bound(command, command.example.values)


@pytest.mark.parametrize("name", NAMED)
def test_help_texts_name_options_by_their_fields(name: str) -> None:
    """So that the command line can spell them as flags, and Python as arguments."""
    command: Any = COMMANDS.get(name)
    texts = [command.help, *(option.help for option in options_of(command.options))]
    assert [flag for text in texts for flag in re.findall(r"(?<!\S)\(?`?(--[a-z][a-z-]+)", text)] == []


def test_a_help_text_has_flags_and_arguments_on_the_command_line() -> None:
    options = options_of(COMMANDS.get("evaluate spans").options)  # type: ignore[union-attr]
    assert with_flags("`report` of `runs`, `samples`, `other`", options) == "--report of PRED, --samples, `other`"
