"""Lists of abbreviations without a heading: tables of two columns, lines, and footnotes with semicolons.

A heading states that every entry is a definition. Without one, the letters must: most of the entries align.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpora.model.document import Span
from nlmchem.abbreviations.ab3p.candidates import trimmed
from nlmchem.abbreviations.ab3p.reading import Reading
from nlmchem.abbreviations.ab3p.vetoes import is_symbol
from nlmchem.abbreviations.article.listing import LIST_SCORE, entry_of, read_entry

LEAST_ENTRIES = 2
"""The least number of entries whose letters match their long forms."""
LEAST_SHARE = 0.5
"""The least share of such entries."""
SHORTEST_TITLE = 11
"""Characters. A first short form of this length is the title of its column: `Abbreviation`."""
SHORTEST_FORM = 2
LONGEST_UNALIGNED = 60
"""Characters of a long form whose letters do not match."""
LONGEST_ROW = 400
"""Characters. Longer lines are paragraphs."""

_LINE = re.compile(r"[^\n]+")
_PART = re.compile(r"[^;\n]+")
_CELL = re.compile(r"[^\t|\n]+?(?=\s*[\t|\n]|\s{3,}|\s*$)")
_COLUMNS = re.compile(r"\t|\||\S {3,}\S")
_LAST_SENTENCE = re.compile(r"(?:.*[.)]\s+|\s*)", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{2})[.](?=\s+\S)")
_CUT = re.compile(r"[,;:=]\s")


class _ListEntry(NamedTuple):
    short: Span
    long: Span


def without_heading(text: str) -> list[Reading]:
    """The definitions of the tables and lists of a text that no heading introduces."""
    if "\n" in text and _COLUMNS.search(text):
        readings = _in_tables(text)
        if readings:
            return readings
    for separator in (_LINE, _PART):
        readings = _in_entries(text, list(_pieces(separator, text)))
        if readings:
            return readings
    return []


def _in_tables(text: str) -> list[Reading]:
    """Entries in rows with an even number of cells: (short form, long form) or (long form, short form)."""
    rows = [cells for cells in _rows(text) if cells and len(cells) % 2 == 0]
    pairs = [_ListEntry(*row[column : column + 2]) for row in rows for column in range(0, len(row), 2)]
    return _most_aligned(text, pairs) or _most_aligned(text, [_ListEntry(long, short) for short, long in pairs])


def _rows(text: str) -> Iterator[list[Span]]:
    for line in _pieces(_LINE, text):
        yield [trimmed(text, *cell.span()) for cell in _CELL.finditer(text, *line) if cell[0].strip()]


def _pieces(separator: re.Pattern[str], text: str) -> Iterator[Span]:
    for piece in separator.finditer(text):
        if piece.end() - piece.start() <= LONGEST_ROW:
            yield piece.span()


def _in_entries(text: str, pieces: Sequence[Span]) -> list[Reading]:
    """Entries that are lines or separated by semicolons. The sentences of the passage may precede the first one."""
    if len(pieces) < LEAST_ENTRIES:
        return []
    entries: list[_ListEntry | None] = []
    for piece in pieces:
        parts = entry_of(text, piece)
        if parts is None and not entries:
            sentence = _LAST_SENTENCE.match(text, *piece)
            parts = entry_of(text, (sentence.end(), piece[1])) if sentence else None
        entries.append(_ListEntry(*parts) if parts else None)
    first = next((at for at, entry in enumerate(entries) if entry), len(entries))
    return _most_aligned(text, entries[first:])


def _most_aligned(text: str, entries: Sequence[_ListEntry | None]) -> list[Reading]:
    if entries and entries[0] and entries[0].short[1] - entries[0].short[0] >= SHORTEST_TITLE:
        entries = entries[1:]
    readings = [_read(text, entry) if entry else None for entry in entries]
    aligned = sum(1 for reading in readings if reading and reading.score == LIST_SCORE)
    if aligned < max(LEAST_ENTRIES, LEAST_SHARE * len(entries)):
        return []
    return [reading for reading in readings if reading and _is_distinct(text, reading)]


def _read(text: str, entry: _ListEntry) -> Reading | None:
    end = _SENTENCE_END.search(text, *entry.long)
    reading = read_entry(text, entry.short, (entry.long[0], end.start() if end else entry.long[1]))
    # `ΔG‡ | ΔGrxn`: two symbols in a table of values.
    return None if reading is None or is_symbol(text[slice(*reading.long)]) else reading


def _is_distinct(text: str, reading: Reading) -> bool:
    """Whether a short form has a capital, which words and units do not have, and the long form is one name.

    Letters in figures (`a, amnion`) are also words of the text.
    """
    form, long = text[slice(*reading.short)], text[slice(*reading.long)]
    if len(form) < SHORTEST_FORM or not any(map(str.isupper, form)):
        return False
    return reading.score == LIST_SCORE or (len(long) <= LONGEST_UNALIGNED and not _CUT.search(long))
