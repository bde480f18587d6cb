"""One printer for the results of all commands."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

from corpora.commands.command import FAILED, Result, ResultTable, record
from nlmchem.commands.functions import TEXT, print_result


def printed(result: Result, form: str) -> tuple[str, list[str], list[str]]:
    stream, notes, problems = io.StringIO(), list[str](), list[str]()
    print_result(result, form, stream, notes.append, problems.append)
    return stream.getvalue(), notes, problems


def test_a_table_is_text_tsv_and_json() -> None:
    def result() -> Result:
        return Result(table=ResultTable(("name", "ids", "score"), [("zinc\tion", ("A", "B"), None), ("=1", (), 0.5)]))

    table = "name\tids\tscore\nzinc ion\tA,B\t\n\\=1\t\t0.5\n"
    assert printed(result(), TEXT)[0] == printed(result(), "tsv")[0] == table
    rows = [json.loads(line) for line in printed(result(), "json")[0].splitlines()]
    assert rows[0] == {"name": "zinc\tion", "ids": ["A", "B"], "score": None}


def test_lines_are_for_people_and_objects_for_programs() -> None:
    result = record({"articles": 2}, "2 articles", "in a", notes=["a note"], problems=["a problem"])
    assert printed(result, TEXT) == ("2 articles\nin a\n", ["a note"], ["a problem"])
    assert printed(result, "json") == ('{"articles": 2}\n', ["a note"], ["a problem"])
    assert printed(result, "tsv")[0] == ""


def test_work_that_is_done_while_rows_are_read_can_add_notes_and_the_exit_code() -> None:
    result = Result()

    def rows() -> Iterator[tuple[int]]:
        yield (1,)
        result.notes.append("one row")
        result.exit_code = FAILED

    result.table = ResultTable(("n",), rows())
    assert printed(result, TEXT) == ("n\n1\n", ["one row"], [])
    assert result.exit_code == FAILED
