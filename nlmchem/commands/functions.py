"""From the registry of commands to functions of Python, and to the stub that editors and type checkers read.

To write the stub again after a change of a command:

    python -c 'from nlmchem.commands.functions import stub; print(stub())' > nlmchem/commands/__init__.pyi
"""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, islice
from typing import Any, TextIO

from corpora.commands.command import JSON, TSV, Command, Logged, Result, ResultTable, bound, execute, function_name
from corpora.commands.options import Option, options_of
from corpora.reporting import Report, table_cell
from nlmchem.commands.registry import COMMANDS

Function = Callable[..., Result]


def names() -> tuple[str, ...]:
    """The names of the functions."""
    return tuple(function_name(name) for name in COMMANDS.names() if isinstance(COMMANDS.get(name), Command))


@cache
def function_named(name: str) -> Function:
    """The function of a command. Raises `AttributeError` for another name."""
    for command_name in COMMANDS.names():
        if function_name(command_name) == name:
            command = COMMANDS.get(command_name)
            if isinstance(command, Command):
                return as_function(command)
    raise AttributeError(f"nlmchem has no command {name!r}; the commands are {', '.join(names())}")


def as_function(command: Command[Any]) -> Function:
    """A command as a function: its arguments by place or by name, its options by name."""
    signature = _signature(command)

    def function(*places: Any, **given: Any) -> Result:
        values = signature.bind(*places, **given).arguments
        return execute(command, bound(command, values), Logged())

    function.__name__ = function.__qualname__ = command.function_name
    function.__module__ = "nlmchem.commands"
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = _documentation(command)
    return function


def _signature(command: Command[Any]) -> inspect.Signature:
    kinds = inspect.Parameter
    options = sorted(options_of(command.options), key=lambda option: not option.positional)
    return inspect.Signature(
        [
            kinds(
                option.name,
                kinds.POSITIONAL_OR_KEYWORD if option.positional else kinds.KEYWORD_ONLY,
                default=kinds.empty if option.required else option.default,
                annotation=annotation(option),
            )
            for option in options
        ],
        return_annotation="Result",
    )


def annotation(option: Option) -> str:
    """The type of an argument: any sequence for a tuple, and any path for text or a path."""
    if option.is_list:
        item = _type_name(option.item_type)
        return f"{item} | Sequence[{item}]" + (" | None" if option.optional else "")
    kinds = [_type_name(kind) for kind in option.types] + ["str"] * (option.parse is not None)
    return " | ".join(dict.fromkeys(kinds + ["None"] * option.optional))


def _type_name(kind: Any) -> str:
    name: str = kind.__name__
    return {"Path": "str | PathLike[str]", "str": "str | PathLike[str]"}.get(
        name, name if name in ("int", "float", "bool") else "object"
    )


def _documentation(command: Command[Any]) -> str:
    listed = "\n".join(_described(option) for option in options_of(command.options))
    return f"{command.help}\n\nArgs:\n{listed}\n\nExample:\n    {call(command)}\n"


def call(command: Command[Any]) -> str:
    """The example of a command as a call in Python; a line for the shell is shown as it is."""
    example = command.example
    if isinstance(example, str):
        return f"The command line: {example}"
    places = [option.name for option in options_of(command.options) if option.positional]
    # An argument behind one that is left out is given by its name.
    by_place = [name for name, given in zip(places, example.values, strict=False) if name == given]
    arguments = [json.dumps(example.values[name]) for name in by_place]
    arguments += [f"{name}={_literal(value)}" for name, value in example.values.items() if name not in by_place]
    return f"nlmchem.commands.{command.function_name}({', '.join(arguments)})"


def _literal(value: Any) -> str:
    return str(value) if isinstance(value, bool) else json.dumps(value)


def _described(option: Option) -> str:
    default = option.default_text or (
        ", ".join(map(str, option.default)) if isinstance(option.default, tuple) else option.default
    )
    shown = "" if option.required else f" Default: {default if default != '' else 'none'}."
    text = f"{option.name}: {option.help}{shown}"
    return textwrap.fill(text, 116, initial_indent=" " * 4, subsequent_indent=" " * 8, break_on_hyphens=False)


def stub() -> str:
    """The content of `nlmchem/commands/__init__.pyi`."""
    return "\n".join(_stub_lines())


def _stub_lines() -> Iterator[str]:
    yield "# Written by `nlmchem.commands.functions.stub`; a test compares it with the commands."
    yield "from collections.abc import Sequence"
    yield "from os import PathLike"
    yield ""
    yield "from corpora.commands.command import Result"
    yield ""
    for name in sorted(names()):
        if not inspect.signature(function_named(name)).parameters:
            yield f"def {name}() -> Result: ..."
            continue
        yield f"def {name}("
        keyword_only = False
        for parameter in inspect.signature(function_named(name)).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
                keyword_only = True
                yield "    *,"
            default = "" if parameter.default is parameter.empty else " = ..."
            yield f"    {parameter.name}: {parameter.annotation}{default},"
        yield ") -> Result: ..."


TEXT = "text"


def print_result(result: Result, form: str, stream: TextIO, note: Report, warn: Report) -> None:
    """Print the answer on `stream`; then its notes by `note`, and its problems by `warn`."""
    lines = _lines(result, form)
    # The work of the first row comes before its header, so that an error leaves standard output empty.
    for line in chain(list(islice(lines, 2)), lines):
        stream.write(f"{line}\n")
    # The order of both is kept where they appear on one terminal.
    stream.flush()
    for sentence in result.notes:
        note(sentence)
    for problem in result.problems:
        warn(problem)


def _lines(result: Result, form: str) -> Iterator[str]:
    if form == JSON:
        return (json.dumps(item, ensure_ascii=False) for item in result.records())
    if form == TSV or result.lines is None:
        return iter(()) if result.table is None else _tsv(result.table)
    return iter(result.lines)


def _tsv(table: ResultTable) -> Iterator[str]:
    yield "\t".join(table.columns)
    for row in table.rows:
        yield "\t".join(cell(value) for value in row)


def cell(value: Any) -> str:
    """A value as one cell of a TSV table: empty for None, lists joined by commas."""
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return "" if value is None else table_cell(str(value))
