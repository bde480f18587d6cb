"""Finds the definitions of abbreviations in a text. Source: Sohn et al. 2008.

Not in Ab3P: brackets with more than a short form, brackets without a space before them, definitions in running text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from corpora.model.document import Definition, Span
from corpora.words.folding import alphanumeric
from nlmchem.abbreviations.ab3p.alignment import ADDED, NESTED, SYSTEMATIC, aligned
from nlmchem.abbreviations.ab3p.candidates import (
    QUOTED_WORD,
    REACH,
    Bracket,
    TokenWindow,
    brackets,
    first_piece,
    trimmed,
    unquoted,
    with_plain_brackets,
    without_enumerations,
)
from nlmchem.abbreviations.ab3p.matching import Reading, admitted, is_symbol, match

LONGEST_INSIDE = 10
"""The maximum number of tokens inside a bracket. Longer brackets are remarks."""
MOST_WORDS = 4
"""The number of words that may follow the definition of a shorter form."""

_SYMBOL = re.compile(r"(?=[^\s]*[A-Z])\w[\w/.+-]+")
_ENDING = re.compile(r"(?<=[^\W_]{2})(?:['’]s|[-–,:])$")
# `(HSP family)`, `(CaBP1 and CaBP2)`, `(CaM [4])`
_REMARK = re.compile(r"\s(?:and|or|family|genes?|proteins?|domains?|respectively)\b|\s[(\[]")
# `(hereafter DHA)`, `(abbreviated as DHA)`, `(the so-called DHA)`
_INTRODUCTION = re.compile(
    r"(?:or|i\.e\.,?|the|also|hereafter|hereinafter|henceforth|here|referred to|called|so-called|termed|named|known"
    r"|abbreviated|designated|denoted|as|to|by|in short|abbr\.?:?)[ ,]+"
)


def detect(text: str, *, offset: int = 0) -> list[Definition]:
    """The definitions in a text, in text order.

    `offset` (code points) is added to the spans. Scores are from 0 to 1: the pseudo-precision of the strategy in Ab3P,
    or for others the measured share of correct pairs (docs/measurements/abbreviations.md). There is no threshold.

    >>> [d.long_form for d in detect("Mice were fed docosahexaenoic acid (DHA).")]
    ['docosahexaenoic acid']
    """
    plain = with_plain_brackets(text)
    readings: list[Reading] = []
    for bracket in without_enumerations(plain, list(brackets(text))):
        reading = _in_bracket(plain, bracket) or _behind_definition(plain, bracket, readings)
        if reading is not None and not _is_circular(plain, reading):
            readings.append(reading)
    readings += list(_in_running_text(plain, {reading.short for reading in readings}))
    readings.sort(key=lambda reading: (min(reading.short, reading.long), reading.short))
    return [reading.definition(text, offset) for reading in readings]


def _in_bracket(text: str, bracket: Bracket) -> Reading | None:
    """The better one of the two readings of Ab3P, or else the first one that Ab3P does not try."""
    if bracket.attached:
        # `CD40 ligand(CD40L)`
        if not text[bracket.opener - 1].isalpha() or sum(map(str.isupper, text[slice(*bracket.inside)])) < 2:
            return None
        return _trusted(text, match(text, bracket.inside, TokenWindow.between(text, bracket.floor, bracket.ceiling)))
    before = TokenWindow.between(text, bracket.floor, bracket.ceiling)
    piece = first_piece(text, bracket.inside)
    forward = match(text, piece, before)
    backward = _backward(text, piece, before)
    if backward and (forward is None or backward.score > forward.score):
        return backward
    other = forward or next(filter(None, _other_layouts(text, bracket.inside, piece, before)), None)
    return other or _before_name(text, bracket.inside, before)


def _backward(text: str, inside: Span, before: TokenWindow | None, skipped: int = 0) -> Reading | None:
    """The bracket contains the long form, and the short form is before it, or before `skipped` tokens before it."""
    if before is None or len(before.spans) <= skipped or text.count(" ", *inside) >= LONGEST_INSIDE:
        return None
    # Without a final genitive or hyphen: `CGIAR's`, `HMW-`. A single sign does not change.
    start, end = before.spans[-1 - skipped]
    ending = _ENDING.search(text, start, end)
    short = unquoted(text, (start, ending.start() if ending else end))
    if not any(map(str.isupper, text[slice(*short)])):
        return None
    return match(text, short, TokenWindow.between(text, *inside))


def _other_layouts(text: str, inside: Span, piece: Span, before: TokenWindow | None) -> Iterator[Reading | None]:
    """The readings that Ab3P does not try, in order. `piece`: the first piece of the bracket."""
    # `(hereafter DHA)`
    start, end = piece
    while introduction := _INTRODUCTION.match(text, start, end):
        start = introduction.end()
    if piece[0] < start < end:
        yield _trusted(text, match(text, (start, end), before))

    # The only quoted word: `(in the following "BMI")`
    words = [word.span(1) for word in QUOTED_WORD.finditer(text, *inside)]
    if len(words) == 1 and _is_symbol_like(text, words[0]):
        yield _trusted(text, match(text, words[0], before))

    # `(HSP family)`
    if remark := _REMARK.search(text, *piece):
        short = trimmed(text, piece[0], remark.start())
        if _is_symbol_like(text, short):
            yield _trusted(text, match(text, short, before))

    # `(long form, SHORT)`, or `(something; SHORT)` after the long form. `(Carlsbad, CA)`: two letters after a comma are
    # a state.
    for mark in (", ", "; "):
        at = text.rfind(mark, *inside)
        if at < 0:
            continue
        short = unquoted(text, trimmed(text, at + 2, inside[1]))
        if not _is_symbol_like(text, short) or (mark == ", " and short[1] - short[0] <= 2):
            continue
        reading = match(text, short, TokenWindow.between(text, inside[0], at))
        if reading is None and mark == "; ":
            reading = match(text, short, before)
        if reading and reading.is_well_founded and "," not in text[slice(*reading.long)]:
            yield reading

    # The short form is before the bracket, and the commas in the bracket belong to the long form.
    whole = trimmed(text, *inside)
    reading = _backward(text, whole, before) if piece[1] < whole[1] else None
    if reading and reading.is_well_founded:
        yield reading

    # A noun between short form and bracket: `EMLA cream (eutectic mixture of local anesthetics)`.
    reading = _trusted(text, _backward(text, piece, before, skipped=1))
    if reading and text.count(" ", *reading.long) > 1:
        yield reading


_LOCANT = r"(?:\d+[a-z]?(?:[,:]\d+[a-z]?)*['′]*|[αβγNOS](?:,[NOS])*['′]*|[RSEZDL])"
_SYSTEMATIC = re.compile(
    rf"[(\[{{]*{_LOCANT}[-‐‑–(](?=\S*?[a-z]{{5}})(?=.*?\d[-‐‑–,])\S{{12,}}(?: [a-z]{{4}}[\w()\[\]-]*){{0,3}}"
)
_CAPITALS = re.compile(r"(?!(?:[HU]?PLC|[HC]?NMR|GLC|HPTLC)$)[A-Z]{3,8}(?:-[A-Z]{2})?")


def _before_name(text: str, inside: Span, before: TokenWindow | None) -> Reading | None:
    """A short form before the systematic name of its compound, whose letters it need not have: `XTT (2,3-bis-...)`.

    The corpora do not count codes with numbers (`SCH-23390`).
    """
    if before is None:
        return None
    short, long = before.spans[-1], trimmed(text, *inside)
    if not _CAPITALS.fullmatch(text, *short) or not _SYSTEMATIC.fullmatch(text, *long):
        return None
    return Reading(short, long, SYSTEMATIC, ADDED[SYSTEMATIC])


def _trusted(text: str, reading: Reading | None) -> Reading | None:
    """The reading, if its letters are strong evidence. Needed if the layout is weak evidence."""
    return reading if reading and reading.is_well_founded and " " in text[slice(*reading.long)] else None


def _is_symbol_like(text: str, span: Span) -> bool:
    """Whether a span is one token of at least two characters that contains a capital."""
    return _SYMBOL.fullmatch(text, *span) is not None


def _is_circular(text: str, reading: Reading) -> bool:
    """Whether the long form contains the short form as a word: `EA (EA-exposed mosquitoes)` defines nothing."""
    word = rf"(?<![^\W_]){re.escape(text[slice(*reading.short)])}(?![^\W_])"
    return re.search(word, text[slice(*reading.long)]) is not None


def _behind_definition(text: str, bracket: Bracket, readings: Sequence[Reading]) -> Reading | None:
    """A short form that extends the one in the bracket before: `N-methyl-D-aspartate (NMDA) receptor (NMDAR)`.

    The rest of its letters are those of the words between both brackets. The long form contains the definition of the
    shorter form. `readings`: the definitions before the bracket, in text order.
    """
    if not readings or bracket.attached:
        return None
    shorter = readings[-1]
    short = first_piece(text, bracket.inside)
    form, known = text[slice(*short)], text[slice(*shorter.short)].removesuffix("s")
    rest = alphanumeric(form[len(known) :])
    behind = max(shorter.short[1], shorter.long[1]) + 1
    if not form.startswith(known) or not rest or not admitted(form) or not behind < bracket.ceiling:
        return None
    window = TokenWindow.between(text, behind, bracket.ceiling) if text[behind - 1] in ")]" else None
    if window is None or len(window.spans) > MOST_WORDS or window.spans[0][0] - behind > 1:
        return None
    plural = rest.endswith("s") and window.tokens[-1].endswith("s") and len(rest) > 1
    for letters in [rest[:-1], rest] if plural else [rest]:
        hit = aligned("FirstLetGen2", letters, window)
        if hit is not None and hit.token == 0:
            begin = min(shorter.short[0], shorter.long[0])
            return Reading(short, (begin, window.spans[-1][1]), f"{NESTED}+FirstLetGen2", ADDED[NESTED])
    return None


_CUE = r"(?:or |hereafter |hereinafter |henceforth |abbreviated (?:as |to )?|termed |called |i\.e\.,? )"
_APPOSITION = re.compile(rf", ({_CUE})?([A-Za-z][\w/+-]{{1,11}})(?=[,;.:])")
_DENOTED = re.compile(
    r" ?,? (?:(?:hereafter |hereinafter |henceforth |herein |here |further )?"
    r"(?:denoted|referred to|abbreviated) (?:as|by|to)|herein(?:after)? called) "
    r"[\"'“‘«]?([A-Za-z][\w/+-]{1,11})(?![\w-])"
)
_EQUATION = re.compile(r"(?<![\w.<>=+*/^-])([A-Za-z\[][^\s=;,()]{0,11}) ?[=≡] ?(?=[^\W\d_])")
_END_OF_NAME = re.compile(r"[;,)\]=]|\.(?:\s|$)")


def _in_running_text(text: str, known: Collection[Span]) -> Iterator[Reading]:
    """Definitions without brackets. `known`: short forms that brackets define already."""
    # `GFP = green fluorescent protein`: the whole right side must be the long form, not a part of it.
    for sign in _EQUATION.finditer(text) if "=" in text else ():
        form, start = sign[1], sign.end()
        end = _END_OF_NAME.search(text, start, start + REACH)
        window = TokenWindow.between(text, start, end.start() if end else min(len(text), start + REACH))
        if window is None or window.spans[0][0] != start or len(form) < 2 or not any(map(str.isupper, form)):
            continue
        reading = match(text, sign.span(1), window)
        if reading and reading.long[0] == start and not is_symbol(text[slice(*reading.long)]):
            yield reading._replace(strategy=f"Equation+{reading.strategy}")

    # `green fluorescent protein, hereafter referred to as GFP`
    for cue in _DENOTED.finditer(text):
        reading = _by_initials(text, cue.span(1), cue.start(), known)
        if reading:
            yield reading._replace(strategy=f"Denoted+{reading.strategy}")

    # `green fluorescent protein, GFP,`: lists have commas too. Without a cue, at least three initials must match.
    for comma in _APPOSITION.finditer(text):
        reading = _by_initials(text, comma.span(2), comma.start(), known) if comma[1] or len(comma[2]) > 2 else None
        if reading and "," not in text[slice(*reading.long)]:
            yield reading._replace(strategy=f"Apposition+{reading.strategy}")


def _by_initials(text: str, short: Span, end: int, known: Collection[Span]) -> Reading | None:
    """The definition of a short form by the initials of the words before `end`."""
    if short in known or sum(map(str.isupper, text[slice(*short)])) < 2 or not _is_symbol_like(text, short):
        return None
    reading = match(text, short, TokenWindow.between(text, max(0, end - REACH), end))
    return reading if reading and reading.strategy.startswith("FirstLet") else None
