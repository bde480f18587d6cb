"""Short forms that extend another one: `N-methyl-D-aspartate (NMDA) receptor (NMDAR)`."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.words.folding import alphanumeric
from nlmchem.abbreviations.ab3p.alignment import align
from nlmchem.abbreviations.ab3p.candidates import Bracket, first_piece, tokens_between, unquoted
from nlmchem.abbreviations.ab3p.matching import admitted
from nlmchem.abbreviations.ab3p.precisions import ADDED, NESTED
from nlmchem.abbreviations.ab3p.reading import Reading
from nlmchem.abbreviations.ab3p.strategies import STRATEGIES
from nlmchem.abbreviations.ab3p.window import TokenWindow

MOST_WORDS = 4
"""The number of words that may follow the definition of the shorter form."""


def behind_definition(text: str, bracket: Bracket, readings: Sequence[Reading]) -> Reading | None:
    """The definition of a short form that begins with the one defined in the bracket before it.

    The rest of its letters are those of the words between both brackets. The long form contains the definition of the
    shorter form. `readings`: the definitions before the bracket, in text order.
    """
    if not readings or bracket.attached:
        return None
    shorter = readings[-1]
    short = unquoted(text, first_piece(text, bracket.inside))
    form, known = text[slice(*short)], text[slice(*shorter.short)].removesuffix("s")
    rest = alphanumeric(form[len(known) :])
    behind = max(shorter.short[1], shorter.long[1]) + 1
    if not form.startswith(known) or not rest or not admitted(form) or not behind < bracket.ceiling:
        return None
    if text[behind - 1] not in ")]":
        return None
    tokens = tokens_between(text, behind, bracket.ceiling)
    if not 1 <= len(tokens) <= MOST_WORDS or tokens[0][0] - behind > 1:
        return None
    window = TokenWindow.of(text, tokens)
    plural = rest.endswith("s") and window.tokens[-1].endswith("s") and len(rest) > 1
    for letters in [rest[:-1], rest] if plural else [rest]:
        hit = align(letters, window, STRATEGIES["FirstLetGen2"])
        if hit is not None and hit.token == 0:
            begin = min(shorter.short[0], shorter.long[0])
            return Reading(short, (begin, tokens[-1][1]), f"{NESTED}+FirstLetGen2", ADDED[NESTED])
    return None
