"""Options of commands, each stated once: as a field of a dataclass, with its type, its default and its help text.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class SpanOptions:
        gold: str = argument("The gold standard: a file, folder, glob pattern or archive.")
        samples: int = option(10_000, "Bootstrap samples; 0: no bootstrap.", minimum=0)
        seed: int = seed_option()
        reading: Reading = group(Reading)

A function that returns a field, such as `corpora.commands.shared.seed_option`, is an option that several commands have.
A group has several options that belong together, or a method.

The command line, Python, configuration files and `nlmchem.load` are views of these fields. `check` raises
`OptionError` for a wrong value: the same rules hold in all of them. `with_flags` spells the options in a message as
flags.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from corpora.errors import Argument, ConfigurationError, OptionError, Text, shortened

T = TypeVar("T")

LARGEST = 1e15
"""Numbers of options are smaller: larger ones, infinity and NaN are mistakes."""

FILE, FOLDER = "file", "folder"
"""What an option that names an output may be."""

REQUIRED: Any = MISSING
"""The default of an option that must be given."""

_METADATA, _GROUP = "option", "group"
_NUMBERS = {int: ("a whole number", "whole numbers"), float: ("a number", "numbers")}
_DESCRIPTIONS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple: "a list, or text with commas",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option: what a dataclass field states about it."""

    name: str
    type: Any
    """The type of the field."""
    default: Any
    help: str
    metavar: str | None = None
    default_text: str | None = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    parse: Callable[[str], Any] | None = None
    """Reads the text of the command line, where the type is not enough."""
    short: str = ""
    """The letter of the short flag."""
    flags: tuple[str, ...] = ()
    """The flags, where they do not follow from the name."""
    positional: bool = False
    """Whether it is an argument, named by its place on the command line."""
    repeat: bool = False
    """Whether the flag may be given several times."""
    in_file: bool = True
    """Whether a configuration file can set it."""
    harmless: tuple[Any, ...] = ()
    """Values besides the default that are correct where nothing uses the option."""
    by_content: bool = False
    """Whether the value names a file or a model, which two runs compare by its content."""
    panel: str | None = None
    """The heading in a help text that has headings."""
    place: str | None = None
    """`FILE` or `FOLDER`, where the value is the path of one to write."""
    may_be_empty: bool = False
    """Whether the empty text is a value."""
    advanced: bool = False
    """Whether `--help-all` shows it, and `--help` does not."""
    groups: tuple[str, ...] = ()
    """The fields of the groups that contain the option, the outermost first."""

    @property
    def flag(self) -> str:
        """The name on the command line: `--min-score` for `min_score`."""
        return next((flag for flag in self.flags if flag.startswith("--")), _flag(Argument(self.name)))

    @property
    def all_flags(self) -> tuple[str, ...]:
        """All its names on the command line."""
        return self.flags or (self.flag, *([f"-{self.short}"] if self.short else []))

    @property
    def required(self) -> bool:
        """Whether the option must be given."""
        return self.default is REQUIRED

    @property
    def is_list(self) -> bool:
        """Whether the value is a tuple: written with commas on the command line, or as several arguments."""
        return any(get_origin(kind) is tuple for kind in self._alternatives)

    @property
    def item_type(self) -> Any:
        """The type of the items of a list."""
        return next(get_args(kind)[0] for kind in self._alternatives if get_origin(kind) is tuple)

    @property
    def types(self) -> tuple[Any, ...]:
        """The types that a value may have, `None` left out."""
        return tuple(get_origin(kind) or kind for kind in self._alternatives if kind is not NoneType)

    @property
    def optional(self) -> bool:
        """Whether the value may be None."""
        return NoneType in self._alternatives

    @property
    def _alternatives(self) -> tuple[Any, ...]:
        return get_args(self.type) if isinstance(self.type, UnionType) else (self.type,)


def option(default: T, help: str, **facts: Any) -> T:
    """A dataclass field that states an option; `facts` are the further fields of `Option`."""
    # For type checkers the field has its default as value, as in any dataclass.
    field: T = dataclasses.field(default=default, metadata={_METADATA: {"help": help, **facts}})
    return field


def argument(help: str, default: T = REQUIRED, **facts: Any) -> T:
    """A dataclass field that states an argument: an option that the command line names by its place."""
    return option(default, help, positional=True, **facts)


def group(kind: type[T]) -> T:
    """A dataclass field that has the options of another dataclass: options that several commands share."""
    field: T = dataclasses.field(default_factory=kind, metadata={_GROUP: kind})
    return field


def options_of(kind: Any) -> tuple[Option, ...]:
    """The options of a dataclass, in the order of its fields; a group is replaced by its options."""
    return _options_of(kind)


@cache
def _options_of(kind: Any) -> tuple[Option, ...]:
    return tuple(_collected(kind))


def _collected(kind: Any) -> Iterator[Option]:
    hints = get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if _GROUP in field.metadata:
            for member in _options_of(field.metadata[_GROUP]):
                yield dataclasses.replace(member, groups=(field.name, *member.groups))
        else:
            yield Option(field.name, hints[field.name], field.default, **field.metadata[_METADATA])


def value_of(options: Any, option: Option) -> Any:
    """The value of an option in an options object."""
    for name in option.groups:
        options = getattr(options, name)
    return getattr(options, option.name)


def filled(kind: type[T], values: Mapping[str, Any]) -> T:
    """An options object from values by the names of options; defaults fill the rest. It is not checked.

    Raises `OptionError` for an option that must be given.
    """
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if _GROUP in field.metadata:
            fields[field.name] = filled(field.metadata[_GROUP], values)
        elif field.name in values:
            fields[field.name] = values[field.name]
        elif field.default is REQUIRED:
            raise _missing(Option(field.name, None, REQUIRED, **field.metadata[_METADATA]))
    return kind(**fields)


def _missing(option: Option) -> ConfigurationError:
    # A help text names other options by their fields, as `gold`.
    help = Text(*(Argument(part) if at % 2 else part for at, part in enumerate(re.split("`([a-z_]+)`", option.help))))
    if option.positional:
        return ConfigurationError(f"the argument {option.metavar or option.name.upper()} is missing: ", help)
    return OptionError(option.name, "must be given: ", help)


def check(options: Any) -> None:
    """Check each value of an options object. Raises `OptionError` for a wrong type, number or choice."""
    for option in options_of(type(options)):
        check_value(option, value_of(options, option))


def check_value(option: Option, value: Any) -> None:
    """Check one value. Raises `OptionError`."""
    if value is None and option.optional:
        return
    name = option.name
    if option.parse is None:
        if not _has_type(value, option.types):
            raise OptionError(name, f"must be {_described(option.types)}, not {value!r}")
        for item in value if option.is_list else ():
            if not _has_type(item, (option.item_type,)):
                text = f"contains {item!r}; each item must be {_described((option.item_type,))}"
                if callable(item):
                    text += "; a function is a step of nlmchem.load only, because no run on disk can store it"
                raise OptionError(name, text)
    if isinstance(value, str) and value == "" and option.default != "" and not option.may_be_empty:
        raise OptionError(name, "is empty; give a value" + ("" if option.positional else ", or leave the option out"))
    if option.positional and value == ():
        raise _missing(option)
    if option.choices:
        wrong = [item for item in (value if option.is_list else (value,)) if item not in option.choices]
        if wrong and option.is_list:
            raise OptionError(name, f"contains {wrong[0]!r}; choose from {', '.join(option.choices)}")
        if wrong:
            *names, last = option.choices
            listed = f"{', '.join(names)} or {last}" if names else last
            raise OptionError(name, f"must be {listed}, not {wrong[0]!r}")
    if isinstance(value, int | float) and not abs(value) < LARGEST:
        raise OptionError(name, f"must be a number below {LARGEST:g}, not {shortened(str(value))}")
    if option.place == FOLDER and value.is_file():
        raise OptionError(name, f"must be a folder, but {value} is a file")
    if option.place == FILE and value.is_dir():
        raise OptionError(name, f"must be a file, but {value} is a folder")
    low, high = option.minimum, option.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        if low is not None and high is not None:
            limits = f"from {low:g} to {high:g}"
        else:
            limits = f"of {low:g} or more" if low is not None else f"of {high:g} or less"
        raise OptionError(name, f"must be a number {limits}, not {value:g}")


def _has_type(value: Any, types: tuple[Any, ...]) -> bool:
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, (*types, int) if float in types else types)


def _described(types: tuple[type, ...]) -> str:
    return _DESCRIPTIONS.get(types[0], "a path" if types[0].__name__ == "Path" else types[0].__name__)


# -- values as they are given: in Python, as text on the command line, or in a configuration file ---


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


def with_flags(sentence: str, flags: Mapping[str, str] = MappingProxyType({})) -> str:
    """A sentence for users of the command line: its options are flags, `--device cpu` and not `device="cpu"`.

    `flags`: by option, the flags that differ from its name.
    """
    if not isinstance(sentence, Text):
        return sentence
    return "".join(_flag(part, flags) if isinstance(part, Argument) else part for part in sentence.parts)


def _flag(argument: Argument, flags: Mapping[str, str] = MappingProxyType({})) -> str:
    flag = flags.get(argument.name) or "--" + argument.name.replace("_", "-")
    return flag if argument.value is None or argument.value is True else f"{flag} {argument.value}"
