"""Finds the definitions of abbreviations in a text. Source: Sohn et al. 2008.

Not in Ab3P: brackets with more than a short form, brackets without a space before them, definitions in running text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpora.model.document import Definition, Span
from nlmchem.abbreviations.ab3p.candidates import (
    LONGEST_INSIDE,
    Bracket,
    brackets,
    first_piece,
    quoted_word,
    tokens_between,
    trimmed,
    unquoted,
    with_plain_brackets,
)
from nlmchem.abbreviations.ab3p.enumeration import without_enumerations
from nlmchem.abbreviations.ab3p.matching import admitted, match
from nlmchem.abbreviations.ab3p.nested import behind_definition
from nlmchem.abbreviations.ab3p.reading import (
    Reading,
    definition_of,
    is_circular,
    is_symbol_like,
    is_well_founded,
    without_ending,
)
from nlmchem.abbreviations.ab3p.running_text import in_running_text
from nlmchem.abbreviations.ab3p.window import TokenWindow


def detect(text: str, *, offset: int = 0) -> list[Definition]:
    """The definitions in a text, in text order.

    `offset` (code points) is added to the spans. Scores are from 0 to 1: the pseudo-precision of the strategy in Ab3P,
    or for others the measured share of correct pairs (docs/measurements/abbreviations.md). There is no threshold.

    >>> [d.long_form for d in detect("Mice were fed docosahexaenoic acid (DHA).")]
    ['docosahexaenoic acid']
    """
    readings = _readings(with_plain_brackets(text), brackets(text))
    readings.sort(key=lambda reading: (min(reading.short, reading.long), reading.short))
    return [definition_of(text, reading, offset) for reading in readings]


def _readings(text: str, brackets: Iterable[Bracket]) -> list[Reading]:
    readings: list[Reading] = []
    for bracket in without_enumerations(text, list(brackets)):
        reading = _Bracketed(text, bracket).best() or behind_definition(text, bracket, readings)
        if reading is not None and not is_circular(text, reading):
            readings.append(reading)
    return readings + list(in_running_text(text, readings))


# `(HSP family)`, `(CaBP1 and CaBP2)`, `(CaM [4])`
_REMARK = re.compile(r"\s(?:and|or|family|genes?|proteins?|domains?|respectively)\b|\s[(\[]")
# `(hereafter DHA)`, `(abbreviated as DHA)`, `(the so-called DHA)`
_INTRODUCTION = re.compile(
    r"(?:or|i\.e\.,?|the|also|hereafter|hereinafter|henceforth|here|referred to|called|so-called|termed|named|known"
    r"|abbreviated|designated|denoted|as|to|by|in short|abbr\.?:?)[ ,]+"
)


class _Bracketed:
    """The readings of one bracket pair. The window before it is made when it is first needed."""

    __slots__ = ("_bracket", "_text", "_window")

    def __init__(self, text: str, bracket: Bracket) -> None:
        self._text = text
        self._bracket = bracket
        self._window: TokenWindow | None = None

    def best(self) -> Reading | None:
        """The best reading: the better one of the two of Ab3P, or else one that Ab3P does not try."""
        if self._bracket.attached:
            return self._attached()
        piece = unquoted(self._text, first_piece(self._text, self._bracket.inside))
        forward = self._forward(piece)
        backward = self._backward(piece)
        if backward and (forward is None or backward.score > forward.score):
            return backward
        return forward or self._otherwise(piece)

    def _otherwise(self, piece: Span) -> Reading | None:
        readers = (self._introduced, self._quoted, self._with_remark, self._in_pieces, self._whole, self._penultimate)
        return next((reading for read in readers if (reading := read(piece)) is not None), None)

    def _forward(self, short: Span) -> Reading | None:
        """The bracket contains the short form."""
        form = self._text[slice(*short)]
        return self._read(short, form, self._before()) if admitted(form) else None

    def _backward(self, inside: Span, skipped: int = 0) -> Reading | None:
        """The bracket contains the long form, and the short form is before it."""
        before = self._before()
        if before is None or len(before.spans) <= skipped or self._text.count(" ", *inside) >= LONGEST_INSIDE:
            return None
        short = unquoted(self._text, without_ending(self._text, before.spans[-1 - skipped]))
        form = self._text[slice(*short)]
        if not admitted(form) or not any(map(str.isupper, form)):
            return None
        tokens = tokens_between(self._text, *inside)
        return self._read(short, form, TokenWindow.of(self._text, tokens)) if tokens else None

    def _attached(self) -> Reading | None:
        """`CD40 ligand(CD40L)`"""
        form = self._text[slice(*self._bracket.inside)]
        if not self._text[self._bracket.opener - 1].isalpha() or sum(map(str.isupper, form)) < 2:
            return None
        return self._trusted(self._forward(self._bracket.inside))

    def _introduced(self, piece: Span) -> Reading | None:
        start, end = piece
        while introduction := _INTRODUCTION.match(self._text, start, end):
            start = introduction.end()
        return self._trusted(self._forward((start, end))) if piece[0] < start < end else None

    def _quoted(self, piece: Span) -> Reading | None:
        """`(in the following "BMI")`"""
        short = quoted_word(self._text, self._bracket.inside)
        return self._trusted(self._forward(short)) if short and is_symbol_like(self._text, short) else None

    def _with_remark(self, piece: Span) -> Reading | None:
        cut = _REMARK.search(self._text, *piece)
        if not cut:
            return None
        short = trimmed(self._text, piece[0], cut.start())
        return self._trusted(self._forward(short)) if is_symbol_like(self._text, short) else None

    def _in_pieces(self, piece: Span) -> Reading | None:
        """`(long form, SHORT)`, or `(something; SHORT)` after the long form."""
        start, end = self._bracket.inside
        for mark in (", ", "; "):
            at = self._text.rfind(mark, start, end)
            if at < 0:
                continue
            short = unquoted(self._text, trimmed(self._text, at + 2, end))
            if not is_symbol_like(self._text, short):
                continue
            form = self._text[slice(*short)]
            # `(Carlsbad, CA)`: two letters after a comma are a state.
            if admitted(form) and (mark == "; " or len(form) > 2):
                tokens = tokens_between(self._text, start, at)
                reading = self._read(short, form, TokenWindow.of(self._text, tokens)) if tokens else None
                if reading is None and mark == "; ":
                    reading = self._read(short, form, self._before())
                if reading and is_well_founded(reading) and "," not in self._text[slice(*reading.long)]:
                    return reading
        return None

    def _whole(self, piece: Span) -> Reading | None:
        """The short form is before a bracket, and the commas in the bracket belong to the long form."""
        whole = trimmed(self._text, *self._bracket.inside)
        reading = self._backward(whole) if piece[1] < whole[1] else None
        return reading if reading and is_well_founded(reading) else None

    def _penultimate(self, piece: Span) -> Reading | None:
        """A noun between short form and bracket: `EMLA cream (eutectic mixture of local anesthetics)`."""
        reading = self._trusted(self._backward(piece, skipped=1))
        return reading if reading and self._text.count(" ", *reading.long) > 1 else None

    def _trusted(self, reading: Reading | None) -> Reading | None:
        """The reading, if its letters are strong evidence. Needed if the layout is weak evidence."""
        if reading and is_well_founded(reading) and " " in self._text[slice(*reading.long)]:
            return reading
        return None

    def _read(self, short: Span, form: str, window: TokenWindow | None) -> Reading | None:
        matched = match(self._text, form, window) if window is not None else None
        return Reading(short, *matched) if matched else None

    def _before(self) -> TokenWindow | None:
        if self._window is None:
            tokens = tokens_between(self._text, self._bracket.floor, self._bracket.ceiling)
            if tokens:
                self._window = TokenWindow.of(self._text, tokens)
        return self._window
