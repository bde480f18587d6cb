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
from corpora.commands.options import check, check_value, filled, from_python, options_of
from corpora.errors import DAMAGE, ConfigurationError, NlmchemError, OptionError, command, damage
from corpora.storage.inputs import endless
from nlmchem.cli.exit_codes import EXIT_CODES, unknown_flags_explained
from nlmchem.cli.parameters import CONFIG, QUIET, command_line, flags_of, given_values, parameters, with_flags
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

    def load(name: str) -> click.Command:
        if not groups[name]:
            return leaf(command_named(name))
        group = group_named(name)
        # A group with a default command has its example.
        epilog = None if group.default is None else leaf(command_named(f"{name} {group.default}")).epilog
        member = lambda word: leaf(command_named(f"{name} {word}"))  # noqa: E731
        return Group(name, group.help, group.ordered(groups[name]), group.default, load=member, epilog=epilog)

    def note_json(context: click.Context, parameter: Any, wanted: bool) -> None:
        context.meta[_JSON] = wanted

    root = Group("nlmchem", _HELP, tuple(groups), load=load, epilog=_EPILOG)
    root.context_settings = dict(CONTEXT)
    root.params = [
        click.Option(["--debug"], is_flag=True, expose_value=False, help="Show the traceback of an error."),
        # Eager options are read first.
        click.Option(["--json"], is_flag=True, is_eager=True, expose_value=False, callback=note_json, hidden=True),
        click.Option(
            ["--version"], is_flag=True, expose_value=False, callback=_print_version,
            help="Show the version; with --json also those of the lexicon, of MeSH and of Python.",
        ),
    ]  # fmt: skip
    return root


def leaf(command: Command[Any]) -> click.Command:
    """A command as click runs it."""

    def run(**texts: Any) -> None:
        try:
            run_with(texts)
        except NlmchemError as error:
            error.flags = flags_of(options_of(command.options))
            raise

    def run_with(texts: dict[str, Any]) -> None:
        forms = [form for form in command.forms if texts.pop(f"form_{form}", False)]
        if len(forms) > 1:
            both = " and ".join(f"--{form}" for form in forms)
            raise ConfigurationError(f"{both} cannot be used together; choose one")
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
                stream = sys.stderr if result.is_message else sys.stdout
                print_result(result, forms[0] if forms else TEXT, stream, progress, warn)
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


def _print_version(context: click.Context, parameter: Any, wanted: bool) -> None:
    is_json = context.meta[_JSON]
    if not wanted and not is_json:
        return
    if not wanted:
        raise ConfigurationError("--json stands behind a command, or with --version")
    from nlmchem import __version__

    if is_json:
        import platform

        from sieves.lexicon.shipped import read_card

        card = read_card()
        versions = {"nlmchem": __version__, "mesh": card.year, "lexicon": card.version[:12]}
        print(json.dumps({**versions, "python": platform.python_version()}))
    else:
        print(__version__)
    context.exit()


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
            from difflib import get_close_matches

            # The argument of the default command may be a misspelt name of another one.
            word = args[0]
            meant = get_close_matches(word, self._members, 1, CLOSE)
            if meant and not os.path.lexists(word):
                as_argument = command(str(ctx.info_name), self.default, word)
                ctx.fail(f"No such command or file {word!r}. Did you mean {meant[0]!r}? As an argument: {as_argument}")
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self._members:
            try:
                member = self.get_command(ctx, name)
            except ConfigurationError as error:
                # A plugin. The help of the other commands may be what its user needs.
                rows.append((name, str(error)))
                continue
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
    table_name = str(command.config)
    try:
        with path.open("rb") as stream:
            table = tomllib.load(stream).get(table_name)
    except OSError as error:
        raise ConfigurationError(f"the configuration file {path} cannot be read: {error.strerror}") from error
    except DAMAGE as error:
        raise ConfigurationError(f"the configuration file {path} is not TOML: {damage(error)}") from error
    if not isinstance(table, dict):
        raise ConfigurationError(f"the configuration file {path} has no table [{table_name}]; put the options into it")
    known = {option.name: option for option in options_of(command.options) if option.in_file and not option.positional}
    values = {}
    for key, value in table.items():
        option = known.get(key.replace("-", "_"))
        if option is None:
            raise ConfigurationError(f"{path} has the option {key!r}, which {command.name} does not have; remove it")
        try:
            values[option.name] = from_python(option, str(value) if option.parse is not None else value)
            check_value(option, values[option.name])
        except OptionError as error:
            raise ConfigurationError(f"{path}: {key} ", error.problem) from error
    return values
