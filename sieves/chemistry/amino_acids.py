"""The amino acids, and what articles write with their codes: residues (`Arg`, `Ser473`, `S473`) and short peptides.

Source: IUPAC-IUB JCBN 1984, Eur J Biochem 138:9, "Nomenclature and symbolism for amino acids and peptides".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

_TABLE = """
    Ala A alanyl alanine
    Arg R arginyl arginine
    Asn N asparaginyl asparagine
    Asp D aspartyl aspartic acid
    Cys C cysteinyl cysteine
    Gln Q glutaminyl glutamine
    Glu E glutamyl glutamic acid
    Gly G glycyl glycine
    His H histidyl histidine
    Ile I isoleucyl isoleucine
    Leu L leucyl leucine
    Lys K lysyl lysine
    Met M methionyl methionine
    Phe F phenylalanyl phenylalanine
    Pro P prolyl proline
    Ser S seryl serine
    Thr T threonyl threonine
    Trp W tryptophyl tryptophan
    Tyr Y tyrosyl tyrosine
    Val V valyl valine
"""
_ROWS = [line.split(maxsplit=3) for line in _TABLE.strip().splitlines()]

CODES = tuple(code for code, _, _, _ in _ROWS)
"""The three-letter codes of the 20 amino acids of proteins."""
BY_ONE_LETTER = {letter: name for _, letter, _, name in _ROWS}
BY_THREE_LETTERS = {code: name for code, _, _, name in _ROWS} | {
    "Hyp": "hydroxyproline",
    "Orn": "ornithine",
    "Cit": "citrulline",
    "Sec": "selenocysteine",
    "Hcy": "homocysteine",
    "Sar": "sarcosine",
    "Tau": "taurine",
    "Nle": "norleucine",
    "Aib": "2-aminoisobutyric acid",
}
"""With the other amino acids that articles abbreviate."""
ACYLS = {letter: acyl for _, letter, acyl, _ in _ROWS}
"""One-letter code -> the name of the amino acid inside a peptide."""

# -- residues -----------------------------------------------------------------------------------

_THREE_LETTERS = re.compile(
    r"(?:(?P<phosphate>[pP]-?|phospho-?)|[dlDL]{1,2}-)?(?P<code>[A-Z][a-z]{2}|[A-Z]{3})[-\s(]*(?P<number>\d{0,4})\)?"
)
_LETTER = f"[{''.join(sorted(BY_ONE_LETTER))}]"
_ONE_LETTER = re.compile(rf"(?P<phosphate>p?)(?P<code>{_LETTER})-?(?P<number>\d{{2,4}})")
_CAPITALS = "|".join(code.upper() for code in BY_THREE_LETTERS)
DOUBTFUL = re.compile(rf"{_CAPITALS}|(?<![^\W_])p?{_LETTER}-?\d{{2,4}}(?![A-Z\d])")
"""Found in every text for which the other mentions of the article decide whether it is a code."""
FEWEST_CODES = 2
"""Different codes that an article must have for three capitals without a number to count as one."""


def residue_names(text: str, surfaces: Set[str]) -> Iterator[str]:
    """The names of the amino acid that a text is the code of, in an article with these mentions; the best first.

    Three letters count as written (`Arg`, `Ser473`). Three capitals count with a number, or if the article has two
    different codes. One letter with a number of at least two digits (`S473`) counts if the article has another residue.
    A phosphorylated residue (`pSer`, `pS473`) is the phosphorylated amino acid, if it has a name.
    """
    name, match = None, _THREE_LETTERS.fullmatch(text)
    if match is not None:
        name = BY_THREE_LETTERS.get(match["code"].capitalize())
        if name and match["code"].isupper() and not match["number"]:
            codes = sum(surface.capitalize() in BY_THREE_LETTERS for surface in surfaces if len(surface) == 3)
            name = name if codes >= FEWEST_CODES else None
    elif (match := _ONE_LETTER.fullmatch(text)) and any(_is_residue(other) for other in surfaces if other != text):
        name = BY_ONE_LETTER[match["code"]]
    if match is not None and name is not None:
        if match["phosphate"]:
            yield f"phospho{name}"
        yield name


def _is_residue(text: str) -> bool:
    match = _THREE_LETTERS.fullmatch(text)
    known = match is not None and match["code"].capitalize() in BY_THREE_LETTERS
    return known or _ONE_LETTER.fullmatch(text) is not None


# -- peptides with protecting groups -------------------------------------------------------------

# Inhibitors and substrates of proteases are sold under such codes. MeSH writes the residues out.
_ACID = {"D": "aspartic acid", "E": "glutamic acid"}
_FRONT = {
    "Ac": "acetyl",
    "Z": "benzyloxycarbonyl",
    "Cbz": "benzyloxycarbonyl",
    "Boc": "tert-butyloxycarbonyl",
    "Suc": "succinyl",
    "Bz": "benzoyl",
}
_END = {
    "pna": "p-nitroanilide",
    "fmk": "fluoromethyl ketone",
    "cmk": "chloromethyl ketone",
    "amc": "7-amino-4-methylcoumarin",
    "afc": "7-amino-4-trifluoromethylcoumarin",
}
_CODE = re.compile(
    rf"(?P<front>{'|'.join(_FRONT)}|z)[- ]?(?P<letters>[{''.join(ACYLS)}]{{2,6}})(?:\(OMe\))?[- ]{{1,2}}"
    rf"(?P<end>{'|'.join(_END)}|cho)",
    re.I,
)


def peptide_names(text: str) -> Iterator[str]:
    """Names of a peptide code between a protecting group and an end group.

    >>> list(peptide_names("Ac-DEVD-pNA"))[1], list(peptide_names("Ac-LEHD-CHO"))
    ('acetyl-aspartyl-glutamyl-valyl-aspartic acid p-nitroanilide', ['acetyl-leucyl-glutamyl-histidyl-aspartal'])
    """
    match = _CODE.fullmatch(text)
    if match is None or not match["letters"].isupper():
        return
    letters, end = match["letters"], match["end"].lower()
    residues = [_FRONT[match["front"].capitalize()], *(ACYLS[letter] for letter in letters[:-1])]
    last = ACYLS[letters[-1]]
    if end == "cho":
        yield "-".join([*residues, f"{last.removesuffix('yl')}al"])
        return
    # Some names of MeSH end in the acyl group of the last residue, others in the acid.
    for form in (last, _ACID.get(letters[-1])):
        if form:
            yield f"{'-'.join([*residues, form])} {_END[end]}"
