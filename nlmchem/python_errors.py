"""Errors for callers in Python: the same sentences, with arguments in place of flags of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from corpora.errors import NlmchemError, OptionError

__all__ = ["errors_for_python", "in_python"]

_FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)(?: (?!is\b|out\b|must\b|needs\b|to\b|FILE\b)([a-z0-9]+)\b)?")


def in_python(message: str) -> str:
    """A message with arguments in place of flags.

    >>> in_python("no CUDA device found; use --device cpu, or leave --as-of out")
    'no CUDA device found; use device="cpu", or leave as_of out'
    """

    def argument(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return name if found[2] is None else f'{name}="{found[2]}"'

    return _FLAG.sub(argument, message)


@contextmanager
def errors_for_python() -> Iterator[None]:
    """Raise errors of the block with arguments in place of flags."""
    try:
        yield
    except OptionError:
        raise
    except NlmchemError as error:
        message = in_python(str(error))
        if message == str(error):
            raise
        raise type(error)(message) from error
