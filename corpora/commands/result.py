"""What a command returns: plain data that one printer writes as text, JSON or TSV, and Python uses as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DONE, FAILED, USAGE, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes; the help of `nlmchem` explains them."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows with the same columns. `rows` may be an iterator, which is used once."""

    columns: tuple[str, ...]
    rows: Iterable[Sequence[Any]]


@dataclass(slots=True)
class Result:
    """The answer of a command.

    A result has one of `objects` and `table`, or both. `lines` is the text for people; None: the table.
    Each of them may be an iterator that does its work while it is read. Such an iterator may add to `notes` and
    `problems` and set `exit_code`; they count after its end.

    Args:
        objects: The answer as JSON values, one for each item; None: the rows of the table by column.
        table: The answer as a table.
        lines: The answer as text for people.
        notes: Sentences about the work. The option `quiet` omits them.
        problems: Sentences about what failed, printed in any case.
        files: The files that were written.
        exit_code: The exit code of the process.
        value: The answer as an object of the package, for Python.
        is_message: Whether the answer is printed as a message, because standard output has what the command wrote.
    """

    objects: Iterable[Mapping[str, Any]] | None = None
    table: ResultTable | None = None
    lines: Iterable[str] | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    files: tuple[Path, ...] = ()
    exit_code: int = DONE
    value: Any = None
    is_message: bool = False

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
