"""Definitions without brackets: `green fluorescent protein, GFP,` and `GFP = green fluorescent protein`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from nlmchem.abbreviations.ab3p.candidates import REACH, tokens_between
from nlmchem.abbreviations.ab3p.matching import admitted, match
from nlmchem.abbreviations.ab3p.reading import Reading, is_symbol_like
from nlmchem.abbreviations.ab3p.vetoes import is_symbol
from nlmchem.abbreviations.ab3p.window import TokenWindow

_CUE = r"(?:or |hereafter |hereinafter |henceforth |abbreviated (?:as |to )?|termed |called |i\.e\.,? )"
_APPOSITION = re.compile(rf", ({_CUE})?([A-Za-z][\w/+-]{{1,11}})(?=[,;.:])")
_DENOTED = re.compile(
    r" ?,? (?:(?:hereafter |hereinafter |henceforth |herein |here |further )?"
    r"(?:denoted|referred to|abbreviated) (?:as|by|to)|herein(?:after)? called) "
    r"[\"'“‘«]?([A-Za-z][\w/+-]{1,11})(?![\w-])"
)
_EQUATION = re.compile(r"(?<![\w.<>=+*/^-])([A-Za-z\[][^\s=;,()]{0,11}) ?[=≡] ?(?=[^\W\d_])")
_END_OF_NAME = re.compile(r"[;,)\]=]|\.(?:\s|$)")


def in_running_text(text: str, readings: Iterable[Reading]) -> Iterator[Reading]:
    """Definitions without brackets. Short forms that brackets define already are skipped."""
    if "=" in text:
        yield from _equations(text)
    yield from _denoted(text, {reading.short for reading in readings})
    yield from _appositions(text, {reading.short for reading in readings})


def _equations(text: str) -> Iterator[Reading]:
    for sign in _EQUATION.finditer(text):
        form = sign[1]
        end = _END_OF_NAME.search(text, sign.end(), sign.end() + REACH)
        stop = end.start() if end else min(len(text), sign.end() + REACH)
        tokens = tokens_between(text, sign.end(), stop)
        if not tokens or tokens[0][0] != sign.end() or not admitted(form) or not any(map(str.isupper, form)):
            continue
        reading = match(text, form, TokenWindow.of(text, tokens))
        # The whole right side must be the long form, not a part of it.
        if reading and reading.long[0] == tokens[0][0] and len(form) > 1 and not is_symbol(text[slice(*reading.long)]):
            yield Reading(sign.span(1), reading.long, f"Equation+{reading.strategy}", reading.score)


def _denoted(text: str, known: Collection[tuple[int, int]]) -> Iterator[Reading]:
    for cue in _DENOTED.finditer(text):
        short = cue.span(1)
        form = cue[1]
        if short in known or sum(map(str.isupper, form)) < 2 or not is_symbol_like(text, short) or not admitted(form):
            continue
        tokens = tokens_between(text, max(0, cue.start() - REACH), cue.start())
        reading = match(text, form, TokenWindow.of(text, tokens)) if tokens else None
        if reading and reading.strategy.startswith("FirstLet"):
            yield Reading(short, reading.long, f"Denoted+{reading.strategy}", reading.score)


def _appositions(text: str, known: Collection[tuple[int, int]]) -> Iterator[Reading]:
    for comma in _APPOSITION.finditer(text):
        short = comma.span(2)
        form = comma[2]
        if short in known or sum(map(str.isupper, form)) < 2 or not is_symbol_like(text, short):
            continue
        tokens = tokens_between(text, max(0, comma.start() - REACH), comma.start())
        # Lists have commas too. Without a cue, at least three initials must match.
        if not tokens or (not comma[1] and len(form) < 3) or not admitted(form):
            continue
        reading = match(text, form, TokenWindow.of(text, tokens))
        if reading and reading.strategy.startswith("FirstLet") and "," not in text[slice(*reading.long)]:
            yield Reading(short, reading.long, f"Apposition+{reading.strategy}", reading.score)
