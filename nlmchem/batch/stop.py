"""Why a run ends before its time, in one sentence each."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpora.errors import NlmchemError, ResourceError

__all__ = ["KEPT", "Interrupted", "RunStopped", "explained", "is_broken", "writing"]

KEPT = "what is done is kept; run the same command again and it goes on from there"

# SQLite's primary result codes for a file that is sound but cannot be used: busy, locked, read-only,
# input/output error, full, cannot be opened. Everything else means that the file is broken.
_UNUSABLE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)


class RunStopped(NlmchemError):
    """The run cannot go on; what is done is kept, and the same command goes on from there."""

    exit_code = 1


class Interrupted(RunStopped):
    """Somebody pressed Ctrl-C."""

    exit_code = 130


def is_broken(error: sqlite3.Error) -> bool:
    """Whether an error of SQLite means that the file itself is damaged or none of ours."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _UNUSABLE


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Around whatever writes to the output folder: the disk's faults, in one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RunStopped(f"no space is left for {out}; free some. {KEPT.capitalize()}") from error
        raise RunStopped(f"{out} cannot be written ({error}); mend that. {KEPT.capitalize()}") from error


@contextmanager
def explained(out: Path) -> Iterator[None]:
    """Around a run: the ledger's faults, resources that vanish, and Ctrl-C."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if is_broken(error):
            raise RunStopped(
                f"the ledger of {out} is broken ({error}); say --restart to do everything again"
            ) from error
        raise RunStopped(f"the ledger in {out} cannot be written ({error}): is the disk full? {KEPT}") from error
    except ResourceError as error:
        # Before any work it is a matter of configuration; in the midst of it, the run stops.
        raise RunStopped(f"{error}. {KEPT.capitalize()}") from error
    except KeyboardInterrupt:
        raise Interrupted(f"stopped; {KEPT}") from None
