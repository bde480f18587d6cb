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
    from corpora.errors import NlmchemError, OptionError
    from corpora.reporting import warn
    from nlmchem.cli.app import app, wants_debug
    from nlmchem.cli.exit_codes import DONE, FAILED, INTERRUPTED

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Text may contain lone surrogates, which no encoding can store: `\ud800`, as JSON writes it.
            stream.reconfigure(errors="backslashreplace")
    # Batch systems end a job with SIGTERM. It is handled like Ctrl-C: finished work is kept and the workers end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app()
    except NlmchemError as error:
        if wants_debug():
            traceback.print_exc()
        warn(error.on_command_line() if isinstance(error, OptionError) else str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        warn("stopped; finished work is kept, and the same command continues it")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has closed it. The interpreter would fail when it flushes the closed output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
    except MemoryError:
        if wants_debug():
            traceback.print_exc()
        warn("there is not enough memory; end other programs, or use a machine with more, and run the command again")
        sys.exit(FAILED)
    except Exception as error:
        if wants_debug():
            traceback.print_exc()
        warn(
            f"unexpected {type(error).__name__}: {error}; "
            "run the command again with `nlmchem --debug ...` and report the traceback"
        )
        sys.exit(FAILED)
