"""Values of the ledger, checked: SQLite stores any type in any column, and a damaged file can contain anything."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

__all__ = ["found", "json_object", "storable", "whole"]


def whole(value: Any) -> int:
    """A number of a row. Raises `sqlite3.DatabaseError` for any other value: SQLite stores any type in any column."""
    if not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise sqlite3.DatabaseError(f"it contains {value!r} where a number is expected")
    return value


def json_object(text: Any) -> dict[str, Any]:
    """A JSON object of a row. Raises `sqlite3.DatabaseError` for anything else."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"it contains broken JSON: {error}") from error
    if not isinstance(value, dict):
        raise sqlite3.DatabaseError("it contains broken JSON")
    return value


def found(row: Any) -> Any:
    """A row that must exist. Raises `sqlite3.DatabaseError`."""
    if row is None:
        raise sqlite3.DatabaseError("a row is missing")
    return row


def storable(text: str) -> str:
    """A text as SQLite stores it: lone surrogates, which UTF-8 cannot store, become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
