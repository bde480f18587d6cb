"""Amino-acid codes with three letters and one, alone and with residue numbers: `Arg`, `Ser473`, `S473`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from sieves.chemistry.amino_acids import BY_ONE_LETTER, BY_THREE_LETTERS

_THREE_LETTERS = re.compile(
    r"(?:(?P<phosphate>[pP]-?|phospho-?)|[dlDL]{1,2}-)?(?P<code>[A-Z][a-z]{2}|[A-Z]{3})[-\s(]*(?P<number>\d{0,4})\)?"
)
_LETTER = f"[{''.join(sorted(BY_ONE_LETTER))}]"
_ONE_LETTER = re.compile(rf"(?P<phosphate>p?)(?P<code>{_LETTER})-?(?P<number>\d{{2,4}})")
_CAPITALS = "|".join(code.upper() for code in BY_THREE_LETTERS)
DOUBTFUL = re.compile(rf"{_CAPITALS}|(?<![^\W_])p?{_LETTER}-?\d{{2,4}}(?![A-Z\d])")
"""Found in every text for which the other mentions of the article decide whether it is a code."""
FEWEST_CODES = 2
"""Different codes that an article must have for three capitals without a number to count as one."""


def names(text: str, surfaces: Set[str]) -> Iterator[str]:
    """The names of the amino acid that a text is the code of, in an article with these mentions; the best first.

    Three letters count as written (`Arg`, `Ser473`). Three capitals count with a number, or if the article has two
    different codes. One letter with a number of at least two digits (`S473`) counts if the article has another residue.
    A phosphorylated residue (`pSer`, `pS473`) is the phosphorylated amino acid, if it has a name.
    """
    match = _THREE_LETTERS.fullmatch(text)
    if match is not None:
        name = BY_THREE_LETTERS.get(match["code"].capitalize())
        if name and (not match["code"].isupper() or match["number"] or _codes(surfaces) >= FEWEST_CODES):
            yield from _with_phosphate(match, name)
        return
    match = _ONE_LETTER.fullmatch(text)
    if match is not None and any(_is_residue(surface) for surface in surfaces if surface != text):
        yield from _with_phosphate(match, BY_ONE_LETTER[match["code"]])


def _with_phosphate(match: re.Match[str], name: str) -> Iterator[str]:
    if match["phosphate"]:
        yield f"phospho{name}"
    yield name


def _is_residue(text: str) -> bool:
    match = _THREE_LETTERS.fullmatch(text)
    return (match is not None and match["code"].capitalize() in BY_THREE_LETTERS) or _ONE_LETTER.fullmatch(
        text
    ) is not None


def _codes(surfaces: Set[str]) -> int:
    return sum(surface.capitalize() in BY_THREE_LETTERS for surface in surfaces if len(surface) == 3)
