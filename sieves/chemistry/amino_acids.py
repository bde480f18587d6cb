"""The amino acids: codes of three letters and of one, names, and names as acyl groups.

Source: IUPAC-IUB JCBN 1984, Eur J Biochem 138:9, "Nomenclature and symbolism for amino acids and peptides".
"""

from __future__ import annotations

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
