"""What counts as a chemical: the type of its mentions, the type of its index terms, its branches of MeSH."""

from __future__ import annotations

from collections.abc import Iterable

CHEMICAL = "Chemical"
"""The infon `type` of a mention of a chemical."""

INDEX_TERM = "MeSH_Indexing_Chemical"
"""The infon `type` of an index term: a chemical that the article is about."""

BRANCHES = (
    "D01", "D02", "D03", "D04", "D05", "D09", "D10", "D12.125", "D12.644", "D13.570", "D13.695", "D26.776",
)  # fmt: skip
"""Tree numbers of MeSH under which a concept is a chemical as NLM-Chem marks it (Islamaj et al. 2021, Scientific
Data 8:91, guidelines). Roles (D27), mixtures (D20), enzymes, proteins and nucleic acids are outside them."""


def is_chemical(tree_numbers: Iterable[str], branches: tuple[str, ...] = BRANCHES) -> bool:
    """Whether a concept with these tree numbers is a chemical.

    >>> is_chemical(["D12.125.070"]), is_chemical(["D12.776.124"])
    (True, False)
    """
    return any(number == branch or number.startswith(f"{branch}.") for number in tree_numbers for branch in branches)
