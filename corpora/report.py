"""Where readers and writers say what they noticed: one plain sentence at a time.

Nothing is dropped silently: whoever skips, mends or cannot keep something calls its `Report` with a
sentence that says what, where and what to do.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

__all__ = ["Report", "log"]

Report = Callable[[str], None]


def log(sentence: str) -> None:
    """The default report: a warning of the logger `nlmchem`."""
    logging.getLogger("nlmchem").warning(sentence)
