"""The rows of a PubTator table: which one is a mention, which one a relation."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WHOLE = re.compile(r" *(-?[0-9]{1,15})(?:\.0+)? *")
"""An offset. Tables that went through a program for statistics have `12.0`."""
_ROW_ID = re.compile(r"[A-Z]{1,3}[0-9]+")
"""The id of a mention or relation, such as `T1`, which some files have in the second column."""
_NO_VALUE = frozenset({"", "-", "--", "\u2013", "\u2014", "nan", "none", "null", "na", "n/a", "<na>", ".", "?"})
_WORD = re.compile(r"[^\W\d_]")


def mention_row(columns: Sequence[str]) -> tuple[str | None, list[str]] | None:
    """The id that a row states (None: no id) and its columns as `ID, start, end, text, type, ...`; None: no mention.

    Some files have the id and the type of a mention before its offsets: `ID, T1, type, start, end, text`.
    """
    if span := offsets(columns, 1):
        return None, [columns[0], *span, *columns[3:]]
    if len(columns) > 5 and _ROW_ID.fullmatch(columns[1]) and (span := offsets(columns, 3)):
        return columns[1], [columns[0], *span, columns[5], columns[2], *columns[6:]]
    return None


def is_relation(columns: Sequence[str]) -> bool:
    """Whether a row has a type in words and two ids, and no span with a text of its length.

    A row without offsets is not a relation for that reason alone: it can be a mention with damaged offsets.
    """
    kind, *ids = (column.strip() for column in columns[1:4])
    if _WORD.search(kind) is None or _ROW_ID.fullmatch(kind) or kind.lower() in _NO_VALUE:
        return False
    if len(ids) < 2 or any(id.lower() in _NO_VALUE for id in ids):
        return False
    spans = ((offsets(columns, at), columns[at + 2]) for at in range(2, len(columns) - 2))
    return not any(span and int(span[1]) - int(span[0]) == len(text) > 0 for span, text in spans)


def offsets(columns: Sequence[str], at: int) -> tuple[str, str] | None:
    """Start and end in two columns of a row, as whole numbers; None where they are something else."""
    matches = [_WHOLE.fullmatch(column) for column in columns[at : at + 2]]
    return (matches[0][1], matches[1][1]) if len(matches) == 2 and matches[0] and matches[1] else None
