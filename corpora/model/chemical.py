"""What counts as a chemical: the types of its mentions and index terms, its branches of MeSH; names of proteins."""

from __future__ import annotations

import re
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

_CARRIERS = (
    "antiporter", "channel", "cotransporter", "exchanger", "porter", "pump", "receptor", "symporter", "transporter",
)  # fmt: skip
PROTEIN_WORDS = frozenset(word + ending for word in _CARRIERS for ending in ("", "s"))
_ENZYME = re.compile(r"[a-z-]*ases?")
_NO_ENZYME = re.compile(r"(?:b|c|datab|decre|dise|e|incre|le|ole|ph|phr|ple|purch|rele)ases?")


def is_chemical(tree_numbers: Iterable[str], branches: tuple[str, ...] = BRANCHES) -> bool:
    """Whether a concept with these tree numbers is a chemical.

    >>> is_chemical(["D12.125.070"]), is_chemical(["D12.776.124"])
    (True, False)
    """
    return any(number == branch or number.startswith(f"{branch}.") for number in tree_numbers for branch in branches)


def names_protein(word: str) -> bool:
    """Whether a word in lower case makes a protein's name of the chemical before it: `lactate dehydrogenase`.

    NLM-Chem does not mark the chemical in such names. Enzymes end in `ase`.

    >>> names_protein("receptors"), names_protein("kinase"), names_protein("increase")
    (True, True, False)
    """
    return word in PROTEIN_WORDS or (_ENZYME.fullmatch(word) is not None and _NO_ENZYME.fullmatch(word) is None)
