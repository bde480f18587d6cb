"""Chemical names that are a part of the name of a protein: `Na+/K+-ATPase`, `AMP-activated protein kinase`.

All taggers use this one rule. NLM-Chem does not mark such chemicals (Islamaj et al. 2021, Scientific Data 8:91,
guidelines). CHEMDNER and DrugProt do.
"""

from __future__ import annotations

import re

from corpora.model.protein_names import names_protein

_PARTS = frozenset(
    {
        "antiport", "antiporters", "cluster", "clusters", "finger", "fingers", "px", "sod", "symport", "uniporter",
        "uniporters", "zipper", "zippers",
    }
)  # fmt: skip
"""Words that, after a chemical, name a protein or a part of one (`zinc finger`)."""
_HYPHEN = r"[-‐‑–]"
_SYMBOL = r"(?:\d?[A-Z][a-z]?\d{0,2}){1,4}(?:\d?[-+−–⁺⁻]{1,2}|\(\d?[-+]\))?"
# The second partner of `Na+/Ca2+ exchanger`, `serine/threonine kinase`, `Na+,K+-ATPase`, `Na+-K+-2Cl- cotransporter`.
_PARTNER = re.compile(rf"/(?:{_SYMBOL}(?![^\W\d_])|[^\W_]{{1,12}})|(?:, ?|{_HYPHEN}){_SYMBOL}(?={_HYPHEN}|[ ,/]\S)")
_MOST_PARTNERS = 3
# The rest of the name: `Cu/Zn superoxide dismutase`, `sodium iodide symporter`, `NADPH-cytochrome P450 reductase`.
_SECOND = (
    "superoxide|(?:di|tri)?(?:bicarbonate|carboxylate|chloride|iodide|phosphate|sul(?:f|ph)ate)|anion|cation|ester"
    "|nucleotide|[ab](?:/[ab])?"
)
_HYPHENED = "cytochrome|[a-z]{3,14}(?:ate|ide|ine|ol|ose)s?"
_COMPOUND = re.compile(rf" (?:{_SECOND})(?=[ -])|{_HYPHEN}(?:{_HYPHENED})(?= )")
# `glutamate receptor`, `Ca2+ channel`, `glutathione S-transferase`, `dopamine D2 receptor`.
_CODE = rf"(?:[0-9A-Zα-ω]{{1,2}}(?:{_HYPHEN}| )|[A-Z]\d{{1,3}}[A-Z]? )"
# `potassium leak channel`, `bile acid export pump`, `fatty acid binding protein`, `phospholipid transfer protein`.
_ACTIVITY = (
    "(?:binding|carrier|efflux|exchange|export|import|influx|leak|transfer|transport|uptake"
    rf"|(?:voltage|ligand){_HYPHEN}gated)"
)
_NEXT = re.compile(rf"(?: |{_HYPHEN})(?:{_CODE}|{_ACTIVITY} )?([^\W\d_]{{2,40}})")
_ACTING = re.compile(rf"(?: |{_HYPHEN}){_ACTIVITY} proteins?(?!\w)")
# `calmodulin-dependent protein kinase`, `ATP-binding cassette transporter`, `calcium-sensing receptor`.
_ADJECTIVE = re.compile(
    rf"{_HYPHEN}(?:activated|binding|conducting|conjugating|coupled|dependent|gated|permeable|regulated|related"
    r"|responsive|sensing|(?P<sensitive>sensitive)|transporting)(?= )"
)
# `ATP-sensitive K+ channels` is a name; in `glibenclamide-sensitive K+ channels` a drug is given.
_IN_CELLS = re.compile(rf"c?[ACGU][DMT]P|NADP?H?|{_SYMBOL}|(?i:calcium|chloride|magnesium|potassium|sodium|zinc)")
_AFTER_ADJECTIVE = re.compile(r" ([\w+-]{1,20})")
_HEADS = re.compile(
    r"cassettes?|cytokines?|(?:cyto|haemo|hemo)lysins?|lectins?|proteins?|(?:growth|transcription) factors?"
)
_RESPONSE_ELEMENT = re.compile(r" (?:response|regulatory|responsive)[- ]elements?(?!\w)")
"""A sequence of DNA: `cAMP response element-binding protein`."""
_NO_NAME = frozenset(
    {
        "after", "and", "as", "at", "by", "during", "for", "from", "in", "is", "of", "on", "or", "the", "to", "via",
        "was", "were", "with",
    }
)  # fmt: skip
_MOST_WORDS = 4


def part_of_protein(text: str, start: int, end: int) -> bool:
    """Whether the words after a span make it part of the name of a protein.

    >>> part_of_protein("Na+/K+-ATPase", 0, 3), part_of_protein("Na+/K+ ratio", 0, 3)
    (True, False)
    """
    at: int | None = end
    for _ in range(_MOST_PARTNERS + 1):
        if at is None:
            return False
        if _is_protein_at(text, start, at):
            return True
        partner = _PARTNER.match(text, at) or _COMPOUND.match(text, at)
        at = partner.end() if partner is not None else None
    return False


def in_protein_name(word: str) -> bool:
    """Whether a word (in lower case) after a chemical forms the name of a protein, or of a part of one."""
    return word in _PARTS or names_protein(word)


def _is_protein_at(text: str, start: int, at: int) -> bool:
    if _RESPONSE_ELEMENT.match(text, at) or _ACTING.match(text, at):
        return True
    following = _NEXT.match(text, at)
    if following is not None and in_protein_name(following[1].lower()):
        return True
    adjective = _ADJECTIVE.match(text, at)
    if adjective is None or (adjective["sensitive"] and not _IN_CELLS.fullmatch(text, start, at)):
        return False
    return _is_protein_phrase(text, adjective.end())


def _is_protein_phrase(text: str, at: int) -> bool:
    """Whether a protein is named within a few words: `protein kinase`, `K+ channels`, `cassette transporter`."""
    before = ""
    for _ in range(_MOST_WORDS):
        word = _AFTER_ADJECTIVE.match(text, at)
        if word is None or word[1].lower() in _NO_NAME:
            return False
        last = word[1].rpartition("-")[2] or word[1]
        if _HEADS.fullmatch(last) or _HEADS.fullmatch(f"{before} {last}") or names_protein(last.lower()):
            return True
        at, before = word.end(), word[1]
    return False
