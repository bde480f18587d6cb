"""Where readers and writers say what they noticed: one plain sentence at a time.

Nothing is dropped silently: whoever skips, mends or cannot keep something calls its `Report` with a
sentence that says what, where and what to do.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["Place", "Report", "log", "said"]

Report = Callable[[str], None]

Place: TypeAlias = tuple[Any, str, object]
"""Where something stands: the place around it (None outermost), what it is, and its name or offset."""


def said(place: Place) -> str:
    """A place in words. Readers put them together only when there is something to tell."""
    around, what, name = place
    own = what if name is None else f"{what} {name!r}"
    return own if around is None else f"{said(around)}, {own}"


def log(sentence: str) -> None:
    """The default report: a warning of the logger `nlmchem`."""
    logging.getLogger("nlmchem").warning(sentence)
