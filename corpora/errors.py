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
    "OptionError",
    "ResourceError",
    "UnclaimedError",
]


class NlmchemError(Exception):
    """Base class of all errors that this project raises."""

    exit_code = 1


class ConfigurationError(NlmchemError):
    """Wrong usage or configuration, detected before any work."""

    exit_code = 2


class OptionError(ConfigurationError):
    """An option has a wrong value. The message consists of the name of the option and the problem.

    `str` gives the name in Python (`min_score must be ...`), `on_command_line` gives the flag (`--min-score must ...`).
    """

    def __init__(self, option: str, problem: str) -> None:
        # Both are arguments of the exception, so that it can be pickled.
        super().__init__(option, problem)
        self.option = option
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.option} {self.problem}"

    def on_command_line(self) -> str:
        """The message with the flag in place of the argument: `--min-score must be ...`."""
        return f"--{self.option.replace('_', '-')} {self.problem}"


class ResourceError(NlmchemError):
    """Something that the whole run needs is missing: a lexicon, a model, a writable disk, a cluster."""

    exit_code = 2


class InputError(NlmchemError):
    """An input file cannot be read (further). The run continues with the next file."""

    exit_code = 3


class UnclaimedError(InputError):
    """The content of a file has none of the formats that are read, for example a picture or a PDF.

    Folders and archives contain such files; they are skipped and counted.
    """


class ArticleError(NlmchemError):
    """One article cannot be read, annotated or written. The run continues with the next article."""

    exit_code = 3
