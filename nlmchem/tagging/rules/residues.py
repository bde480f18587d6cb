"""Amino acids by three letters with their place in a protein: `Ser326Cys`, `Glu-597`, `Ser/Cys`.

NLM-Chem marks the letters without the place: in the 30 open articles, of 172 such places 171 (docs/tagger.md). A small
model learns it from few articles, so it is said here. Without a place it is left to the model: `His` is also a tag
of recombinant proteins, `Met` a receptor, `Pro` a trade name.
"""

from __future__ import annotations

import re

from corpora.model.document import Span
from sieves.chemistry.amino_acids import CODES

__all__ = ["NAMES", "is_placed", "residues"]

NAMES = "|".join(CODES)
"""The names, as a pattern has them. Not Sec: `Sec61` is a protein."""
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
    """Whether a text is residues with their place and nothing else (`Cys797`)."""
    return _PLACED.fullmatch(text) is not None
