"""Ions: symbols with charges become names; the table of anions that formulae of salts use as well.

Names are those of MeSH: the ion of a metal is the metal (`Ca2+`: Calcium), that of a halogen the halides (`Cl-`:
Chlorides), other anions the class of their salts (`SO4 2-`: Sulfates).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sieves.chemistry.elements import ELEMENTS, MULTIVALENT, NAMES_BY_CHARGE


@dataclass(frozen=True, slots=True)
class Anion:
    """`charge`: the number of negative charges, 0 for anions that are not used in formulae of salts.

    `ion`: the name of the free ion, None for those that occur in salts only. `salts`: names in salts, best first.
    """

    charge: int
    ion: str | None
    salts: tuple[str, ...]


_TABLE = """
    F; 1; fluorides; fluoride
    Cl; 1; chlorides; chloride
    Br; 1; bromides; bromide
    I; 1; iodides; iodide
    OH; 1; hydroxide ion; hydroxide
    HO; -; hydroxide ion; -
    HCO3; 1; bicarbonates; bicarbonate | hydrogen carbonate
    CO3; 2; carbonates; carbonate
    SO4; 2; sulfates; sulfate
    HSO4; 1; hydrogen sulfate; bisulfate | hydrogen sulfate
    SO3; 2; sulfites; sulfite
    HSO3; 1; hydrogen sulfite; bisulfite | hydrogen sulfite
    NO3; 1; nitrates; nitrate
    NO2; 1; nitrites; nitrite
    PO4; 3; phosphates; phosphate
    HPO4; 2; phosphates; phosphate, dibasic | hydrogen phosphate | phosphate
    H2PO4; 1; phosphates; phosphate, monobasic | dihydrogen phosphate | phosphate
    ClO4; 1; perchlorate; perchlorate
    ClO3; 1; chlorates; chlorate
    ClO; 1; hypochlorite; hypochlorite
    OCl; 1; hypochlorite; hypochlorite
    CN; 1; cyanides; cyanide
    SCN; 1; thiocyanate; thiocyanate
    OCN; -; cyanates; -
    O2; 2; superoxides; peroxide | dioxide
    S; 2; sulfides; sulfide
    HS; -; bisulfide; -
    S2O3; 2; thiosulfates; thiosulfate
    CrO4; 2; chromates; chromate
    Cr2O7; 2; dichromate; dichromate | bichromate
    MnO4; 1; permanganate; permanganate
    SiO4; -; silicates; -
    BO3; 3; borates; borate
    AsO4; 3; arsenates; arsenate
    AsO3; 3; arsenites; arsenite
    SeO3; 2; selenites; selenite
    SeO4; 2; selenates; selenate
    MoO4; 2; molybdate; molybdate
    WO4; 2; tungstate; tungstate
    VO4; 3; vanadates; orthovanadate | vanadate
    CH3COO; 1; acetates; acetate
    AcO; -; acetates; -
    OAc; 1; acetates; acetate
    HCOO; 1; formates; formate
    ONOO; -; peroxynitrite; -
    BF4; 1; fluoroborate; tetrafluoroborate
    PF6; 1; hexafluorophosphate; hexafluorophosphate
    H; 1; hydride; hydride
    N3; 1; azides; azide
    BH4; 1; borohydride; borohydride
    C2O4; 2; oxalates; oxalate
    Fe(CN)6; -; ferrocyanide; -
    O; 2; -; oxide
    Se; 2; -; selenide
    Te; 2; -; telluride
    N; 3; -; nitride
    C; 4; -; carbide
    S2O4; 2; -; dithionite
    S2O5; 2; -; metabisulfite
    S2O8; 2; -; persulfate
    P2O7; 4; -; pyrophosphate
    ClO2; 1; -; chlorite
    BrO3; 1; -; bromate
    IO3; 1; -; iodate
    IO4; 1; -; periodate | metaperiodate
    VO3; 1; -; metavanadate
    SiO3; 2; -; metasilicate | silicate
    B4O7; 2; -; borate | tetraborate
    BH3CN; 1; -; cyanoborohydride
    CNBH3; 1; -; cyanoborohydride
    AlH4; 1; -; aluminum hydride
    AsO2; 1; -; arsenite
    HAsO4; 2; -; arsenate
    C2H3O2; 1; -; acetate
    CH3CO2; 1; -; acetate
    Ac; 1; -; acetate
    HCO2; 1; -; formate
    acac; 1; -; acetylacetonate
    OMe; 1; -; methoxide | methylate
    OEt; 1; -; ethoxide
"""
"""Formula; charge; name of the free ion; names in salts."""


def _row(line: str) -> tuple[str, Anion]:
    formula, charge, ion, salts = (cell.strip() for cell in line.split(";"))
    named = () if salts == "-" else tuple(salts.split(" | "))
    return formula, Anion(0 if charge == "-" else int(charge), None if ion == "-" else ion, named)


ANIONS = dict(_row(line) for line in _TABLE.strip().splitlines())
OXYANIONS = tuple(formula for formula in ANIONS if re.fullmatch(r"\w+O\d", formula))
"""Anions that end in oxygen atoms: `SO4`, `H2PO4`."""
CATIONS = {
    "NH4": "ammonium",
    "H": "protons",
    "D": "deuterons",
    "H3O": "hydronium ion",
    "NO": "nitrosonium",
    "UO2": "uranyl",
    "Hg2": "mercurous ion",
}

_CHARGE = re.compile(
    r"(?P<core>[A-Z][A-Za-z0-9()]*?)\s*(?:\(|\^|\[)?\s*"
    r"(?:(?P<size>\d?)\s*(?P<sign>[+-]+)(?P<late>\d?)|(?P<roman>[IV]{1,3}))\s*(?:\)|\])?"
)
_UNCHARGED = re.compile(r"(?:[HK]|Na|Li|Rb|Cs|Ag|Cu|Tl)I")
"""Iodides, not charges: `KI`, `NaI`."""
_BRACKETED = re.compile(r"(?<=[A-Za-z])\((\d)\)")
_LOST_SIGN = re.compile(rf"(?P<core>{'|'.join(MULTIVALENT)})(?P<size>[23])")
_MOLECULE = re.compile(r"([HNOFI]|Cl|Br)2")
_SPECIES = re.compile(r"[io](?=(?:As|Hg|Sb|Se|Sn)(?![a-z]))")
"""Inorganic and organic compounds of an element, which toxicology tells apart: `iAs`, `oHg`."""
_CHARGES_OF_IRON = {"2": 2, "3": 3, "II": 2, "III": 3}
LONGEST = 16
"""Characters of an ion with its charge."""


def names(text: str) -> Iterator[str]:
    """Names of the symbol of an element or of an ion.

    >>> list(names("Zn(2+)")), list(names("SO4 2-")), list(names("Fe")), list(names("iAs"))
    (['zinc ion', 'zinc'], ['sulfates'], ['iron'], ['arsenic'])
    """
    if len(text) > LONGEST:
        return
    text = _SPECIES.sub("", text, count=1) if text.startswith(("i", "o")) else text
    if _UNCHARGED.fullmatch(text):
        return
    # `O(2)` in older abstracts.
    molecule = _MOLECULE.fullmatch(_BRACKETED.sub(r"\1", text))
    element = molecule[1] if molecule else text
    if element in ELEMENTS:
        yield ELEMENTS[element]
        return
    match = _CHARGE.fullmatch(text) or _LOST_SIGN.fullmatch(text)
    if match is not None:
        parts = match.groupdict()
        number = parts["size"] or parts.get("late") or parts.get("roman") or ""
        core = parts["core"].rstrip("( ")
        yield from _anion(core, number) if "-" in (parts.get("sign") or "") else _cation(core, number)


def _anion(core: str, number: str) -> Iterator[str]:
    # In `SO42-` the digit belongs to the charge, in `NO2-` to the formula.
    for formula in (core, core + number):
        anion = ANIONS.get(formula)
        if anion is not None and anion.ion is not None:
            yield anion.ion
            return


def _cation(core: str, number: str) -> Iterator[str]:
    if core + number in CATIONS:
        yield CATIONS[core + number]
    elif core in ELEMENTS:
        if core == "Fe" and number in _CHARGES_OF_IRON:
            yield f"{NAMES_BY_CHARGE[core][_CHARGES_OF_IRON[number]]} ion"
        elif core != "Fe" and number:
            yield f"{ELEMENTS[core]} ion"
        yield ELEMENTS[core]
