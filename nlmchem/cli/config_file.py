"""The configuration file of `nlmchem annotate`: a TOML file with options in the table `[annotate]`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from corpora.commands.options import RUNS, Option, check_value, from_python, options_of, to_text
from corpora.errors import DAMAGE, ConfigurationError, OptionError, damage
from nlmchem.engine.options import RunOptions
from nlmchem.run.plan import Configuration

TABLE = "annotate"


def read_config_file(path: Path) -> dict[str, Any]:
    """The options in the file by name, with values as the command line takes them.

    The keys are the names of the options: `min-score` or `min_score`. Raises `ConfigurationError` if the file is
    missing or damaged, has no table `[annotate]`, or has an unknown option or a wrong value.
    """
    known = {one.name: one for kind in (Configuration, RunOptions) for one in options_of(kind) if one.in_file}
    values = {}
    for key, value in _table(path).items():
        one = known.get(key.replace("-", "_"))
        if one is None:
            raise ConfigurationError(f"{path} has the option {key!r}, which annotate does not have; remove it")
        values[one.name] = _value(one, key, value, path)
    return values


def _table(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            table = tomllib.load(stream).get(TABLE)
    except OSError as error:
        raise ConfigurationError(f"the configuration file {path} cannot be read: {error.strerror}") from error
    except DAMAGE as error:
        raise ConfigurationError(f"the configuration file {path} is not TOML: {damage(error)}") from error
    if not isinstance(table, dict):
        raise ConfigurationError(f"the configuration file {path} has no table [{TABLE}]; put the options into it")
    return table


def _value(one: Option, key: str, value: Any, path: Path) -> Any:
    try:
        if one.parse is not None:
            one.parse(str(value))
            return str(value)
        if isinstance(value, list):
            value = ",".join(map(str, value))
        value = from_python(one, value)
        check_value(one, value)
    except OptionError as error:
        raise ConfigurationError(f"{path}: {key} ", error.problem) from error
    return to_text(one, value)


def _use(context: typer.Context, path: Path | None) -> Path | None:
    # Values in the default map replace the defaults of options; options on the command line replace both.
    if path is not None:
        context.default_map = read_config_file(path)
    return path


ConfigFileOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        callback=_use,
        is_eager=True,
        help=f"TOML file with options in the table [{TABLE}]; flags replace those in the file.",
        rich_help_panel=RUNS,
    ),
]
