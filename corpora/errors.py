"""The errors of this project: one base class, and one class for each consequence.

The command line prints an error as one plain sentence; only `--debug` shows a traceback. A message states what is
wrong, where, and what to do.
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
    """Base class of all errors that this project raises."""

    exit_code = 1


class ConfigurationError(NlmchemError):
    """Wrong usage or configuration, detected before any work."""

    exit_code = 2


class ResourceError(NlmchemError):
    """Something that the whole run needs is missing: a lexicon, a model, a writable disk, a cluster."""

    exit_code = 2


class InputError(NlmchemError):
    """An input file cannot be read (further). The run continues with the next file."""

    exit_code = 3


class ArticleError(NlmchemError):
    """One article cannot be read, annotated or written. The run continues with the next article."""

    exit_code = 3
