"""What a command is: one object with its options, the function that does the work, and an example.

    def evaluate_spans(options: SpanOptions, progress: Progress) -> Result:
        \"\"\"Score the spans of mentions.\"\"\"

    EXAMPLE = Call({"gold": "gold/", "runs": ["run1/", "run2.xml"]})
    SPANS = Command("evaluate spans", SpanOptions, evaluate_spans, EXAMPLE)

It stands in the room that does the work. `nlmchem evaluate spans GOLD RUN --json` and
`nlmchem.commands.evaluate_spans(gold, [run])` are views of it. Packages add commands by the entry point
`nlmchem.commands`.
"""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from corpora.commands.call import Call
from corpora.commands.options import FILE, check, filled, options_of, value_of
from corpora.commands.progress import Progress
from corpora.commands.result import Result
from corpora.commands.values import from_python
from corpora.errors import OptionError

O = TypeVar("O")  # noqa: E741 (the options of a command)

JSON, TSV = "json", "tsv"
OUT, TARGET, REPORT, OVERWRITE, SHARD = "out", "target", "report", "overwrite", "shard"
"""Options with a meaning for all commands: the output, by its flag or place, which must not be one of the inputs; a
second output; whether files of the user are replaced; the part of a job array."""
_MAIN = (OUT, TARGET, REPORT)
STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Command(Generic[O]):
    """One command.

    Args:
        name: Its words: `evaluate spans`. In Python `evaluate_spans`.
        options: A frozen dataclass of `option`, `argument` and `group` fields (`corpora.commands.options`).
        run: The work. It receives checked options. Its docstring is the help text. It imports what it needs inside the
            function, so that the help of all commands loads nothing.
        example: A call with the values of its options, which the command line and Python spell; or a line for the
            shell, where values are not enough.
        forms: The forms besides text in which the result can be printed.
        config: The table of a configuration file (TOML) that can set the options; None: the command has no table.
        writes: Whether the option `out` names something that the command writes.
        writes_folder_without_suffix: Whether an `out` without a suffix is a folder. A file of this name is then an
            error of the command, and not a file that may be replaced.
        has_panels: Whether the help lists the options under headings (`panel`).
    """

    name: str
    options: type[O]
    run: Callable[[O, Progress], Result]
    example: Call | str
    forms: tuple[str, ...] = (JSON,)
    config: str | None = None
    writes: bool = True
    writes_folder_without_suffix: bool = False
    has_panels: bool = False

    @property
    def help(self) -> str:
        """The help text: the docstring of `run` up to its list of errors."""
        return inspect.cleandoc(self.run.__doc__ or "").split("\n\nRaises:")[0]

    @property
    def summary(self) -> str:
        """The first paragraph of the help text, on one line."""
        return " ".join(self.help.split("\n\n")[0].split())

    @property
    def function_name(self) -> str:
        """The name of the function in `nlmchem.commands`."""
        return function_name(self.name)


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A group of commands, such as `evaluate`.

    `default`: the command that may be left out: `lexicon aspirin` is `lexicon lookup aspirin`. `order`: the commands in
    the order of the help; others follow them.
    """

    name: str
    help: str
    default: str | None = None
    order: tuple[str, ...] = ()

    def ordered(self, members: Sequence[str]) -> tuple[str, ...]:
        """The second words of the commands of the group, in the order of the help."""
        first = [member for member in self.order if member in members]
        return tuple(dict.fromkeys((*first, *members)))


def function_name(name: str) -> str:
    """The name of the function in `nlmchem.commands`, from the words of a command."""
    return name.replace(" ", "_").replace("-", "_")


def bound(command: Command[O], given: Mapping[str, Any]) -> O:
    """The checked options of a command from Python values by name. Raises `OptionError`."""
    known = {option.name: option for option in options_of(command.options)}
    values = {name: from_python(known[name], value) for name, value in given.items()}
    options = filled(command.options, values)
    check(options)
    return options


def execute(command: Command[O], options: O, progress: Progress) -> Result:
    """Run a command with checked options.

    Outputs are locked while the command works: `out`, and each option with the place `FILE`. Raises `OptionError` if
    one is an input, is written twice, is a file that nlmchem did not write, or if another command works there.
    """
    values = {option.name: value_of(options, option) for option in options_of(command.options)}
    beside = {
        option.name: Path(values[option.name])
        for option in options_of(command.options)
        if option.place == FILE and option.name not in _MAIN and values[option.name] is not None
    }
    for option in options_of(command.options):
        if option.name not in {*_MAIN, *beside} and not (option.positional and option.is_list):
            _refuse_endless(option.name, values[option.name])
    out = next((Path(values[name]) for name in (OUT, TARGET) if values.get(name) is not None), None)
    with ExitStack() as locks:
        if out != STANDARD_OUTPUT:
            place = out or values.get(REPORT)
            # The shards of a run may write into one folder, so the run locks it.
            is_shard = getattr(values.get(SHARD), "of", 1) > 1
            if place is not None and not is_shard and command.writes and not _is_started_by_another():
                locks.enter_context(_locked(Path(place)))
            if out is not None:
                locks.enter_context(_with_reader(OUT, out))
                # Behind the lock: another command may have written the output until now.
                others = {name: value for name, value in values.items() if name not in (OUT, TARGET, *beside)}
                _check_output(out, others, command.writes_folder_without_suffix and not out.suffix)
        for name, path in beside.items():
            locks.enter_context(_with_reader(name, path))
            locks.enter_context(_locked(path))
            _check_beside(name, path, values)
        return _result(command, options, progress)


def _check_beside(name: str, path: Path, values: Mapping[str, Any]) -> None:
    """Check a file that a command writes besides its output."""
    from corpora.storage.owned_files import check as check_file

    if path == STANDARD_OUTPUT:
        raise OptionError(name, "cannot be standard output; name a file")
    for other, value in values.items():
        if other in _MAIN and value is not None and _is_in(path, Path(value)):
            raise OptionError(name, f"is {path}, which is the place of another output ({value}); name a file beside it")
        if other not in (name, *_MAIN):
            _refuse_input(name, path, value)
    check_file(path, values.get(OVERWRITE))


def _is_in(path: Path, out: Path) -> bool:
    """Whether a path is that of an output, or of a file in an output folder."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(out))


def _result(command: Command[O], options: O, progress: Progress) -> Result:
    from corpora import plugins

    # Of a plugin's command, or of a reader that a command uses.
    with plugins.named():
        return plugins.returned(command.run(options, progress), Result, command.run)


def _refuse_endless(name: str, value: object) -> None:
    """Raise `OptionError` for an option that names a file which may never end. Inputs have messages of their own."""
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, str | Path) and str(item) not in ("", str(STANDARD_OUTPUT)):
            from corpora.storage.inputs import endless

            if (what := endless(item)) is not None:
                raise OptionError(name, f"is {item}, {what}, which may never end; name a file")


def _locked(place: Path) -> AbstractContextManager[object]:
    from corpora.storage.locks import hold

    return hold(place)


@contextmanager
def _with_reader(name: str, path: Path) -> Iterator[None]:
    """Keep a named pipe open for its reader. Raises `OptionError` without one: opening it would wait for ever."""
    descriptor = None
    if path.is_fifo():
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise OptionError(name, f"is {path}, a named pipe that nobody reads; start its reader first") from error
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _is_started_by_another() -> bool:
    """Whether this is a further process of a training that `torchrun` started: the first one holds the lock."""
    return "LOCAL_RANK" in os.environ and os.environ.get("RANK", "0") != "0"


def _check_output(out: Path, others: Mapping[str, Any], is_folder: bool) -> None:
    from corpora.storage.atomic import remove_leftovers

    with suppress(OSError):
        remove_leftovers(out)
    if out.exists():
        for value in others.values():
            _refuse_input(OUT, out, value)
    if OVERWRITE in others and not (is_folder or out.is_dir()):
        from corpora.storage.owned_files import check as check_file

        check_file(out, others[OVERWRITE])


def _refuse_input(name: str, out: Path, value: object) -> None:
    """Raise `OptionError` where a value, or an item of it, names the output file or folder of the option `name`."""
    if isinstance(value, list | tuple):
        for item in value:
            _refuse_input(name, out, item)
            if name == OUT and out.is_file() and Path(str(item)).is_dir() and _is_in(out, Path(str(item))):
                # The second time, the command would read what it wrote the first time.
                raise OptionError(name, f"is {out}, which is in a folder of the inputs ({item}); choose another")
    elif isinstance(value, str | Path):
        from corpora.storage.inputs import names

        if names(str(value), out):
            raise OptionError(name, f"is {out}, which is one of the inputs ({value}); choose another")
