"""From the example of a command, and from its help texts, to what a user of the command line types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from corpora.commands.command import Command
from corpora.commands.options import Option, options_of

_NAMED = re.compile(r"`([a-z_]+)`")


def command_line(command: Command[Any]) -> str:
    """The example of a command as a line for the shell."""
    example = command.example
    if isinstance(example, str):
        return example
    options = {option.name: option for option in options_of(command.options)}
    parts = ["nlmchem", command.name]
    for name, value in example.values.items():
        parts += _argument(options[name], value)
    parts += [f"--{example.form}"] if example.form else []
    parts += [">", example.into] if example.into else []
    return " ".join(parts)


def with_flags(text: str, options: Iterable[Option]) -> str:
    """A help text in which options are named as on the command line: `--gold`, and OUT for an argument.

    Texts of options and commands name other options by their field: "with `gold` the best threshold is chosen".
    """
    spelled = {option.name: _spelled(option) for option in options}
    return _NAMED.sub(lambda match: spelled.get(match[1], match[0]), text)


def _spelled(option: Option) -> str:
    return (option.metavar or option.name.upper()).strip("[]") if option.positional else option.flag


def _argument(option: Option, value: Any) -> Iterator[str]:
    if option.positional:
        yield from map(_quoted, value if isinstance(value, list | tuple) else [value])
        return
    flag = f"-{option.short}" if option.short else option.flag
    if isinstance(value, bool):
        yield flag if value else f"--no-{option.flag.removeprefix('--')}"
    elif option.repeat and isinstance(value, list | tuple):
        for item in value:
            yield from (flag, _quoted(item))
    else:
        yield from (flag, _quoted(",".join(map(str, value)) if isinstance(value, list | tuple) else value))


def _quoted(value: Any) -> str:
    """A value for the shell. Patterns of file names are not quoted, so that the shell expands them."""
    text = str(value)
    return f"'{text}'" if " " in text else text
