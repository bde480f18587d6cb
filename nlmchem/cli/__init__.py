"""The command line: spells flags from the options of commands and prints their results on standard output; messages go
to standard error."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
import traceback
from typing import BinaryIO, TextIO, cast

__all__ = ["main"]

LINGER = 10.0
"""Seconds after the end of a command after which its process ends, whatever threads it has."""


def main() -> None:
    """Run the command line. Errors become one sentence; `nlmchem.cli.exit_codes` lists the exit codes."""
    # Batch systems end a job with SIGTERM, and a terminal that is closed with SIGHUP. They are handled like Ctrl-C:
    # finished work is kept and the workers end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # As `nohup` sets it.
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        _open_closed_streams()
        try:
            os.getcwd()  # noqa: PTH109
        except FileNotFoundError:
            # Neither paths nor workers work then.
            from corpora.errors import ConfigurationError

            raise ConfigurationError("the current folder has been deleted; change to another folder") from None
        code = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        code = 0
    except (Exception, KeyboardInterrupt) as error:
        code = _explain(error)
    if _output_fails():
        # What could not be written is discarded: the interpreter would try again at its end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    threading.Thread(target=_end_later, args=(code,), daemon=True).start()
    sys.exit(code)


def _end_later(code: int) -> None:
    """End the process if a thread of a plugin keeps it alive: Python waits for such threads without end."""
    threading.main_thread().join()
    time.sleep(LINGER)
    print(
        "nlmchem: the command is done; a plugin has a thread that does not end, so its process is ended",
        file=sys.stderr,
    )
    os._exit(code)


def _run() -> int:
    import click

    from corpora.reporting import Visible
    from nlmchem.cli.app import program

    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty():
        # What commands write as bytes passes through it, too.
        visible = cast(BinaryIO, Visible(sys.stdout.buffer, sys.stdout.encoding, owner=sys.stdout))
        sys.stdout = io.TextIOWrapper(visible, sys.stdout.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Text may contain lone surrogates, which no encoding can store: `\\ud800`, as JSON writes it.
            stream.reconfigure(errors="backslashreplace")
    try:
        ended = program().main(prog_name="nlmchem", standalone_mode=False)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        from corpora.errors import ConfigurationError

        text = error.format_message().rstrip(".")
        raise ConfigurationError(f"{text[:1].lower()}{text[1:]}; `nlmchem --help` shows what works") from None
    return ended if isinstance(ended, int) else 0


def _explain(error: BaseException) -> int:
    """Print the sentence for an error. Returns the exit code."""
    from corpora.errors import FULL
    from nlmchem.cli.exit_codes import ending
    from nlmchem.commands.progress import warn

    if "--debug" in sys.argv[1:]:
        traceback.print_exception(error)
    # Errors of writing files name them, so a full disk without a name is standard output.
    is_output = _output_fails() or (isinstance(error, OSError) and error.errno in FULL)
    ended = ending(error, *(("standard output",) if is_output else ()))
    warn(ended.sentence)
    return ended.code


def _open_closed_streams() -> None:
    """Give a closed standard stream a descriptor that fails when it is used.

    Without it, the next file that is opened, such as a database, would get the number of the stream.
    """
    # Reading and writing raise EBADF, because the access is the opposite of the use. Messages are discarded.
    accesses = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)
    for number, access in enumerate(accesses):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, access), True)
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(number: int, mode: str) -> TextIO:
    return cast(TextIO, open(number, mode, encoding="utf-8", closefd=False))


def _output_fails() -> bool:
    """Whether text for standard output could not be written: it is kept, and writing it again fails again."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        return True
    return False
