"""From the options of a command (`corpora.commands.options`) to parameters of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from corpora.commands.command import JSON, TSV, Command
from corpora.commands.options import Option, from_text, options_of
from nlmchem.run.step import COMMON, MODELS, RESOURCES, RUNS

_NAMED = re.compile(r"`([a-z_]+)`")


def command_line(command: Command[Any]) -> str:
    """The example of a command as a line for the shell."""
    example = command.example
    if isinstance(example, str):
        return example
    options = {option.name: option for option in options_of(command.options)}
    parts = ["nlmchem", command.name]
    for name, value in example.values.items():
        option, values = options[name], value if isinstance(value, list | tuple) else [value]
        flag = f"-{option.short}" if option.short else option.flag
        if option.positional:
            parts += map(_quoted, values)
        elif isinstance(value, bool):
            parts.append(flag if value else f"--no-{option.flag.removeprefix('--')}")
        else:
            for item in values if option.repeat else [",".join(map(str, values))]:
                parts += [flag, _quoted(item)]
    parts += [f"--{example.form}"] if example.form else []
    parts += [">", example.into] if example.into else []
    return " ".join(parts)


def _quoted(value: Any) -> str:
    """A value for the shell. Patterns of file names are not quoted, so that the shell expands them."""
    text = str(value)
    return f"'{text}'" if " " in text else text


def with_flags(text: str, options: Iterable[Option]) -> str:
    """A help text in which options are named as on the command line: `--gold`, and OUT for an argument.

    Texts of options and commands name other options by their field: "with `gold` the best threshold is chosen".
    """
    spelled = flags_of(options)
    return _NAMED.sub(lambda match: spelled.get(match[1], match[0]), text)


def flags_of(options: Iterable[Option]) -> dict[str, str]:
    """How the command line spells options, by name: flags, and the words in capitals for arguments."""
    return {
        option.name: (option.metavar or option.name.upper()).strip("[]").rstrip(".")
        if option.positional
        else option.flag
        for option in options
    }


FORM_HELP = {JSON: "Print the result as JSON, one object for each item.", TSV: "Print the result as a TSV table."}
CONFIG, QUIET = "config", "quiet"
_PANELS = {
    **dict.fromkeys(("text", "lexicon", "names", "tagger"), COMMON),
    **dict.fromkeys(("dense_threshold", "index_threshold"), MODELS),
    **dict.fromkeys(("as_of", "dense", "indexer"), RESOURCES),
    "licence": RUNS,
}
"""The headings of the options that rooms below `nlmchem/run/` state."""
_METAVARS = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


def parameters(command: Command[Any], show_all: Callable[[click.Context, Any, bool], None]) -> list[Flag | Positional]:
    """All parameters of a command. Values that are not given are None, so that other sources can fill them.

    `show_all`: the callback of `--help-all`.
    """
    options = options_of(command.options)
    made: list[Flag | Positional] = []
    for option in options:
        if option.positional:
            # What is missing is reported by `filled`, with the sentence that Python users get.
            metavar, nargs = option.metavar or option.name.upper(), -1 if option.is_list else 1
            text = _help(option, options)
            made.append(Positional([option.name], nargs=nargs, required=False, metavar=metavar, help=text))
            made[-1].choices = option.choices
    for option in options:
        if not option.positional:
            panel = option.panel or _PANELS.get(option.name)
            made.append(_flag(option, _help(option, options), panel if command.has_panels else None))
    if command.config is not None:
        text = f"TOML file with options in the table [{command.config}]; flags replace those in the file."
        made.append(Flag([f"--{CONFIG}"], help=text, metavar="FILE", panel=RUNS))
    made += [Flag([f"--{form}", f"form_{form}"], is_flag=True, help=FORM_HELP[form]) for form in command.forms]
    if all(option.name != QUIET for option in options):
        made.append(Flag([f"--{QUIET}", "-q"], is_flag=True, help="Print errors only."))
    if any(option.advanced for option in options):
        text = "Show all options and exit."
        made.append(Flag(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show_all, help=text))
    return made


def files(incomplete: str) -> list[CompletionItem]:
    """What makes a shell complete the names of files."""
    return [CompletionItem(incomplete, type="file")]


class Completed(click.Parameter):
    """A parameter that a shell completes: one of its choices, else a file."""

    choices: tuple[str, ...] = ()

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if not self.choices:
            return files(incomplete)
        # The names before the last comma of a list stay.
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in self.choices if name.startswith(last)]


class Flag(Completed, click.Option):
    """An option with the heading under which the help lists it, and whether only `--help-all` does."""

    def __init__(self, *given: Any, panel: str | None = None, advanced: bool = False, **more: Any) -> None:
        super().__init__(*given, **more)
        self.panel = panel
        self.advanced = advanced


class Positional(Completed, click.Argument):
    """An argument with a help text."""

    def __init__(self, *given: Any, help: str, **more: Any) -> None:
        super().__init__(*given, **more)
        self.help = help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The row of the help."""
        return self.make_metavar(ctx), self.help or ""


def _flag(option: Option, help: str, panel: str | None) -> Flag:
    facts: dict[str, Any] = {"help": help, "panel": panel, "advanced": option.advanced, "default": None}
    names = [*option.all_flags, option.name]
    if option.types == (bool,):
        if option.default is True:
            names[0] = f"{option.flag}/--no-{option.flag.removeprefix('--')}"
        return Flag(names, is_flag=True, **facts)
    kind = Path if option.by_content else option.types[0]
    metavar = option.metavar or "|".join(option.choices) or _METAVARS.get(kind, "TEXT")
    made = Flag(names, multiple=option.repeat, metavar=metavar, **facts)
    made.choices = option.choices
    return made


def _help(option: Option, options: Sequence[Option]) -> str:
    """The help text of an option with its default."""
    text = option.help + (" Can be repeated." if option.repeat else "")
    default = option.default
    if option.default_text is not None:
        text += f" [default: {option.default_text}]"
    elif option.required:
        text += "" if option.positional else " [required]"
    elif default is not None and default is not False and default not in ((), ""):
        shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
        text += f" [default: {'yes' if shown is True else shown}]"
    return with_flags(text, options)


def given_values(command: Command[Any], texts: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the options that the command line gives. Raises `OptionError` for a text that is no value."""
    known = {option.name: option for option in options_of(command.options)}
    return {
        name: value if isinstance(value, bool) else from_text(known[name], value)
        for name, value in texts.items()
        if name in known and value is not None and value != ()
    }
