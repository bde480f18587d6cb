"""The rows of a PubTator table: which one is a mention, which one a relation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

_WHOLE = re.compile(r" *(-?[0-9]{1,15})(?:\.0+)? *")
"""An offset. Tables that went through a program for statistics have `12.0`."""
_ROW_ID = re.compile(r"[A-Z]{1,3}[0-9]+")
"""The id of a mention or relation, such as `T1`, which some files have in the second column."""
_RELATION_ID = re.compile(r"R(?:EL)?[0-9]+")
_IDENTIFIER = 5
"""The column of the identifier."""
_MISSING = frozenset({"nan", "none", "null", "<na>"})
"""What stands for a missing value in tables that went through a program for statistics, in lower case."""
_NO_VALUE = _MISSING | {"", "-", "--", "\u2013", "\u2014", "na", "n/a", ".", "?", "inf", "infinity"}
_WORD = re.compile(r"[^\W\d_]{2}")
"""What the type of a relation has, and a number such as `1.4e1` has not."""


Row: TypeAlias = tuple[str | None, list[str]]
"""The id that a row of a mention or a relation states (None: no id), and its columns without the id."""


def mention_row(columns: Sequence[str]) -> Row | None:
    """The row of a mention as `ID, start, end, text, type, ...`; None for another row.

    Some files have the id of a mention before its offsets, `ID, T1, start, end, text, type`, or its id and its type,
    `ID, T1, type, start, end, text`. A row of numbers has an id if its text fits the second and third one only.
    """
    is_numbered = len(columns) > 5 and _fits(columns, 2) and not _fits(columns, 1)
    if len(columns) > 3 and not is_numbered and (span := offsets(columns, 1)):
        return None, [columns[0], *span, *columns[3:]]
    if len(columns) <= 5 or not (is_numbered or _ROW_ID.fullmatch(columns[1])):
        return None
    if span := offsets(columns, 2):
        return columns[1], [columns[0], *span, *columns[4:]]
    if span := offsets(columns, 3):
        return columns[1], [columns[0], *span, columns[5], columns[2], *columns[6:]]
    return None


def remove_missing(mention: Row) -> bool:
    """Remove the identifier from the row of a mention if it marks a missing value. Returns whether it did."""
    _, columns = mention
    if len(columns) <= _IDENTIFIER or columns[_IDENTIFIER].strip().lower() not in _MISSING:
        return False
    columns[_IDENTIFIER:] = ["", *columns[_IDENTIFIER + 1 :]] if len(columns) > _IDENTIFIER + 1 else []
    return True


def _fits(columns: Sequence[str], at: int) -> bool:
    """Whether a row has a span at a column, with a text of its length behind it."""
    span = offsets(columns, at)
    return span is not None and 0 < int(span[1]) - int(span[0]) == len(columns[at + 2])


def relation_row(columns: Sequence[str]) -> Row | None:
    """The row of a relation as `ID, type, two ids, ...`; None for another row. Its id can stand before the type."""
    if is_relation(columns):
        return None, list(columns)
    if len(columns) > 4 and _RELATION_ID.fullmatch(columns[1]) and is_relation(columns[1:]):
        return columns[1], [columns[0], *columns[2:]]
    return None


def is_relation(columns: Sequence[str]) -> bool:
    """Whether a row has a type in words and two ids, and no span with a text of its length.

    A row without offsets is not a relation for that reason alone: it can be a mention with damaged offsets.
    """
    kind, *ids = (column.strip() for column in columns[1:4]) if len(columns) > 3 else ("",)
    if _WORD.search(kind) is None or _ROW_ID.fullmatch(kind) or kind.lower() in _NO_VALUE:
        return False
    if len(ids) < 2 or any(id.lower() in _NO_VALUE for id in ids):
        return False
    return not any(_fits(columns, at) for at in range(2, len(columns) - 2))


def offsets(columns: Sequence[str], at: int) -> tuple[str, str] | None:
    """Start and end in two columns of a row, as whole numbers; None where they are something else, or no span."""
    matches = [_WHOLE.fullmatch(column) for column in columns[at : at + 2]]
    if len(matches) < 2 or matches[0] is None or matches[1] is None or int(matches[0][1]) > int(matches[1][1]):
        return None
    return matches[0][1], matches[1][1]
