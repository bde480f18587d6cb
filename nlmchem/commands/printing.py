"""Prints the result of a command as text, JSON or TSV: the same way for all commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, TextIO

from corpora.commands.command import JSON, TSV, Result, ResultTable
from corpora.reporting import Report, table_cell

TEXT = "text"


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
        return (json.dumps(item, ensure_ascii=False) for item in result.records())
    if form == TSV or result.lines is None:
        return iter(()) if result.table is None else _tsv(result.table)
    return iter(result.lines)


def _tsv(table: ResultTable) -> Iterator[str]:
    yield "\t".join(table.columns)
    for row in table.rows:
        yield "\t".join(cell(value) for value in row)


def cell(value: Any) -> str:
    """A value as one cell of a TSV table: empty for None, lists joined by commas."""
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return "" if value is None else table_cell(str(value))
