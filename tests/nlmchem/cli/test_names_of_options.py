"""Messages on the command line name an option by its flag, and an argument by its word, whatever its name in Python."""

from __future__ import annotations

import pytest

from corpora.commands.command import Command
from corpora.commands.options import options_of
from nlmchem.commands.registry import COMMANDS, command_named
from tests.support.command_line import call


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["search", ".", "zinc", "--in", "x"], "--in must be anywhere, mentions or index-terms"),
        (["search", ".", ""], "QUERY is empty"),
    ],
)
def test_a_wrong_value_is_named_as_the_user_has_written_it(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = call(*words, capsys=capsys)
    assert (ran.returncode, said in ran.stderr) == (2, True), ran.stderr


def flags_with_other_names() -> list[tuple[str, str, str]]:
    """Command, flag and name of each option whose flag is not its name, and that can have a wrong value."""
    return [
        (name, option.flag, option.name)
        for name in COMMANDS.names()
        if isinstance(COMMANDS.get(name), Command)
        for option in options_of(command_named(name).options)
        if not option.positional and option.flag != f"--{option.name.replace('_', '-')}"
        and (option.choices or option.types in ((int,), (float,)))
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "flag", "option"), flags_with_other_names())
def test_each_option_with_another_flag_is_named_by_its_flag(
    name: str, flag: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [option.name for option in options_of(command_named(name).options) if option.positional]
    ran = call(*name.split(), *arguments, flag, "no such value", capsys=capsys)
    assert ran.returncode == 2
    assert flag in ran.stderr
    assert f"--{option.replace('_', '-')} " not in ran.stderr
