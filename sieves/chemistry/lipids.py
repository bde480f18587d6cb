"""Lipid shorthand becomes names: fatty acids by carbons and double bonds, classes by two or three letters.

Source: Liebisch et al. 2020, J Lipid Res 61:1539, "Update on LIPID MAPS classification, nomenclature, and shorthand".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FATTY_ACIDS = {
    "4:0": "butyric acid",
    "6:0": "hexanoic acid",
    "8:0": "octanoic acid",
    "10:0": "decanoic acid",
    "12:0": "lauric acid",
    "13:0": "tridecanoic acid",
    "14:0": "myristic acid",
    "15:0": "pentadecanoic acid",
    "16:0": "palmitic acid",
    "17:0": "margaric acid",
    "18:0": "stearic acid",
    "19:0": "nonadecanoic acid",
    "20:0": "arachidic acid",
    "22:0": "behenic acid",
    "23:0": "tricosanoic acid",
    "24:0": "lignoceric acid",
    "26:0": "cerotic acid",
    "14:1": "myristoleic acid",
    "16:1": "palmitoleic acid",
    "16:1n-7": "palmitoleic acid",
    "18:1": "oleic acid",
    "18:1n-9": "oleic acid",
    "18:1n-7": "vaccenic acid",
    "20:1n-9": "gondoic acid",
    "20:1": "eicosenoic acid",
    "22:1": "erucic acid",
    "22:1n-9": "erucic acid",
    "24:1": "nervonic acid",
    "24:1n-9": "nervonic acid",
    "18:2": "linoleic acid",
    "18:2n-6": "linoleic acid",
    "18:3": "linolenic acid",
    "18:3n-3": "alpha-linolenic acid",
    "18:3n-6": "gamma-linolenic acid",
    "18:4n-3": "stearidonic acid",
    "20:2n-6": "eicosadienoic acid",
    "20:2": "eicosadienoic acid",
    "20:3n-6": "dihomo-gamma-linolenic acid",
    "20:3n-9": "mead acid",
    "20:3": "8,11,14-eicosatrienoic acid",
    "20:4": "arachidonic acid",
    "20:4n-6": "arachidonic acid",
    "20:5": "eicosapentaenoic acid",
    "20:5n-3": "eicosapentaenoic acid",
    "22:4n-6": "adrenic acid",
    "22:4": "adrenic acid",
    "22:5": "docosapentaenoic acid",
    "22:5n-3": "docosapentaenoic acid",
    "22:5n-6": "docosapentaenoic acid",
    "22:6": "docosahexaenoic acid",
    "22:6n-3": "docosahexaenoic acid",
}
_CLASSES = {
    "PC": "phosphatidylcholines",
    "PE": "phosphatidylethanolamines",
    "PS": "phosphatidylserines",
    "PI": "phosphatidylinositols",
    "PG": "phosphatidylglycerols",
    "PA": "phosphatidic acids",
    "CL": "cardiolipins",
    "SM": "sphingomyelins",
    "Cer": "ceramides",
    "LPC": "lysophosphatidylcholines",
    "LPE": "lysophosphatidylethanolamine",
    "LPA": "lysophosphatidic acid",
    "TG": "triglycerides",
    "TAG": "triglycerides",
    "DG": "diglycerides",
    "DAG": "diglycerides",
    "MG": "monoglycerides",
    "CE": "cholesterol esters",
    "HexCer": "glycosphingolipids",
    "GlcCer": "glucosylceramides",
    "GluCer": "glucosylceramides",
    "GalCer": "galactosylceramides",
    "LacCer": "lactosylceramides",
    "FA": "fatty acids",
    "FFA": "fatty acids, nonesterified",
    "GM3": "G(M3) ganglioside",
    "S1P": "sphingosine 1-phosphate",
    "Sph": "sphingosine",
    "dhCer": "dihydroceramide",
    "LysoPC": "lysophosphatidylcholines",
    "lysoPC": "lysophosphatidylcholines",
    "lysoPE": "lysophosphatidylethanolamine",
    "DHC": "dihydroceramide",
    "AC": "acylcarnitine",
}
_FATTY_ACID = re.compile(
    r"(?:FA|C)?\s?\(?(?P<size>\d{1,2}:\d{1,2})\)?[\s,]*\(?(?:[nω](?P<n>-?\s?\d))?\)?(?:\s*FA|\s(?:fatty )?acids?)?"
)
_CHAINS = r"(?:[dOPtm]-?)?C?\d{1,2}:\d{1,2}(?:[;n(-][\w,-]*\)?)?"
_BEFORE = re.compile(
    rf"(?:{_CHAINS}|C\d{{1,2}}|d\d\d:\d)[\s/(_-]*(?:{_CHAINS})?\)?[\s-]*\(?(?P<class>[A-Za-z]\w{{1,5}})\)?(?:[- ]d\d)?"
)
_BEHIND = re.compile(rf"(?P<class>[A-Za-z]\w{{1,5}})[\s-]*\(?\s*{_CHAINS}(?:[/_-]{_CHAINS}){{0,3}}\s*\)?(?:[- ]d\d)?")
_FATTY_GROUP = re.compile(
    r"(?:omega|ω|n)[\s-]*(?P<n>[369])"
    r"(?:\s+(?:LC-?)?(?:PUFAs?|poly-?unsaturated fatty acids|fatty acids?|family|acids?|FAs?))?",
    re.I,
)
LONGEST = 40
_LIPID = "|".join(sorted(_CLASSES, key=len, reverse=True))
_CHAIN = r"(?:[dtmOP]-?)?\d{1,2}:\d{1,2}(?:\((?:\d{1,2}[EZ]?,?)+\)|;O?\d?)?"
SPECIES = re.compile(
    rf"(?=[A-Za-z]\w{{1,5}}[ (])(?<![\w-])(?:{_LIPID})"
    rf"(?:\({_CHAIN}(?:[/_]{_CHAIN}){{0,3}}\)| (?:[dtmOP]-?)?(?:2[4-9]|[3-7]\d):\d{{1,2}})"
    r"(?![\w:/_-]|\.\d)"
)
"""Lipids with their fatty acids or the sums of their carbons and double bonds: `PC(16:0/18:1)`, `TG 54:3`."""
_SIZE = re.compile(r"(\d{1,2}):(\d{1,2})")
_MOST_DOUBLE_BONDS = 1 / 3
"""Of the carbons. `PS (85:15)` is a mixture."""


def is_species(text: str) -> bool:
    """Whether a text that `SPECIES` matches has as few double bonds for its carbons as a lipid.

    >>> is_species("PC(34:1)"), is_species("PE(70:30)"), is_species("Cer(d18:1/24:0)")
    (True, False, True)
    """
    sizes = [(int(carbons), int(bonds)) for carbons, bonds in _SIZE.findall(text)]
    return bool(sizes) and all(bonds <= carbons * _MOST_DOUBLE_BONDS for carbons, bonds in sizes)


def shorthand(text: str) -> Iterator[str]:
    """Names of a lipid in shorthand.

    >>> list(shorthand("18:2n-6")), list(shorthand("PC(34:1)")), list(shorthand("n-3 PUFA"))
    (['linoleic acid'], ['phosphatidylcholines'], ['fatty acids, omega-3'])
    """
    if len(text) > LONGEST:
        return
    match = _FATTY_ACID.fullmatch(text)
    if match is not None:
        place = f"n-{match['n'].strip(' -')}" if match["n"] else ""
        for key in (match["size"] + place, match["size"]):
            if key in _FATTY_ACIDS:
                yield _FATTY_ACIDS[key]
                return
        return
    for form in (_BEFORE, _BEHIND):
        match = form.fullmatch(text)
        if match is not None and match["class"] in _CLASSES:
            yield _CLASSES[match["class"]]
            return
    match = _FATTY_GROUP.fullmatch(text)
    if match is not None:
        yield f"fatty acids, omega-{match['n']}"
