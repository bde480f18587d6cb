"""From the registry of commands to functions of Python, and to the stub that editors and type checkers read.

To write the stub again after a change of a command:

    python -c 'from nlmchem.commands.functions import stub; print(stub())' > nlmchem/commands/__init__.pyi
"""

from __future__ import annotations

import inspect
import json
import logging
import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, TextIO

from corpora.commands.command import JSON, TSV, Command, Logged, Result, bound, execute, function_name
from corpora.commands.options import Option, options_of
from corpora.reporting import Report, log, table_cell
from nlmchem.commands.registry import COMMANDS

Function = Callable[..., Result]
_C1 = re.compile("[\x7f-\x9f]")
TEXT = "text"


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
    options = options_of(command.options)
    signature = signature_of(options, [option.name for option in options if option.positional], _annotation, "Result")

    def function(*places: Any, **given: Any) -> Result:
        values = signature.bind(*places, **given).arguments
        reported: list[str] = []

        def report(sentence: str) -> None:
            reported.append(sentence)
            log(sentence)

        result = execute(command, bound(command, values), Logged(report))
        for sentence in result.notes:
            logging.getLogger("nlmchem").info(sentence)
        result.notes[:0] = reported
        return result

    function.__name__ = function.__qualname__ = command.function_name
    function.__module__ = "nlmchem.commands"
    function.__signature__ = signature  # type: ignore[attr-defined]
    listed = "\n".join(described(option, 116, indent=4) for option in options)
    function.__doc__ = f"{command.help}\n\nArgs:\n{listed}\n\nExample:\n    {call(command)}\n"
    return function


def signature_of(
    options: Sequence[Option], by_place: Collection[str], annotation: Callable[[Option], str], returned: str
) -> inspect.Signature:
    """The signature of a function with these options. Those of `by_place` come first; the others are given by name."""
    kinds = inspect.Parameter
    parameters = [
        kinds(
            option.name,
            kinds.POSITIONAL_OR_KEYWORD if option.name in by_place else kinds.KEYWORD_ONLY,
            default=kinds.empty if option.required else option.default,
            annotation=annotation(option),
        )
        for option in sorted(options, key=lambda option: option.name not in by_place)
    ]
    return inspect.Signature(parameters, return_annotation=returned)


def _annotation(option: Option) -> str:
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


def described(option: Option, width: int, indent: int) -> str:
    """An option with its help text and its default, as a paragraph of a docstring."""
    default = option.default_text or (
        ", ".join(map(str, option.default)) if isinstance(option.default, tuple) else option.default
    )
    shown = "" if option.required else f" Default: {default if default != '' else 'none'}."
    text, begin = f"{option.name}: {option.help}{shown}", " " * indent
    return textwrap.fill(text, width, initial_indent=begin, subsequent_indent=begin + "    ", break_on_hyphens=False)


def call(command: Command[Any]) -> str:
    """The example of a command as a call in Python; a line for the shell is shown as it is."""
    example = command.example
    if isinstance(example, str):
        return f"The command line: {example}"
    places = [option.name for option in options_of(command.options) if option.positional]
    # An argument behind one that is left out is given by its name.
    by_place = [name for name, given in zip(places, example.values, strict=False) if name == given]
    arguments = [json.dumps(example.values[name]) for name in by_place]
    for name, value in example.values.items():
        if name not in by_place:
            arguments.append(f"{name}={value if isinstance(value, bool) else json.dumps(value)}")
    return f"nlmchem.commands.{command.function_name}({', '.join(arguments)})"


def stub() -> str:
    """The content of `nlmchem/commands/__init__.pyi`."""
    return "\n".join(
        [
            "# Written by `nlmchem.commands.functions.stub`; a test compares it with the commands.",
            "from collections.abc import Sequence",
            "from os import PathLike",
            "",
            "from corpora.commands.command import Result",
            "",
            *(line for name in sorted(names()) for line in stub_lines(name, inspect.signature(function_named(name)))),
        ]
    )


def stub_lines(name: str, signature: inspect.Signature) -> Iterator[str]:
    """A function in a stub."""
    returned = signature.return_annotation
    if not signature.parameters:
        yield f"def {name}() -> {returned}: ..."
        return
    yield f"def {name}("
    keyword_only = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            yield "    *,"
        default = "" if parameter.default is parameter.empty else " = ..."
        yield f"    {parameter.name}: {parameter.annotation}{default},"
    yield f") -> {returned}: ..."


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
        # JSON leaves U+009B, which is the beginning of a command for a terminal.
        lines = (json.dumps(item, ensure_ascii=False) for item in result.records())
        yield from (_C1.sub(lambda match: f"\\u{ord(match[0]):04x}", line) for line in lines)
    elif form != TSV and result.lines is not None:
        yield from result.lines
    elif result.table is not None:
        yield "\t".join(result.table.columns)
        for row in result.table.rows:
            yield "\t".join(map(_cell, row))


def _cell(value: Any) -> str:
    """A value as one cell of a TSV table: empty for None, lists joined by commas."""
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return "" if value is None else table_cell(str(value))
