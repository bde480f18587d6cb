"""The command line: one file a command group, no logic. Results on stdout, everything else on stderr."""

from __future__ import annotations

import os
import signal
import sys
import traceback

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script: prints errors as one sentence and sets the exit code.

    0 done; 1 unexpected, or the run could not go on; 2 wrong usage or configuration; 3 finished,
    but some articles failed.
    """
    from corpora.errors import NlmchemError
    from nlmchem.cli.app import app, wants_debug

    # Batch systems end a job so; it stops as by Ctrl-C, which keeps what is done and ends the workers.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app()
    except NlmchemError as error:
        if wants_debug():
            traceback.print_exc()
        print(f"nlmchem: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("nlmchem: stopped; what is done is kept, the same command goes on from there", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has had enough of it; the interpreter must not flush into the void.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if wants_debug():
            traceback.print_exc()
        print(
            f"nlmchem: unexpected {type(error).__name__}: {error}; "
            f"call `nlmchem --debug ...` and report what it prints",
            file=sys.stderr,
        )
        sys.exit(1)
