"""The list of commands, which are imported when they are used."""

from __future__ import annotations

import pytest
import typer

from nlmchem.cli.app import ENTRIES, app


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_has_the_name_the_summary_and_the_example_of_its_command(name: str) -> None:
    command = typer.main.get_group(app).commands[name]
    assert command.name == name
    assert command.get_short_help_str(limit=1000) == ENTRIES[name].summary
    shown = command.commands.values() if hasattr(command, "commands") else [command]
    assert all(f"Example: nlmchem {name}" in one.epilog for one in shown)


def test_a_command_is_built_once() -> None:
    commands = typer.main.get_group(app).commands
    assert commands["view"] is commands["view"]
    assert commands.get("unknown") is None
    assert len(commands) == len(ENTRIES)
