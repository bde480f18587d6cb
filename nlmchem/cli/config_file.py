"""Configuration files: TOML with the options of a command in the table of its name, as `[annotate]`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from corpora.commands.command import Command
from corpora.commands.options import Option, check_value, from_python, options_of
from corpora.errors import DAMAGE, ConfigurationError, OptionError, damage
from corpora.storage.inputs import endless


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
