"""Errors that stop a run, each reported in one sentence."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpora.errors import FULL, Argument, ConfigurationError, NlmchemError, ResourceError, system_error

KEPT = "finished articles are kept; run the same command again to continue"

# SQLite's primary result codes for an intact file that cannot be used: busy, locked, read-only, input/output error,
# full, cannot be opened. All other codes mean that the file is damaged.
_UNUSABLE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)


class RunStopped(NlmchemError):
    """The run cannot continue. Finished articles are kept, and the same command continues it."""

    exit_code = 1


class Interrupted(RunStopped):
    """The run was ended by Ctrl-C."""

    exit_code = 130


def is_broken(error: sqlite3.Error) -> bool:
    """Whether an error of SQLite means that the file is damaged or is not a ledger."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _UNUSABLE


def one_line(error: BaseException) -> str:
    """The message of an error on one line: SQLite quotes damaged parts of a file."""
    return " ".join(str(error).split())


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Report errors of the disk in one sentence, for a block that writes to the output folder."""
    try:
        yield
    except OSError as error:
        raise _of_the_disk(out, error) from error


@contextmanager
def in_one_sentence(out: Path) -> Iterator[None]:
    """Report errors of the ledger, the disk and the memory, missing resources and Ctrl-C in one sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if is_broken(error):
            raise RunStopped(
                f"the ledger of {out} is damaged ({one_line(error)}); use ",
                Argument("restart", True),
                " to process everything again",
            ) from error
        raise RunStopped(f"the ledger in {out} cannot be written ({error}): is the disk full? {KEPT}") from error
    except ResourceError as error:
        # Before any work this is an error of the configuration. Here the run has begun, so it stops.
        raise RunStopped(error.text, f". {KEPT.capitalize()}") from error
    except BrokenPipeError:
        # The reader of our messages has closed them.
        raise
    except OSError as error:
        raise _of_the_disk(out, error) from error
    except MemoryError as error:
        raise RunStopped(f"the run has not enough memory; end other programs. {KEPT.capitalize()}") from error
    except KeyboardInterrupt:
        raise Interrupted(f"stopped; {KEPT}") from None


def _of_the_disk(out: Path, error: OSError) -> RunStopped:
    if error.errno in FULL:
        return RunStopped(f"the disk of {out} is full; free some space. {KEPT.capitalize()}")
    return RunStopped(f"{system_error(error, str(out))}. {KEPT.capitalize()}")


@contextmanager
def opening(out: Path) -> Iterator[None]:
    """Report in one sentence that the output folder or its ledger cannot be opened.

    Raises `RunStopped` for a full disk, and `ConfigurationError` for any other reason.
    """
    try:
        yield
    except (OSError, sqlite3.DatabaseError) as error:
        if isinstance(error, OSError):
            is_full = error.errno in FULL
        else:
            # SQLite reports some errors of a full disk as errors of input and output.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            is_without_space = code == sqlite3.SQLITE_IOERR and shutil.disk_usage(out.parent).free == 0
            is_full = code == sqlite3.SQLITE_FULL or is_without_space
        if is_full:
            raise RunStopped(f"the disk of {out} is full; free some space and run the same command again") from error
        raise ConfigurationError(
            f"the output folder {out} cannot be written ({error}); choose another folder, or change its permissions"
        ) from error
