"""Words that follow a chemical in the name of a protein: `glutamate receptor`, `lactate dehydrogenase`.

NLM-Chem does not mark the chemical in such names (Islamaj et al. 2021, Scientific Data 8:91, guidelines).
"""

from __future__ import annotations

import re

_SINGULAR = (
    "antiporter", "channel", "cotransporter", "exchanger", "porter", "pump", "receptor", "symporter", "transporter",
)  # fmt: skip
PROTEIN_WORDS = frozenset(word + ending for word in _SINGULAR for ending in ("", "s"))
_ENZYME = re.compile(r"[a-z-]*ases?")
_NO_ENZYME = re.compile(r"(?:b|c|datab|decre|dise|e|incre|le|ole|ph|phr|ple|purch|rele)ases?")


def names_protein(word: str) -> bool:
    """Whether a word in lower case makes a protein's name of the chemical before it. Enzymes end in `ase`.

    >>> names_protein("receptors"), names_protein("kinase"), names_protein("increase")
    (True, True, False)
    """
    return word in PROTEIN_WORDS or (_ENZYME.fullmatch(word) is not None and _NO_ENZYME.fullmatch(word) is None)
