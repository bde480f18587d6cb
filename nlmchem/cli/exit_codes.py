"""How a command ends: the exit codes, which `nlmchem --help` prints, and the sentence for an error."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from corpora.commands.command import DONE, FAILED, INCOMPLETE, INTERRUPTED, USAGE
from corpora.commands.options import with_flags
from corpora.errors import NlmchemError, shortened, system_error
from corpora.plugins import raised_by, unexpected

__all__ = ["DONE", "EXIT_CODES", "FAILED", "INCOMPLETE", "INTERRUPTED", "USAGE", "Ending", "ending"]

EXIT_CODES = {
    DONE: "done; or the reader of the output has closed it",
    FAILED: "stopped by an error; nothing found (lexicon lookup); a check failed (doctor)",
    USAGE: "wrong options, or a missing file or model; nothing was done",
    INCOMPLETE: "not complete: articles failed, differences were found, or --minutes ended it",
    INTERRUPTED: "stopped by Ctrl-C or SIGTERM; finished work is kept",
}


_PATH_ERRORS = (
    errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP,
)  # fmt: skip
"""Errors that another path or other permissions correct."""


@dataclass(frozen=True, slots=True)
class Ending:
    """One sentence for the user, and the exit code of the process."""

    sentence: str
    code: int
    expected: bool = True
    """False for an error that only a defect of this program can explain."""


def ending(error: BaseException, unnamed: str = "a file or a stream") -> Ending:
    """The ending of a command that raised this error. `unnamed`: what an error of the system without a path is of."""
    match error:
        case NlmchemError():
            return Ending(with_flags(error.text, error.flags), error.exit_code)
        case KeyboardInterrupt():
            return Ending("stopped; finished work is kept, and the same command continues it", INTERRUPTED)
        case MemoryError():
            remedy = "end other programs, or use a machine with more, and run the command again"
            return Ending(f"there is not enough memory; {remedy}", FAILED)
        case OSError(errno=int() as number):
            return Ending(system_error(error, unnamed), USAGE if number in _PATH_ERRORS else FAILED)
    if raised_by(error) is not None:
        return Ending(unexpected(error), FAILED)
    return Ending(
        f"unexpected {type(error).__name__}: {shortened(str(error), 1000)}; "
        "run the command again with `nlmchem --debug ...` and report the traceback",
        FAILED,
        expected=False,
    )
