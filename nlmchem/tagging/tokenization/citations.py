"""Numbers of references directly after the name of a chemical, whose raised digits are lost: `aspirin1,2`, `glucose12`.

They are replaced by blanks before a text is read, so that offsets do not change.
"""

from __future__ import annotations

import re

from sieves.chemistry.elements import ELEMENTS
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon

_GOES_ON = "and|are|as|at|but|by|for|had|has|have|in|is|on|or|to|was|were|with"
_CITED = re.compile(
    r"(?<![\w-])(?P<word>[A-Za-z][a-z]{4,})"
    r"(?:(?P<list>\d{1,3}(?:[,–-]\d{1,3})+)(?![\w-])"
    # One number is also part of a name, so it counts only where the sentence goes on.
    rf"|(?P<number>\d{{1,3}})(?=[.,;:)]?$|[.,;:)] | (?:{_GOES_ON})\b))"
)
_ELEMENTS = frozenset(ELEMENTS.values())
"""`iodine131` is an isotope."""


def without_citations(text: str, lexicon: Lexicon) -> str:
    """The text with blanks for such numbers: the lexicon has the word, but not with the number.

    >>> with Lexicon.open() as lexicon:
    ...     print(without_citations("aspirin1,2 and polysorbate80 as before", lexicon))
    aspirin    and polysorbate80 as before
    """

    def blanked(match: re.Match[str]) -> str:
        word, number = match["word"], match["list"] or match["number"]
        first = re.split(r"\D", number)[0]
        is_name = lexicon.has_key(relaxed(word)) and not lexicon.has_key(relaxed(word + first))
        return word + " " * len(number) if is_name and word.lower() not in _ELEMENTS else match[0]

    return _CITED.sub(blanked, text)
