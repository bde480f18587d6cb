"""A possible definition in a text, before it becomes a `Definition`."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpora.model.document import Definition, Span

_SYMBOL = re.compile(r"(?=[^\s]*[A-Z])\w[\w/.+-]+")
_ENDING = re.compile(r"(?<=[^\W_]{2})(?:['’]s|[-–,:])$")
_WELL_FOUNDED = ("FirstLet", "WithinWrdF", "ContLet")


class Reading(NamedTuple):
    """The spans of a short form and a long form in a text, the strategy, and the score."""

    short: Span
    long: Span
    strategy: str
    score: float


def is_well_founded(reading: Reading) -> bool:
    """Whether the strategy only uses words by their first letter. Needed if the layout is weak evidence."""
    return reading.strategy.rpartition("+")[2].startswith(_WELL_FOUNDED)


def is_circular(text: str, reading: Reading) -> bool:
    """Whether the long form contains the short form as a word: `EA (EA-exposed mosquitoes)` defines nothing."""
    word = rf"(?<![^\W_]){re.escape(text[slice(*reading.short)])}(?![^\W_])"
    return re.search(word, text[slice(*reading.long)]) is not None


def is_symbol_like(text: str, span: Span) -> bool:
    """Whether a span is one token of at least two characters that contains a capital."""
    return _SYMBOL.fullmatch(text, *span) is not None


def without_ending(text: str, span: Span) -> Span:
    """A token without a final genitive or hyphen: `CGIAR's`, `HMW-`. A single sign does not change."""
    ending = _ENDING.search(text, *span)
    return (span[0], ending.start()) if ending else span


def definition_of(text: str, reading: Reading, offset: int) -> Definition:
    """The definition for a reading of `text`. `offset` is added to its spans."""
    return Definition(
        text[slice(*reading.short)],
        text[slice(*reading.long)],
        (reading.short[0] + offset, reading.short[1] + offset),
        (reading.long[0] + offset, reading.long[1] + offset),
        reading.strategy,
        reading.score,
    )
