"""One base class, and kinds of errors sorted by their consequence.

The command line prints every one of them as a plain sentence; only `--debug` shows a traceback.
A message says what is wrong, where, and what to do.
"""

from __future__ import annotations

__all__ = [
    "ArticleError",
    "ConfigurationError",
    "InputError",
    "NlmchemError",
    "ResourceError",
]


class NlmchemError(Exception):
    """Base of every error that this project raises on purpose."""

    exit_code = 1


class ConfigurationError(NlmchemError):
    """Wrong usage or configuration; found before any work is done."""

    exit_code = 2


class ResourceError(NlmchemError):
    """Something that the whole run needs is not there: a lexicon, a model, a writable disk, a cluster."""

    exit_code = 2


class InputError(NlmchemError):
    """An input file cannot be read (any further); the run goes on with the next file."""

    exit_code = 3


class ArticleError(NlmchemError):
    """One article cannot be read, annotated or written; the run goes on with the next article."""

    exit_code = 3
