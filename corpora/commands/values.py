"""Values of options as they are given: in Python, as text on the command line, or in a configuration file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpora.commands.options import Option
from corpora.errors import OptionError

_NUMBERS = {int: ("a whole number", "whole numbers"), float: ("a number", "numbers")}


def from_python(option: Option, value: Any) -> Any:
    """A value as the dataclass stores it: lists and text with commas become tuples, paths become what the field has."""
    if option.is_list:
        if isinstance(value, str | os.PathLike) and (option.repeat or option.positional):
            value = (value,)
        if isinstance(value, str):
            return from_text(option, value)
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            return tuple(_path(option.item_type, item) for item in value)
        return value
    if option.parse is not None and isinstance(value, str):
        return option.parse(value)
    return _path(option.types[0] if len(option.types) == 1 else None, value)


def _path(kind: Any, value: Any) -> Any:
    """A path as text or `Path`, as the field has it; other values unchanged."""
    if kind is Path and isinstance(value, str | os.PathLike):
        return Path(value)
    return os.fspath(value) if kind in (str, None) and isinstance(value, os.PathLike) else value


def from_text(option: Option, text: str | Sequence[str]) -> Any:
    """A value from the command line: one text, or several where the option can be repeated.

    Raises `OptionError` where a text is not a value of the type.
    """
    if option.parse is not None and isinstance(text, str):
        return option.parse(text)
    if not option.is_list:
        return _item(option, option.types[0], text)
    if not isinstance(text, str):
        return tuple(_item(option, option.item_type, part) for part in text)
    texts = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(_item(option, option.item_type, part, in_list=True) for part in texts)


def _item(option: Option, kind: Any, text: Any, in_list: bool = False) -> Any:
    if kind is bool and isinstance(text, str):
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise OptionError(option.name, f"must be true or false, not {text!r}")
    if kind not in _NUMBERS or not isinstance(text, str):
        return Path(text) if kind is Path else text
    try:
        return kind(text)
    except ValueError:
        wanted = f"{_NUMBERS[kind][1]} joined by commas" if in_list else _NUMBERS[kind][0]
        raise OptionError(option.name, f"must be {wanted}, not {text!r}") from None
