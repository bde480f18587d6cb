"""Rows of CSV and TSV: what RFC 4180 encloses is read as it states, and any other quotation mark is text."""

from __future__ import annotations

import csv
import io
import random

import pytest

from corpora.parsing.table_rows import TableRows

PIECES = ("zinc", '5"', '"iron"', "lead;", "a, b", '"', '""', "\n", "\n2", "10", "of\t", " ")


def random_cell(chance: random.Random, without: str) -> str:
    pieces = [piece for piece in PIECES if not set(piece) & set(without)]
    return "".join(chance.choice(pieces) for _ in range(chance.randrange(6))) + "w"


@pytest.mark.parametrize("seed", range(200))
def test_what_the_csv_module_writes_is_read_as_it_was(seed: int) -> None:
    chance = random.Random(seed)
    mark, width = chance.choice(",;\t"), chance.randrange(2, 5)
    rows = [["id", *"abc"[: width - 1]]]
    rows += [[str(number), *(random_cell(chance, "") for _ in range(width - 1))] for number in range(5)]
    stream = io.StringIO()
    quoting = chance.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    csv.writer(stream, delimiter=mark, quoting=quoting, lineterminator="\n").writerows(rows)
    table = TableRows(stream.getvalue().splitlines(keepends=True), mark)
    assert [cells for _, cells in table] == rows
    assert table.loose == []


@pytest.mark.parametrize("seed", range(200))
def test_no_row_of_a_table_without_quoting_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    mark, width = chance.choice(";\t"), chance.randrange(2, 5)
    rows = [["id", *"abc"[: width - 1]]]
    rows += [[str(number), *(random_cell(chance, "\n\t;") for _ in range(width - 1))] for number in range(8)]
    table = TableRows([mark.join(row) for row in rows], mark)
    assert [(number, cells[0], len(cells)) for number, cells in table] == [
        (number, row[0], width) for number, row in enumerate(rows, 1)
    ]


def test_rows_have_the_number_of_their_first_line() -> None:
    rows = TableRows(['id,"two\r\n', 'lines"\n', '1,"open\n', "2,x\n"], ",")
    assert list(rows) == [(1, ["id", "two\nlines"]), (3, ["1", '"open']), (4, ["2", "x"])]
    assert rows.loose == [3]
