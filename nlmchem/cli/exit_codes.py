"""How a command ends: the exit codes, which `nlmchem --help` prints, and the sentence for an error."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click

from corpora.commands.command import DONE, FAILED, INCOMPLETE, INTERRUPTED, USAGE
from corpora.commands.options import with_flags
from corpora.errors import ConfigurationError, NlmchemError, command, shortened, system_error
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


@dataclass(frozen=True, slots=True)
class Foreign:
    """Flags of other programs."""

    names: tuple[str, ...]
    flag: str | None = None
    """The flag that works, in commands that have it."""
    value: str = ""
    otherwise: str | None = None
    """A sentence for all commands, or for those without the flag."""


FOREIGN = (
    Foreign(
        ("--jobs", "-j", "--n-jobs", "--num-workers", "--threads", "--processes", "--n-process", "--cpus"),
        "--workers",
        " N",
        "leave it out: it has no worker processes",
    ),
    Foreign(
        ("--verbose", "-v", "--progress"),
        otherwise="progress and notes are printed by default, and --quiet leaves them out; "
        "`nlmchem --debug ...` shows the traceback of an error",
    ),
    Foreign(("--silent", "--log-level"), "--quiet"),
    Foreign(
        ("--dry-run",),
        otherwise=f"{command('corpora stats INPUT')} reads an input and writes nothing, and no command replaces files "
        "that it did not write",
    ),
    Foreign(("--output", "--output-dir", "--outdir", "--outfile", "--out-dir", "-O"), "--out", " PATH"),
    Foreign(("--input", "--input-dir", "--in", "-i"), otherwise="write the input without a flag"),
    Foreign(("--model", "-m", "--model-path"), "--tagger", " NAME"),
    Foreign(("--force", "-f", "--yes", "-y"), "--overwrite"),
    Foreign(("--gpu", "--cuda", "--use-gpu", "-g"), "--device", " cuda"),
    Foreign(("--threshold", "--min-confidence", "-t"), "--min-score", " X"),
    Foreign(("--resume", "--continue"), otherwise="the same command continues where it stopped"),
    Foreign(
        ("--batch-size", "-b"),
        otherwise="leave it out: articles are divided by their length, and results do not depend on it",
    ),
    Foreign(("--recursive", "-r", "-R"), otherwise="leave it out: folders are read with the folders in them"),
    Foreign(("--output-format", "--to"), "--format", " NAME"),
    Foreign(("--config-file", "-c"), "--config", " FILE"),
    Foreign(("--dictionary-file", "--mesh", "--kb"), "--lexicon", " PATH"),
    Foreign(("--ids", "--pmcid", "--pmid"), otherwise=f"fetch articles first: {command('fetch pmc --ids FILE')}"),
    Foreign(("--version", "-V"), otherwise="use `nlmchem --version`"),
)
"""All flags of other programs that have an answer."""

_CLOSE = 0.6
"""How similar a mistyped flag is to the flag, from 0 to 1."""


@contextmanager
def unknown_flags_explained(context: click.Context) -> Iterator[None]:
    """Raise `ConfigurationError` that names what works, for a flag that the command does not have."""
    try:
        yield
    except click.NoSuchOption as error:
        flags = [flag for parameter in context.command.get_params(context) for flag in parameter.opts]
        name, path = error.option_name, context.command_path
        remedy = _remedy(name, path, [flag for flag in flags if flag.startswith("-")])
        raise ConfigurationError(f"`{path}` has no option {name}; {remedy}") from None


def _remedy(name: str, path: str, flags: Sequence[str]) -> str:
    from difflib import get_close_matches

    foreign = next((entry for entry in FOREIGN if name in entry.names), None)
    if foreign is not None:
        if foreign.flag in flags:
            return f"use {foreign.flag}{foreign.value}"
        if foreign.otherwise is not None:
            return foreign.otherwise
    if similar := get_close_matches(name, flags, 1, _CLOSE):
        return f"did you mean {similar[0]}?"
    return f"`{path} {'--help-all' if '--help-all' in flags else '--help'}` lists its options"
