"""From the registry of commands to a command line."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext, suppress
from typing import Any

import click

from corpora import plugins
from corpora.commands.command import Command, execute
from corpora.commands.options import check, filled, options_of
from corpora.errors import ConfigurationError
from nlmchem.cli.config_file import read_config_file
from nlmchem.cli.examples import command_line, with_flags
from nlmchem.cli.exit_codes import EXIT_CODES
from nlmchem.cli.groups import Group, Leaf
from nlmchem.cli.parameters import CONFIG, QUIET, given_values, parameters
from nlmchem.commands.printing import TEXT, print_result
from nlmchem.commands.progress import Terminal, warn
from nlmchem.commands.registry import command_named, group_named, tree

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
