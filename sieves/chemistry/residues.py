"""Amino-acid codes with three letters and one, alone and with residue numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sieves.sieve import Article

__all__ = ["codes"]

_TABLE = (
    "Ala A alanine|Arg R arginine|Asn N asparagine|Asp D aspartic acid|Cys C cysteine|Gln Q glutamine|"
    "Glu E glutamic acid|Gly G glycine|His H histidine|Ile I isoleucine|Leu L leucine|Lys K lysine|Met M methionine|"
    "Phe F phenylalanine|Pro P proline|Ser S serine|Thr T threonine|Trp W tryptophan|Tyr Y tyrosine|Val V valine"
)
THREE = {row.split(" ", 2)[0]: row.split(" ", 2)[2] for row in _TABLE.split("|")} | {
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
ONE = {row.split(" ", 2)[1]: row.split(" ", 2)[2] for row in _TABLE.split("|")}

_THREE_CODE = re.compile(
    r"(?:[pP]-?|phospho-?|[dlDL]{1,2}-)?(?P<code>[A-Z][a-z]{2}|[A-Z]{3})[-\s(]*(?P<number>\d{0,4})\)?"
)
_ONE_CODE = re.compile(r"p?(?P<code>[ACDEFGHIKLMNPQRSTVWY])-?(?P<number>\d{2,4})")
_CODE_IN_ARTICLE = 2
"""How many different codes an article must have for one without number to be read as one."""


def codes(text: str, article: Article) -> Iterator[str]:
    """Names of an amino acid that a text is the code of.

    A code with three letters counts as written (`Arg`, `Ser473`), in capitals where it has a number or the article
    has other codes; one letter with a number of two digits or more (`S473`) where the article names other residues.
    """
    found = _THREE_CODE.fullmatch(text)
    if found is not None:
        name = THREE.get(found["code"].capitalize())
        if name and (not found["code"].isupper() or found["number"] or _codes(article) >= _CODE_IN_ARTICLE):
            yield name
        return
    found = _ONE_CODE.fullmatch(text)
    if found is not None and any(_is_residue(surface) for surface in article.surfaces if surface != text):
        yield ONE[found["code"]]


def _is_residue(text: str) -> bool:
    found = _THREE_CODE.fullmatch(text)
    return (found is not None and found["code"].capitalize() in THREE) or _ONE_CODE.fullmatch(text) is not None


def _codes(article: Article) -> int:
    return sum(surface.capitalize() in THREE for surface in article.surfaces if len(surface) == 3)
