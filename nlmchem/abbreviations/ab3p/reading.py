"""One way to read a stretch of text as a definition, before it becomes a `Definition`."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpora.model.document import Definition, Span

__all__ = ["Reading", "is_symbol_like", "is_well_founded", "without_ending", "written_out"]

_SYMBOL = re.compile(r"(?=[^\s]*[A-Z])\w[\w/.+-]+")
_ENDING = re.compile(r"(?<=[^\W_]{2})(?:['’]s|[-–,:])$")
_WELL_FOUNDED = ("FirstLet", "WithinWrdF", "ContLet")


class Reading(NamedTuple):
    """Places of short and long form in a text, and what found them."""

    short: Span
    long: Span
    strategy: str
    score: float


def is_well_founded(reading: Reading) -> bool:
    """Whether its strategy begins every word that it uses: enough where the layout alone says little."""
    return reading.strategy.rpartition("+")[2].startswith(_WELL_FOUNDED)


def is_symbol_like(text: str, span: Span) -> bool:
    """Whether a piece of text is one token of two characters and more with a capital in it."""
    return _SYMBOL.fullmatch(text, *span) is not None


def without_ending(text: str, span: Span) -> Span:
    """A token without a genitive or a hyphen at its end: `CGIAR's`, `HMW-`; a lone sign is left alone."""
    ending = _ENDING.search(text, *span)
    return (span[0], ending.start()) if ending else span


def written_out(text: str, reading: Reading, offset: int) -> Definition:
    """The definition that a reading of `text` makes; `offset` is added to its spans."""
    return Definition(
        text[slice(*reading.short)],
        text[slice(*reading.long)],
        (reading.short[0] + offset, reading.short[1] + offset),
        (reading.long[0] + offset, reading.long[1] + offset),
        reading.strategy,
        reading.score,
    )
