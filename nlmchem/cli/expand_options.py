"""From a dataclass of options (`corpora.commands.options`) to options of a command."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from corpora.commands.options import Option, check, from_text, options_of, to_text


def expand_options(function: Callable[..., None]) -> Callable[..., None]:
    """A command with one option for each field of its dataclass parameters, in place of these parameters.

    The command receives the options objects, filled and checked. Raises `OptionError` for a wrong value.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            parameters += map(_parameter, options_of(groups[name]))
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(function)
    def command(**values: Any) -> None:
        for name, kind in groups.items():
            fields = {one.name: from_text(one, values.pop(one.name)) for one in options_of(kind)}
            values[name] = kind(**fields)
            check(values[name])
        function(**values)

    # Typer reads the parameters from both of these.
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def writes_file(function: Callable[..., None]) -> Callable[..., None]:
    """A command that writes the file OUT, with the option `--overwrite`.

    OUT, the parameter `out` or `target`, must be new, empty, or written by nlmchem (`corpora.storage.owned_files`). A
    folder is checked by the command. Write this decorator before `expand_options`.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters = [
        one.replace(annotation=hints.get(one.name, one.annotation), kind=inspect.Parameter.KEYWORD_ONLY)
        for one in inspect.signature(function).parameters.values()
    ]
    shown = typer.Option(
        "--overwrite", help="Replace a file OUT that nlmchem did not write, or that was changed since."
    )
    parameters.append(
        inspect.Parameter("overwrite", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, shown])
    )

    @wraps(function)
    def command(*, overwrite: bool, **values: Any) -> None:
        out = values.get("out") or values.get("target")
        # `annotate` writes a folder where the name has no suffix.
        is_folder = out is not None and (Path(out).is_dir() or ("shard" in values and not Path(out).suffix))
        if out is not None and os.fspath(out) != "-" and not is_folder:
            from corpora.storage.owned_files import check as check_file

            check_file(Path(out), overwrite)
        function(**values)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _parameter(one: Option) -> inspect.Parameter:
    """The parameter from which Typer makes an option."""
    repeated = " Can be repeated." if one.repeat else ""
    default = f" [default: {one.default_text}]" if one.default_text is not None else ""
    shown = typer.Option(
        *(one.flags or (one.flag,)),
        help=one.help + repeated + default,
        metavar=one.metavar or "|".join(one.choices) or None,
        show_default=one.default_text is None,
        rich_help_panel=one.panel,
    )
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=to_text(one, one.default) if one.parse is None else one.default_text or str(one.default),
        annotation=Annotated[_type_on_command_line(one), shown],
    )


def _type_on_command_line(one: Option) -> Any:
    if one.repeat:
        return list[str] | None
    return str if one.is_list or one.parse is not None else one.type
