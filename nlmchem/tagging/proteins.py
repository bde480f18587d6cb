"""Chemicals' names that are part of a protein's."""

from __future__ import annotations

import re

from nlmchem.tagging.context import PROTEIN_WORDS

__all__ = ["part_of_protein"]

# `glutamate receptor`, `Ca2+ channel`, `glutathione S-transferase`, `cytochrome P450 reductase`, and the first half of
# `serine/threonine kinase`. Publishers write hyphens in more ways than one.
_FOLLOWING = re.compile(r"(?:/[^\W_]{1,12})?[ \-‐‑](?:[0-9A-Zα-ω]{1,2}[-‐‑ ])?([^\W\d_]{2,40})")
_ENZYME = re.compile(r"[a-z]{2,}(?:ases?)")
_NO_ENZYME = re.compile(r"(?:b|c|datab|decre|dise|e|incre|le|ph|phr|ple|purch|rele)ases?|oleases?")


def part_of_protein(text: str, start: int, end: int) -> bool:
    """Whether what follows the span makes a protein's name of it (Erdengasileng et al. 2022, post-processing)."""
    following = _FOLLOWING.match(text, end)
    if following is None:
        return False
    word = following[1].lower()
    return word in PROTEIN_WORDS or (_ENZYME.fullmatch(word) is not None and _NO_ENZYME.fullmatch(word) is None)
