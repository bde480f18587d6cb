"""The command line: one file for each group of commands. Results go to standard output, messages to standard error."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback

__all__ = ["main"]


def main() -> None:
    """Run the command line. Errors become one sentence; `nlmchem.cli.exit_codes` lists the exit codes."""
    from nlmchem.cli.app import app, wants_debug
    from nlmchem.cli.exit_codes import DONE, ending
    from nlmchem.progress import warn

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Text may contain lone surrogates, which no encoding can store: `\ud800`, as JSON writes it.
            stream.reconfigure(errors="backslashreplace")
    # Batch systems end a job with SIGTERM. It is handled like Ctrl-C: finished work is kept and the workers end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app()
    except BrokenPipeError:
        # The reader of our output has closed it. The interpreter would fail when it flushes the closed output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
    except (Exception, KeyboardInterrupt) as error:
        if wants_debug():
            traceback.print_exc()
        ended = ending(error)
        warn(ended.sentence)
        sys.exit(ended.code)
