"""From the registry of commands to a command line."""

from __future__ import annotations

import json
import logging
import os
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from corpora import plugins
from corpora.commands.command import HEADINGS, OTHER, Call, Command, Progress, Result, execute, record
from corpora.commands.options import argument, check, check_value, filled, from_python, options_of
from corpora.errors import DAMAGE, ConfigurationError, NlmchemError, OptionError, damage
from corpora.storage.inputs import endless
from nlmchem.cli.exit_codes import EXIT_CODES
from nlmchem.cli.parameters import CONFIG, QUIET, command_line, files, flags_of, given_values, parameters, with_flags
from nlmchem.cli.remedies import click_explained, close, command_for, too_many
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
        made = Group(name, group.help, group.ordered(groups[name]), group.default, load=member, epilog=epilog)
        made.heading = group.heading
        return made

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
        # What is noticed without a `Progress` is reported to the logger.
        logger = logging.getLogger("nlmchem")
        level = logger.level
        try:
            if texts.get(QUIET):
                logger.setLevel(logging.ERROR)
            run_with(texts)
        except NlmchemError as error:
            error.flags = flags_of(options_of(command.options))
            raise
        finally:
            logger.setLevel(level)

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
        epilog=f"Example: {command_line(command)}", context_settings={**CONTEXT, "allow_extra_args": True},
    )  # fmt: skip
    made.params = [*parameters(command, made.print_all)]
    made.heading = command.heading
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


ARGUMENTS, OPTIONS, COMMANDS = "Arguments", "Options", "Commands"
FLAGS_AS_WORDS = {"help": "--help", "version": "--version"}
"""Words in place of a command: `nlmchem help annotate`."""


class Group(click.Group):
    """A group of commands that are imported when they are used.

    What begins with none of their names is given to the command `default`, if there is one.
    """

    heading = ""

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
        super().__init__(name, help=help, epilog=epilog)
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
        if not args and not ctx.resilient_parsing:
            args = ["--help"]
        if self.default is not None and args and args[0] not in (*self._members, "-h", "--help"):
            # The argument of the default command may be a misspelt name of another one.
            word, path = args[0], ctx.command_path
            meant = close(word, self._members)
            if meant is not None and not os.path.lexists(word) and not ctx.resilient_parsing:
                raise ConfigurationError(
                    f"`{path}` has no command {word!r}, and there is no such file; did you mean `{path} {meant}`? "
                    f"As an argument: `{path} {self.default} {word}`"
                )
            args = [self.default, *args]
        if self.default is None and args and args[0] in FLAGS_AS_WORDS:
            args = [*args[1:], FLAGS_AS_WORDS[args[0]]]
        with click_explained(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self._members and not ctx.resilient_parsing:
            remedy = command_for(args[0], ctx.command_path, self._members, tree())
            raise ConfigurationError(f"`{ctx.command_path}` has no command {args[0]!r}; {remedy}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so; else, for the default command, files."""
        return super().shell_complete(ctx, incomplete) or (files(incomplete) if self.default is not None else [])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for name in self._members:
            try:
                member = self.get_command(ctx, name)
            except ConfigurationError as error:
                # A plugin. The help of the other commands may be what its user needs.
                sections[OTHER].append((name, str(error)))
                continue
            assert isinstance(member, Group | Leaf)
            summary = (member.help or "") if isinstance(member, Group) else (member.short_help or "")
            heading = COMMANDS if ctx.parent is not None else member.heading
            row = (name, f"{summary} (the default)" if name == self.default else summary)
            sections.setdefault(heading, []).append(row)
        write_sections(formatter, sections)


class Leaf(click.Command):
    """A command. Its help lists the options under their headings; `--help-all` also shows the advanced ones."""

    shows_all = False
    heading = ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with click_explained(ctx):
            rest = super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            raise ConfigurationError(too_many(ctx))
        return rest

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
        write_sections(formatter, panels)


def write_sections(formatter: click.HelpFormatter, sections: Mapping[str, list[tuple[str, str]]]) -> None:
    """Write the rows of a help text under their headings."""
    for heading, rows in sections.items():
        if rows:
            with formatter.section(heading):
                formatter.write_dl(rows)


# -- completion ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionOptions:
    """The options of `nlmchem completion`."""

    shell: str = argument("The shell: bash, zsh or fish.", choices=("bash", "zsh", "fish"))


def completion(options: CompletionOptions, progress: Progress) -> Result:
    """Print a script that makes a shell complete commands, options, choices and files."""
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(options.shell)
    assert kind is not None
    # That of the class for bash starts bash to look at its version.
    script = ShellComplete.source(kind(program(), {}, "nlmchem", "_NLMCHEM_COMPLETE"))
    return record({"shell": options.shell, "script": script}, script)


COMPLETION = Command(
    "completion", CompletionOptions, completion,
    Call({"shell": "bash"}, into="~/.local/share/bash-completion/completions/nlmchem"),
)  # fmt: skip


# -- configuration files ------------------------------------------------------------------------


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
            meant = close(key.replace("_", "-"), [name.replace("_", "-") for name in known])
            remedy = "remove it" if meant is None else f"did you mean {meant}?"
            raise ConfigurationError(f"{path} has the option {key!r}, which {command.name} does not have; {remedy}")
        try:
            values[option.name] = from_python(option, str(value) if option.parse is not None else value)
            check_value(option, values[option.name])
        except OptionError as error:
            raise ConfigurationError(f"{path}: {key} ", error.problem) from error
    return values
