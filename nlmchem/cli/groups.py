"""How commands are listed, found and shown: groups with a default command, whole summaries, headings of options."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import click

from corpora.errors import ConfigurationError, command
from nlmchem.cli.foreign_flags import unknown_flags_explained
from nlmchem.run.step import PANELS

CLOSE = 0.8
"""How similar a mistyped command is to the command, from 0 to 1. No short name of the lexicon is as similar to one."""
ARGUMENTS, OPTIONS = "Arguments", "Options"
HELP = "help"
"""A word in place of a command, for `--help`: `nlmchem help annotate`."""


class Group(click.Group):
    """A group of commands that are imported when they are used.

    What begins with none of their names is given to the command `default`, if there is one.
    """

    def __init__(
        self,
        name: str,
        help: str,
        members: Sequence[str],
        default: str | None = None,
        *,
        load: Callable[[str], click.Command],
        epilog: str | None = None,
    ) -> None:
        super().__init__(name, help=help, no_args_is_help=True, epilog=epilog)
        self._members = tuple(members)
        self._load = load
        self.default = default

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._members)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._members:
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = self._load(cmd_name)
        return self.commands[cmd_name]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self.default is not None and args and args[0] not in (*self._members, "-h", "--help"):
            self._refuse_misspelt(ctx, args[0], self.default)
            args = [self.default, *args]
        if self.default is None and args and args[0] == HELP:
            args = [*args[1:], "--help"]
        with unknown_flags_explained(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from difflib import get_close_matches

        if args[0] not in self._members:
            similar = get_close_matches(args[0], self._members, 1)
            remedy = f"did you mean {similar[0]}?" if similar else f"`{ctx.command_path} --help` lists the commands"
            raise ConfigurationError(f"`{ctx.command_path}` has no command {args[0]!r}; {remedy}")
        return super().resolve_command(ctx, args)

    def _refuse_misspelt(self, ctx: click.Context, word: str, default: str) -> None:
        """End with a message where the argument of the default command looks like the name of another command."""
        from difflib import get_close_matches

        meant = get_close_matches(word, self._members, 1, CLOSE)
        if meant and not os.path.lexists(word):
            as_argument = command(str(ctx.info_name), default, word)
            ctx.fail(f"No such command or file {word!r}. Did you mean {meant[0]!r}? As an argument: {as_argument}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self._members:
            member = self.get_command(ctx, name)
            assert member is not None
            summary = (member.help or "") if isinstance(member, Group) else (member.short_help or "")
            rows.append((name, f"{summary} (the default)" if name == self.default else summary))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Leaf(click.Command):
    """A command. Its help lists the options under their headings; `--help-all` also shows the advanced ones."""

    shows_all = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with unknown_flags_explained(ctx):
            return super().parse_args(ctx, args)

    def print_all(self, context: click.Context, parameter: Any, wanted: bool) -> None:
        """Print the help with all options, and end."""
        if wanted:
            self.shows_all = True
            click.echo(self.get_help(context))
            context.exit()

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing: `format_options` lists the arguments too. Some versions of click list them by themselves."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        panels: dict[str, list[tuple[str, str]]] = {name: [] for name in (ARGUMENTS, *PANELS, OPTIONS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and (self.shows_all or not getattr(parameter, "advanced", False)):
                panel = getattr(parameter, "panel", None)
                heading = ARGUMENTS if parameter.param_type_name == "argument" else OPTIONS
                panels[panel or heading].append(record)
        for heading, records in panels.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
