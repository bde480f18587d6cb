"""The exit codes of all commands. `nlmchem --help` prints them; each error of `corpora.errors` has one of them."""

from __future__ import annotations

__all__ = ["DONE", "EXIT_CODES", "FAILED", "INCOMPLETE", "INTERRUPTED", "USAGE"]

DONE = 0
FAILED = 1
USAGE = 2
INCOMPLETE = 3
INTERRUPTED = 130

EXIT_CODES = {
    DONE: "done",
    FAILED: "stopped by an error; nothing found (lexicon lookup); a check failed (doctor)",
    USAGE: "wrong options, or a missing file or model; nothing was done",
    INCOMPLETE: "not complete: articles failed, differences were found, or --minutes ended it",
    INTERRUPTED: "stopped by Ctrl-C or SIGTERM; finished work is kept",
}
