"""All commands of the command line by name, with the flags of each."""

from __future__ import annotations

from functools import cache
from typing import Any

from nlmchem.cli.app import program


@cache
def commands() -> dict[str, Any]:
    """The commands by their words: `evaluate spans`. All are imported."""
    root = program()
    context: Any = None
    named: dict[str, Any] = {}
    for first in root.list_commands(context):
        command = root.get_command(context, first)
        if not hasattr(command, "list_commands"):
            named[first] = command
            continue
        for second in command.list_commands(context):
            named[f"{first} {second}"] = command.get_command(context, second)
    return named


@cache
def default_of(group: str) -> str | None:
    """The command that may be left out in a group."""
    command: Any = program().get_command(None, group)  # type: ignore[arg-type]
    return getattr(command, "default", None)


def flags_of(name: str) -> frozenset[str]:
    """The flags of a command. Those of a group are the flags of all its commands, because one may be the default."""
    named = commands()
    members = [named[name]] if name in named else [each for key, each in named.items() if key.startswith(f"{name} ")]
    flags = {"--help", "-h", "--debug", "--version"} if not name else {"--help", "-h"}
    for command in members:
        for parameter in command.params:
            flags.update((*parameter.opts, *parameter.secondary_opts))
    return frozenset(flags)
