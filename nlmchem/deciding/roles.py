"""Mentions whose only meaning is no chemical: pharmacological actions, proteins, enzymes, hormones.

Source: the identifiers that the annotators of the training and development parts of NLM-Chem gave. 62 of 26,567
mentions have only such concepts, 31 of them one antibody (docs/measurements/deciding.md).
"""

from __future__ import annotations

from nlmchem.deciding.meanings import Sense

__all__ = ["BRANCHES", "is_no_chemical"]

BRANCHES = ("D06", "D08", "D12.776", "D27")
"""Hormones, enzymes and coenzymes, proteins, pharmacological actions. A concept with a tree number elsewhere (a steroid
hormone, a nucleotide coenzyme) is a chemical."""


def is_no_chemical(sense: Sense) -> bool:
    """Whether all concepts that a text can mean are only in `BRANCHES`."""
    return sense.only_in(BRANCHES)
