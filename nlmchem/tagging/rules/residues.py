"""Three-letter names of amino acids with their position in a protein: `Ser326Cys`, `Glu-597`, `Ser/Cys`.

NLM-Chem marks the letters without the position: 171 of 172 such names in the 30 open articles. Few training articles
contain them, so a rule marks them. Names without a position are left to the model: `His` is also a tag of recombinant
proteins, `Met` a receptor, `Pro` a trade name.
"""

from __future__ import annotations

import re

from corpora.model.document import Span
from sieves.chemistry.amino_acids import CODES

__all__ = ["NAMES", "is_placed", "residues"]

NAMES = "|".join(CODES)
"""The names, as part of a regular expression. Sec is left out, because `Sec61` is a protein."""
_NAME = f"({NAMES})"
_PLACED = re.compile(
    rf"(?<![A-Za-z]){_NAME}[- ]?\d{{1,4}}(?:[- ]?{_NAME}(?![A-Za-z])|(?!\w))|(?<![A-Za-z]){_NAME}/{_NAME}(?![A-Za-z])"
)


def residues(text: str) -> list[Span]:
    """The spans of the names, from left to right."""
    return [
        match.span(group)
        for match in _PLACED.finditer(text)
        for group in range(1, _PLACED.groups + 1)
        if match[group] is not None
    ]


def is_placed(text: str) -> bool:
    """Whether a text consists of residues with their position only (`Cys797`)."""
    return _PLACED.fullmatch(text) is not None
