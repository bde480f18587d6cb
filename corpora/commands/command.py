"""What a command is: its options, its work, its result, how it reports, and an example.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from corpora.commands.options import FILE, check, filled, from_python, options_of, value_of
from corpora.errors import OptionError
from corpora.reporting import Report, log

O = TypeVar("O")  # noqa: E741 (the options of a command)
T = TypeVar("T")

JSON, TSV = "json", "tsv"
OUT, TARGET, REPORT, OVERWRITE, SHARD = "out", "target", "report", "overwrite", "shard"
"""Options with a meaning for all commands: the output, by its flag or place, which must not be one of the inputs; a
second output; whether files of the user are replaced; the part of a job array."""
_MAIN = (OUT, TARGET, REPORT)
STANDARD_OUTPUT = Path("-")
DONE, FAILED, USAGE, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes; the help of `nlmchem` explains them."""


ANNOTATING, LOOKING, NAMING, LEARNING, CORPUS_WORK, OTHER = HEADINGS = (
    "Annotate and convert articles",
    "Look at annotated articles",
    "Names and identifiers",
    "Score, combine and train",
    "Corpora, challenges and curation",
    "Other commands",
)
"""The headings of commands in the help."""


@dataclass(frozen=True, slots=True)
class Call:
    """The example of a command: a call, which the command line and Python spell in their own ways."""

    values: Mapping[str, Any]
    """The values by the names of options, as Python gives them. Arguments come first."""
    form: str | None = None
    """The form in which the result is printed: `json` or `tsv`; None: text."""
    into: str | None = None
    """The file into which the shell writes what is printed; None: the terminal."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows with the same columns. `rows` may be an iterator, which is used once."""

    columns: tuple[str, ...]
    rows: Iterable[Sequence[Any]]


@dataclass(slots=True)
class Result:
    """What a command returns: plain data that one printer writes as text, JSON or TSV, and Python uses as it is.

    A result has one of `objects` and `table`, or both. `lines` is the text for people; None: the table.
    Each of them may be an iterator that does its work while it is read. Such an iterator may add to `notes` and
    `problems` and set `exit_code`; they count after its end.
    """

    objects: Iterable[Mapping[str, Any]] | None = None
    """The answer as JSON values, one for each item; None: the rows of the table by column."""
    table: ResultTable | None = None
    lines: Iterable[str] | None = None
    notes: list[str] = field(default_factory=list)
    """Sentences about the work. The option `quiet` omits them."""
    problems: list[str] = field(default_factory=list)
    """Sentences about what failed, printed in any case."""
    files: tuple[Path, ...] = ()
    """The files that were written."""
    exit_code: int = DONE
    value: Any = None
    """The answer as an object of the package, for Python."""
    is_message: bool = False
    """Whether the answer is printed as a message, because standard output has what the command wrote."""

    def records(self) -> Iterator[Mapping[str, Any]]:
        """The answer as JSON values."""
        if self.objects is not None:
            return iter(self.objects)
        if self.table is None:
            return iter(())
        columns = self.table.columns
        return (dict(zip(columns, row, strict=True)) for row in self.table.rows)


def record(answer: Mapping[str, Any], *lines: str, **more: Any) -> Result:
    """A result of one JSON object, and the lines that say the same. `more` are further fields of `Result`."""
    return Result(objects=(answer,), lines=lines, **more)


class Bar(Protocol):
    """Shows how much of one piece of work is done."""

    def show(self, done: float, text: str) -> None:
        """`done` of the total is done; `text` describes it."""

    def message(self, sentence: str) -> None:
        """Report a sentence on a line of its own, above the bar."""


class Progress(Protocol):
    """Where a command reports what it notices and how far it is. It is also a `Report`, which receives one sentence.

    A command never prints: what shows the reports is passed to it.
    """

    def __call__(self, sentence: str) -> None:
        """Report one sentence: what happened, where, and what to do."""

    def counted(self, items: Iterable[T], unit: str, total: float | None = None) -> Iterator[T]:
        """The same items; shows how many of them were taken: `120 articles`. `total`: their number, if it is known."""
        ...

    def bar(self, total: float | None = None) -> AbstractContextManager[Bar]:
        """A bar for work of `total` units of any kind; None: unknown."""
        ...

    @property
    def quiet(self) -> bool:
        """Whether the user asked for errors only."""
        ...


class Logged:
    """Reports with a function, by default to the logger `nlmchem`, and shows no progress: what Python users get."""

    quiet = False

    def __init__(self, report: Report = log) -> None:
        self._report = self.message = report

    def show(self, done: float, text: str) -> None:
        pass

    def __call__(self, sentence: str) -> None:
        self._report(sentence)

    def counted(self, items: Iterable[T], unit: str, total: float | None = None) -> Iterator[T]:
        return iter(items)

    def bar(self, total: float | None = None) -> AbstractContextManager[Any]:
        return nullcontext(self)


@dataclass(frozen=True, slots=True)
class Command(Generic[O]):
    """One command."""

    name: str
    """Its words: `evaluate spans`. In Python `evaluate_spans`."""
    options: type[O]
    """A frozen dataclass of `option`, `argument` and `group` fields (`corpora.commands.options`)."""
    run: Callable[[O, Progress], Result]
    """The work. It receives checked options. Its docstring is the help text. It imports what it needs inside the
    function, so that the help of all commands loads nothing."""
    example: Call | str
    """A call, or a line for the shell where values are not enough."""
    forms: tuple[str, ...] = (JSON,)
    """The forms besides text in which the result can be printed."""
    config: str | None = None
    """The table of a configuration file (TOML) that can set the options; None: the command has no table."""
    writes: bool = True
    """Whether the option `out` names something that the command writes."""
    writes_folder_without_suffix: bool = False
    """Whether an `out` without a suffix is a folder. A file of this name is then an error of the command, and not a
    file that may be replaced."""
    has_panels: bool = False
    """Whether the help lists the options under headings (`panel`)."""
    heading: str = OTHER
    """The heading of the command in the help of `nlmchem`, one of `HEADINGS`; for a command in a group, the group's."""

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
    """A group of commands, such as `evaluate`."""

    name: str
    help: str
    default: str | None = None
    """The command that may be left out: `lexicon aspirin` is `lexicon lookup aspirin`."""
    order: tuple[str, ...] = ()
    """The commands in the order of the help; others follow them."""
    heading: str = OTHER
    """The heading of the group in the help of `nlmchem`, one of `HEADINGS`."""

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
    from corpora import plugins
    from corpora.storage.inputs import endless
    from corpora.storage.locks import hold

    stated = options_of(command.options)
    values = {option.name: value_of(options, option) for option in stated}
    beside = {
        option.name: Path(values[option.name])
        for option in stated
        if option.place == FILE and option.name not in _MAIN and values[option.name] is not None
    }
    for option in stated:
        # Inputs have messages of their own.
        if option.name not in {*_MAIN, *beside} and not (option.positional and option.is_list):
            value = values[option.name]
            for item in value if isinstance(value, tuple) else (value,):
                is_name = isinstance(item, str | Path) and str(item) not in ("", str(STANDARD_OUTPUT))
                if is_name and (what := endless(item)) is not None:
                    raise OptionError(option.name, f"is {item}, {what}, which may never end; name a file")
    out = next((Path(values[name]) for name in (OUT, TARGET) if values.get(name) is not None), None)
    with ExitStack() as locks:
        if out != STANDARD_OUTPUT:
            place = out or values.get(REPORT)
            # The shards of a run may write into one folder, so the run locks it. Of the processes of a training that
            # `torchrun` started, the first one holds the lock.
            is_shard = getattr(values.get(SHARD), "of", 1) > 1
            is_further_process = "LOCAL_RANK" in os.environ and os.environ.get("RANK", "0") != "0"
            if place is not None and not is_shard and command.writes and not is_further_process:
                locks.enter_context(hold(Path(place)))
            if out is not None:
                locks.enter_context(_with_reader(OUT, out))
                # Behind the lock: another command may have written the output until now.
                others = {name: value for name, value in values.items() if name not in (OUT, TARGET, *beside)}
                _check_output(out, others, command.writes_folder_without_suffix and not out.suffix)
        for name, path in beside.items():
            locks.enter_context(_with_reader(name, path))
            locks.enter_context(hold(path))
            _check_beside(name, path, values)
        # An error may be that of a plugin's command, or of a reader that a command uses.
        with plugins.named():
            return plugins.returned(command.run(options, progress), Result, command.run)


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


def _is_in(path: Path, out: Path) -> bool:
    """Whether a path is that of an output, or of a file in an output folder."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(out))
