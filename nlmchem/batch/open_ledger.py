"""Opens the ledger of a folder, and makes a new one in place of a damaged one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from corpora.errors import Argument, ConfigurationError
from nlmchem.batch.ledger import Ledger
from nlmchem.batch.stop import is_broken, one_line

__all__ = ["open_ledger"]


def _intact(path: Path) -> Ledger:
    ledger = Ledger(path)
    try:
        ledger.require_intact()
    except BaseException:
        ledger.close()
        raise
    return ledger


def open_ledger(path: Path, *, restart: bool) -> Ledger:
    """Open and check the ledger of a folder. With `restart`, a damaged ledger is deleted and made again.

    Raises `ConfigurationError` if it is damaged or has another version, `sqlite3.DatabaseError` or `OSError` if the
    disk does not allow it.
    """
    try:
        return _intact(path)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # The message of SQLite about a damaged schema may be damaged itself: a UnicodeDecodeError.
        if isinstance(error, sqlite3.DatabaseError) and not is_broken(error):
            raise
        if not restart:
            raise ConfigurationError(
                f"the ledger {path} cannot be used ({one_line(error)}); use ",
                Argument("restart", True),
                " to delete it and process everything again",
            ) from error
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    return Ledger(path)
