"""From the registry of commands to a command line."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import click

from corpora import plugins
from corpora.commands.command import Command, execute
from corpora.commands.options import Option, check, check_value, filled, from_python, options_of
from corpora.errors import DAMAGE, ConfigurationError, OptionError, command, damage
from corpora.storage.inputs import endless
from nlmchem.cli.exit_codes import EXIT_CODES, unknown_flags_explained
from nlmchem.cli.parameters import CONFIG, QUIET, command_line, given_values, parameters, with_flags
from nlmchem.commands.functions import TEXT, print_result
from nlmchem.commands.progress import Terminal, warn
from nlmchem.commands.registry import command_named, group_named, tree
from nlmchem.run.step import PANELS

# \b: the lines of this paragraph are not joined.
_EPILOG = "Example: nlmchem annotate articles/ -o annotated/\n\n\b\nExit codes:\n" + "\n".join(
    f"  {code:3}  {meaning}" for code, meaning in EXIT_CODES.items()
)
_HELP = "Find chemicals in full-text articles, link them to MeSH, and index the articles. Reads and writes BioC."
_JSON = "nlmchem.json"
CONTEXT = {"help_option_names": ["-h", "--help"]}


def program() -> click.Group:
    """The command line with all commands. Each command is imported when it is used."""
    groups = tree()
    root = Group("nlmchem", _HELP, tuple(groups), load=lambda name: _entry(name, groups[name]), epilog=_EPILOG)
    root.context_settings = dict(CONTEXT)
    root.params = [
        click.Option(["--debug"], is_flag=True, expose_value=False, help="Show the traceback of an error."),
        # Eager options are read first.
        click.Option(["--json"], is_flag=True, is_eager=True, expose_value=False, callback=_note_json, hidden=True),
        click.Option(
            ["--version"], is_flag=True, expose_value=False, callback=_print_version,
            help="Show the version; with --json also those of the lexicon, of MeSH and of Python.",
        ),
    ]  # fmt: skip
    return root


def _entry(name: str, members: tuple[str, ...]) -> click.Command:
    if not members:
        return leaf(command_named(name))
    group = group_named(name)
    # A group with a default command has its example.
    epilog = None if group.default is None else leaf(command_named(f"{name} {group.default}")).epilog
    load = lambda word: leaf(command_named(f"{name} {word}"))  # noqa: E731
    return Group(name, group.help, group.ordered(members), group.default, load=load, epilog=epilog)


def leaf(command: Command[Any]) -> click.Command:
    """A command as click runs it."""

    def run(**texts: Any) -> None:
        form = _form(command, texts)
        config = texts.pop(CONFIG, None)
        values = {} if config is None else read_config_file(command, config)
        values |= given_values(command, texts)
        options = filled(command.options, values)
        check(options)
        progress = Terminal(quiet=bool(texts.get(QUIET)))
        try:
            result = execute(command, options, progress)
            # A message that nobody can receive does not end the work.
            # Results may be computed while they are printed.
            with plugins.named(), suppress(OSError) if result.is_message else nullcontext():
                print_result(result, form, sys.stderr if result.is_message else sys.stdout, progress, warn)
        except BrokenPipeError:
            # The reader of the output has closed it. click would end with 1.
            raise click.exceptions.Exit(0) from None
        raise click.exceptions.Exit(result.exit_code)

    help, summary = (with_flags(text, options_of(command.options)) for text in (command.help, command.summary))
    made = Leaf(
        command.name.rpartition(" ")[2], callback=run, help=help, short_help=summary,
        epilog=f"Example: {command_line(command)}", context_settings=dict(CONTEXT),
    )  # fmt: skip
    made.params = parameters(command, made.print_all)
    return made


def _form(command: Command[Any], texts: dict[str, Any]) -> str:
    """The form of the result. Raises `ConfigurationError` for two of them."""
    wanted = [form for form in command.forms if texts.pop(f"form_{form}", False)]
    if len(wanted) > 1:
        raise ConfigurationError(f"{' and '.join(f'--{form}' for form in wanted)} cannot be used together; choose one")
    return wanted[0] if wanted else TEXT


def _note_json(context: click.Context, parameter: Any, wanted: bool) -> None:
    context.meta[_JSON] = wanted


def _print_version(context: click.Context, parameter: Any, wanted: bool) -> None:
    if not wanted and not context.meta[_JSON]:
        return
    if not wanted:
        raise ConfigurationError("--json stands behind a command, or with --version")
    print(json.dumps(_versions()) if context.meta[_JSON] else nlmchem_version())
    context.exit()


def _versions() -> dict[str, str]:
    import platform

    from sieves.lexicon.shipped import read_card

    card = read_card()
    return {
        "nlmchem": nlmchem_version(), "mesh": card.year, "lexicon": card.version[:12],
        "python": platform.python_version(),
    }  # fmt: skip


def nlmchem_version() -> str:
    """The version of the package."""
    from nlmchem import __version__

    return __version__


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


def read_config_file(command: Command[Any], name: str) -> dict[str, Any]:
    """The values of the options in the file, by name.

    The keys are the names of the options: `min-score` or `min_score`. Raises `ConfigurationError` if the file is
    missing or damaged, has no table of the command, or has an unknown option or a wrong value.
    """
    path = Path(name)
    if (what := endless(path)) is not None:
        raise ConfigurationError(f"the configuration file {path} is {what}, which may never end; name a file")
    known = {option.name: option for option in options_of(command.options) if option.in_file and not option.positional}
    values = {}
    for key, value in _table(path, str(command.config)).items():
        option = known.get(key.replace("-", "_"))
        if option is None:
            raise ConfigurationError(f"{path} has the option {key!r}, which {command.name} does not have; remove it")
        values[option.name] = _value(option, key, value, path)
    return values


def _table(path: Path, name: str) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            table = tomllib.load(stream).get(name)
    except OSError as error:
        raise ConfigurationError(f"the configuration file {path} cannot be read: {error.strerror}") from error
    except DAMAGE as error:
        raise ConfigurationError(f"the configuration file {path} is not TOML: {damage(error)}") from error
    if not isinstance(table, dict):
        raise ConfigurationError(f"the configuration file {path} has no table [{name}]; put the options into it")
    return table


def _value(option: Option, key: str, value: Any, path: Path) -> Any:
    try:
        read = from_python(option, str(value) if option.parse is not None else value)
        check_value(option, read)
    except OptionError as error:
        raise ConfigurationError(f"{path}: {key} ", error.problem) from error
    return read
