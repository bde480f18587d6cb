"""Options of commands, each stated once: as a field of a dataclass, with its type, its default and its help text.

    @dataclass(frozen=True, slots=True)
    class VoteOptions:
        weights: tuple[str, ...] = option((), "Weights of the runs.", metavar="W,W,...")
        samples: int = option(10_000, "Bootstrap samples.", minimum=1)

`nlmchem.cli.expand_options` turns the fields into options of the command line. `check` raises `OptionError` for a
wrong value: the same rules hold in Python, on the command line and in a configuration file. `with_flags` spells the
options in a message as flags.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from corpora.errors import Argument, OptionError, Text, shortened

T = TypeVar("T")

PANELS = COMMON, MODELS, RESOURCES, RUNS = "Common options", "Models and sieves", "Resources", "Runs"
"""The headings of options in the help of `nlmchem annotate`."""

LARGEST = 1e15
"""Numbers of options are smaller: larger ones, infinity and NaN are mistakes."""

_METADATA = "option"
_DESCRIPTIONS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple: "a list, or text with commas",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option: what a dataclass field states about it.

    `type` is the type of the field. `parse` reads the text of the command line, where the type is not enough.
    `in_file` is False for options that a configuration file cannot set. `repeat`: the flag may be given several times.
    `harmless`: values besides the default that are correct where nothing uses the option. `by_content`: the value names
    a file or a model, which two runs compare by its content. `panel`: the heading in a help text that has headings.
    """

    name: str
    type: Any
    default: Any
    help: str
    metavar: str | None = None
    default_text: str | None = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    parse: Callable[[str], Any] | None = None
    flags: tuple[str, ...] = ()
    repeat: bool = False
    in_file: bool = True
    harmless: tuple[Any, ...] = ()
    by_content: bool = False
    panel: str | None = None

    @property
    def flag(self) -> str:
        """The name on the command line: `--min-score` for `min_score`."""
        return next((flag for flag in self.flags if flag.startswith("--")), _flag(Argument(self.name)))

    @property
    def is_list(self) -> bool:
        """Whether the value is a tuple: written with commas on the command line."""
        return get_origin(self.type) is tuple

    @property
    def types(self) -> tuple[Any, ...]:
        """The types that a value may have, `None` left out."""
        parts = get_args(self.type) if isinstance(self.type, UnionType) else (self.type,)
        return tuple(get_origin(part) or part for part in parts if part is not NoneType)


def option(default: T, help: str, **facts: Any) -> T:
    """A dataclass field that states an option; `facts` are the further fields of `Option`."""
    # For type checkers the field has its default as value, as in any dataclass.
    field: T = dataclasses.field(default=default, metadata={_METADATA: {"help": help, **facts}})
    return field


def options_of(kind: Any) -> tuple[Option, ...]:
    """The options that a dataclass states, in the order of its fields."""
    return _options_of(kind)


@cache
def _options_of(kind: Any) -> tuple[Option, ...]:
    hints = get_type_hints(kind)
    return tuple(
        Option(field.name, hints[field.name], field.default, **field.metadata[_METADATA])
        for field in dataclasses.fields(kind)
    )


def check(options: Any) -> None:
    """Check each value of an options object. Raises `OptionError` for a wrong type, number or choice."""
    for one in options_of(type(options)):
        check_value(one, getattr(options, one.name))


def check_value(one: Option, value: Any) -> None:
    """Check one value. Raises `OptionError`."""
    if value is None and NoneType in get_args(one.type):
        return
    if one.parse is None:
        _check_type(one, value)
    if value == "" and one.default != "":
        raise OptionError(one.name, "is empty; give a value, or leave the option out")
    if one.choices:
        _check_choice(one, value)
    if isinstance(value, int | float) and not abs(value) < LARGEST:
        raise OptionError(one.name, f"must be a number below {LARGEST:g}, not {shortened(str(value))}")
    low, high = one.minimum, one.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        wanted = f"from {low:g} to {high:g}" if low is not None and high is not None else ""
        wanted = wanted or (f"of {low:g} or more" if low is not None else f"of {high:g} or less")
        raise OptionError(one.name, f"must be a number {wanted}, not {value:g}")


def _check_type(one: Option, value: Any) -> None:
    if not _has_type(value, one.types):
        raise OptionError(one.name, f"must be {_described(one.types)}, not {value!r}")
    item_types = get_args(one.type)[:1]
    for item in value if one.is_list else ():
        if not _has_type(item, item_types):
            raise OptionError(one.name, f"contains {item!r}; each item must be {_described(item_types)}")


def _check_choice(one: Option, value: Any) -> None:
    wrong = [item for item in (value if one.is_list else (value,)) if item not in one.choices]
    if wrong and one.is_list:
        raise OptionError(one.name, f"contains {wrong[0]!r}; choose from {', '.join(one.choices)}")
    if wrong:
        raise OptionError(one.name, f"must be {_alternatives(one.choices)}, not {wrong[0]!r}")


def _has_type(value: Any, types: tuple[Any, ...]) -> bool:
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, (*types, int) if float in types else types)


def _described(types: tuple[type, ...]) -> str:
    return _DESCRIPTIONS.get(types[0], types[0].__name__)


def _alternatives(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def from_python(one: Option, value: Any) -> Any:
    """A value as the dataclass stores it: lists and text with commas become tuples, paths become text."""
    if one.is_list and isinstance(value, str):
        return from_text(one, value)
    if one.is_list and isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return tuple(value)
    if str in one.types and isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def from_text(one: Option, text: Any) -> Any:
    """A value from the command line. Raises `OptionError` where an item of a list has the wrong type."""
    if one.parse is not None and isinstance(text, str):
        return one.parse(text)
    if not one.is_list or text is None:
        return () if one.is_list else text
    items = text.split(",") if isinstance(text, str) else text
    item_type = get_args(one.type)[0]
    try:
        return tuple(item_type(item.strip() if isinstance(item, str) else item) for item in items if str(item).strip())
    except ValueError:
        wanted = "whole numbers" if item_type is int else "numbers"
        raise OptionError(one.name, f"must be {wanted} joined by commas, not {text!r}") from None


def to_text(one: Option, value: Any) -> Any:
    """A value as the command line takes it: the reverse of `from_text`."""
    if one.is_list and not one.repeat:
        return ",".join(map(str, value))
    return None if value == () else value


def with_flags(sentence: str) -> str:
    """A sentence for users of the command line: its options are flags, `--device cpu` and not `device="cpu"`."""
    if not isinstance(sentence, Text):
        return sentence
    return "".join(_flag(part) if isinstance(part, Argument) else part for part in sentence.parts)


def _flag(argument: Argument) -> str:
    flag = "--" + argument.name.replace("_", "-")
    return flag if argument.value is None or argument.value is True else f"{flag} {argument.value}"
