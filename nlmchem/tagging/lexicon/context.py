"""Contexts in which a name does not mean a chemical.

The rules follow the guidelines of NLM-Chem (Islamaj et al. 2021, Scientific Data 8:91), which do not mark proteins and
enzymes, nor chemical names inside them. Texts are in plain characters (`sieves.lexicon.lexicon.plain`).
"""

from __future__ import annotations

import re

from corpora.model.protein_names import names_protein

__all__ = ["DECOYS", "NOT_IN_TEXT", "in_protein_name", "part_of_longer_name"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOT_IN_TEXT = _words(
    """
    acid acids anion anions cation cations fat fats ice ion ions lead metal metals oligonucleotide
    oligonucleotides oxide oxides peptide peptides polymer polymers proton protons
    """
)
"""Names of chemicals that have another meaning in most texts, or that the guidelines do not mark."""

DECOYS = frozenset({"gold standard", "lipid peroxidation", "MDA-MB", "mm Hg", "nucleotide polymorphism", "Salt Lake"})
"""Terms that contain the name of a chemical but do not mean one."""

_PROTEIN_PARTS = _words("cluster clusters finger fingers px")
"""Words that, after a chemical, name a part of a protein (`zinc finger`)."""

# The word after the chemical in `glutamate receptor`, `NMDA) receptor`, `N-methyl-D-aspartate (NMDA) receptor`,
# `Na+/Ca2+ exchanger`, `glutathione S-transferase`, `Ca2+-ATPase`.
_NEXT_WORD = re.compile(r"(?: \([\w-]{1,12}\)|\)|/[\w+]{1,8})?[ -](?:[0-9A-Zα-ω]{1,2}[- ])?([^\W\d_]{1,40})")
# The end of the text before a part of a longer name: `6-phosphate`, `N-acetyl-lysine`, `L-[...]`, `chloro-benzene`.
_LONGER_NAME = re.compile(
    r"(?:[\d')]|(?:^|[\W\d_])[^\W\d_]"
    r"|yl|oxy|oxo|hydro|chloro|fluoro|bromo|iodo|nitro|amino|thio|phospho|poly|deoxy)-$"
)
# `streptomycin sulfate` is one salt, so `sulfate` is not marked by itself.
_ACID_OF_SALT = re.compile(
    r"(?:acet|benzo|citr|fumar|lact|male|nitr|phosph|propion|succin|sulf|sulph|tartr)ates?"
    r"|(?:brom|chlor|iod|sulf)ides?|esters?"
)
_BASE_OF_SALT = re.compile(r"[a-z]{3}(?:ine|ium|yl|one|ene|cin|tin|oxil|olol|amil) $")
_BEFORE = 12
"""Characters before a name that are checked."""


def part_of_longer_name(text: str, start: int, end: int) -> bool:
    """Whether a span is part of the name of a protein, or of a chemical that is not in the lexicon."""
    before = text[max(0, start - _BEFORE) : start]
    if _LONGER_NAME.search(before):
        return True
    if _BASE_OF_SALT.search(before) and _ACID_OF_SALT.fullmatch(text, start, end):
        return True
    # `Ca(v)1.2`, `Fe(acac)3`: a bracket directly after a symbol continues a formula.
    if end - start <= 2 and text.startswith("(", end):
        return True
    following = _NEXT_WORD.match(text, end)
    return following is not None and in_protein_name(following[1].lower())


def in_protein_name(word: str) -> bool:
    """Whether a word (in lower case) after a chemical forms the name of a protein, or of a part of one."""
    return word in _PROTEIN_PARTS or names_protein(word)
