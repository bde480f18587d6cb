"""What kind of concept a MeSH concept is, by its tree numbers."""

from __future__ import annotations

from collections.abc import Iterable

from corpora.model.chemical import BRANCHES

__all__ = ["CHEMICAL_KIND", "UNKNOWN_KIND", "kind_of"]

CHEMICAL_KIND = "chemical"
UNKNOWN_KIND = "unknown"
"""Of a concept whose place in MeSH is not known."""

KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("enzyme", ("D08.244", "D08.622", "D08.811")),
    ("protein", ("D05.500", "D05.875", "D06.472.699", "D12.644.276", "D12.644.360", "D12.776")),
    ("nucleic acid", ("D13.444",)),
    (CHEMICAL_KIND, BRANCHES),
    ("pharmacological action", ("D27",)),
    ("other substance", ("D",)),
    ("disease", ("C", "F03")),
    ("organism", ("B",)),
    ("anatomy", ("A",)),
)
"""Kinds and their tree numbers. A concept is of the first kind that has one of its tree numbers.

Peptide hormones, cytokines and other signaling proteins are also in the branch of peptides. They are proteins here:
annotators of NLM-Chem, CHEMDNER and BC5CDR do not mark them (docs/measurements/lexicon.md).
"""


def kind_of(tree_numbers: Iterable[str]) -> str:
    """The kind of a concept with these tree numbers; `other` if none of `KINDS` has one.

    >>> kind_of(["D12.644.548.586", "D06.472.699.587"]), kind_of(["D03.383", "D08.211"]), kind_of(["E02.319"])
    ('protein', 'chemical', 'other')
    """
    numbers = tuple(tree_numbers)
    for kind, branches in KINDS:
        if any(_under(number, branch) for number in numbers for branch in branches):
            return kind
    return "other"


def _under(number: str, branch: str) -> bool:
    # A category is a letter, a branch is a letter with numbers.
    return number.startswith(branch) if len(branch) == 1 else number == branch or number.startswith(f"{branch}.")
