"""Rows of CSV and TSV, with quotation marks that enclose cells and others that are text."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

LARGEST_CELL = 1 << 24
"""Characters of a cell that has several lines."""
_INSIDE = re.compile(r'(?:[^"]++|"")*+')
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


class TableRows:
    """The rows of a table: the number of the first line of each, from 1, and its cells.

    A quotation mark encloses a cell (RFC 4180), also one of several lines, only if another one stands at the cell's
    end, and the row then fits the table. Other ones are text: many programs write tables without quoting.
    """

    def __init__(self, lines: Iterable[str], mark: str) -> None:
        self.loose: list[int] = []
        """The lines of cells that begin with a quotation mark which is text."""
        self._lines, self._mark = iter(lines), mark
        self._width = 0
        """The number of cells in the first row."""
        self._ahead: deque[str] = deque()
        """Lines that were read to find the end of a cell."""
        cell = rf'(?:"(?:[^"]++|"")*+"|[^{mark}"]*+)'
        self._regular = re.compile(f"{cell}(?:{mark}{cell})*+")
        self._plain = re.compile(rf"[^{mark}]*+")
        self._closed = re.compile(rf'" *(?={mark}|$)')

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        # No article is as large.
        csv.field_size_limit(1 << 27)
        number = 1
        while (line := self._ahead.popleft() if self._ahead else next(self._lines, None)) is not None:
            line = line.rstrip("\r\n")
            used = loose = 0
            if '"' not in line:
                cells = line.split(self._mark)
            elif self._regular.fullmatch(line):
                cells = next(csv.reader([line], delimiter=self._mark))
            else:
                cells, used, loose = self._row(line, is_open=True)
                if used and self._are_rows([line, *islice(self._ahead, used)], len(cells)):
                    cells, used, loose = self._row(line, is_open=False)
            self.loose += [number] * loose
            self._width = self._width or len(cells)
            yield number, cells
            number += 1
            for _ in range(used):
                self._ahead.popleft()
                number += 1

    def _row(self, line: str, is_open: bool) -> tuple[list[str], int, int]:
        """The cells of a row, the number of further lines that it has, and the number of cells with a loose mark.

        `is_open`: a cell may have further lines.
        """
        cells: list[str] = []
        place, used, loose = 0, 0, 0
        while True:
            quoted = self._quoted(line, place, used, is_open) if line.startswith('"', place) else None
            if quoted is not None:
                cell, line, place, used = quoted
            else:
                loose += line.startswith('"', place)
                found = self._plain.match(line, place)
                assert found is not None
                cell, place = found[0], found.end()
            cells.append(cell)
            if place == len(line):
                return cells, used, loose
            place += 1

    def _quoted(self, line: str, start: int, used: int, is_open: bool) -> tuple[str, str, int, int] | None:
        """The cell that the mark at `start` opens, its last line, the place after it there, and the lines used.

        None where it has no end.
        """
        pieces: list[str] = []
        size, place = 0, start + 1
        while True:
            inside = _INSIDE.match(line, place)
            assert inside is not None
            pieces.append(inside[0])
            if inside.end() < len(line):
                closed = self._closed.match(line, inside.end())
                return None if closed is None else ("\n".join(pieces).replace('""', '"'), line, closed.end(), used)
            size += len(inside[0])
            following = self._line(used) if is_open and size <= LARGEST_CELL else None
            if following is None:
                return None
            line, place, used = following, 0, used + 1

    def _are_rows(self, lines: Sequence[str], width: int) -> bool:
        """Whether lines that a quoted cell joins to one row of `width` cells are rows of their own."""
        rows = [line.split(self._mark) for line in lines]
        if len(rows[0]) == self._width != width:
            return True
        keys = {_LETTERS.sub("a", _DIGITS.sub("0", row[0].strip())) for row in rows}
        return len(keys) == 1 and "0" in keys.pop() and all(len(row) == self._width for row in rows)

    def _line(self, position: int) -> str | None:
        """A line behind the current one, without its end; None behind the last one."""
        while len(self._ahead) <= position:
            line = next(self._lines, None)
            if line is None:
                return None
            self._ahead.append(line.rstrip("\r\n"))
        return self._ahead[position]
