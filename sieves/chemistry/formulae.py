"""Formulae of salts, oxides, acids and bases: `MgSO4·7H2O` becomes `magnesium sulfate`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sieves.chemistry.elements import ELEMENTS

__all__ = ["salts"]

_METALS = [
    "Li",
    "Na",
    "K",
    "Rb",
    "Cs",
    "Mg",
    "Ca",
    "Sr",
    "Ba",
    "Al",
    "Ga",
    "In",
    "Tl",
    "Sn",
    "Pb",
    "Bi",
    "Ti",
    "V",
    "Cr",
    "Mn",
    "Fe",
    "Co",
    "Ni",
    "Cu",
    "Zn",
    "Y",
    "Zr",
    "Nb",
    "Mo",
    "Ru",
    "Rh",
    "Pd",
    "Ag",
    "Cd",
    "La",
    "Ce",
    "Pr",
    "Nd",
    "Sm",
    "Eu",
    "Gd",
    "Tb",
    "Dy",
    "Ho",
    "Er",
    "Yb",
    "Lu",
    "Hf",
    "Ta",
    "W",
    "Re",
    "Os",
    "Ir",
    "Pt",
    "Au",
    "Hg",
    "U",
    "Be",
    "Sb",
    "NH4",
]
_OTHER = {"NH4": "ammonium"}
# The Latin names that MeSH keeps for the lower and the higher charge.
_CHARGED = {
    "Fe": {1: "iron", 2: "ferrous", 3: "ferric"},
    "Cu": {1: "cuprous", 2: "cupric"},
    "Sn": {2: "stannous", 4: "stannic"},
    "Hg": {1: "mercurous", 2: "mercuric"},
    "Co": {2: "cobaltous", 3: "cobaltic"},
    "Cr": {3: "chromic"},
    "Mn": {2: "manganese"},
    "Pb": {2: "lead"},
    "Ce": {3: "cerous", 4: "ceric"},
    "Au": {3: "auric", 1: "aurous"},
}
_ANIONS: dict[str, tuple[int, tuple[str, ...]]] = {
    "F": (1, ("fluoride",)),
    "Cl": (1, ("chloride",)),
    "Br": (1, ("bromide",)),
    "I": (1, ("iodide",)),
    "O": (2, ("oxide",)),
    "O2": (2, ("peroxide", "dioxide")),
    "S": (2, ("sulfide",)),
    "Se": (2, ("selenide",)),
    "Te": (2, ("telluride",)),
    "N": (3, ("nitride",)),
    "C": (4, ("carbide",)),
    "H": (1, ("hydride",)),
    "OH": (1, ("hydroxide",)),
    "HCO3": (1, ("bicarbonate", "hydrogen carbonate")),
    "CO3": (2, ("carbonate",)),
    "SO4": (2, ("sulfate",)),
    "HSO4": (1, ("bisulfate", "hydrogen sulfate")),
    "SO3": (2, ("sulfite",)),
    "HSO3": (1, ("bisulfite", "hydrogen sulfite")),
    "S2O3": (2, ("thiosulfate",)),
    "S2O4": (2, ("dithionite",)),
    "S2O5": (2, ("metabisulfite",)),
    "S2O8": (2, ("persulfate",)),
    "NO3": (1, ("nitrate",)),
    "NO2": (1, ("nitrite",)),
    "N3": (1, ("azide",)),
    "PO4": (3, ("phosphate",)),
    "HPO4": (2, ("phosphate, dibasic", "hydrogen phosphate", "phosphate")),
    "H2PO4": (1, ("phosphate, monobasic", "dihydrogen phosphate", "phosphate")),
    "P2O7": (4, ("pyrophosphate",)),
    "ClO4": (1, ("perchlorate",)),
    "ClO3": (1, ("chlorate",)),
    "ClO2": (1, ("chlorite",)),
    "ClO": (1, ("hypochlorite",)),
    "OCl": (1, ("hypochlorite",)),
    "BrO3": (1, ("bromate",)),
    "IO3": (1, ("iodate",)),
    "IO4": (1, ("periodate", "metaperiodate")),
    "CN": (1, ("cyanide",)),
    "SCN": (1, ("thiocyanate",)),
    "MnO4": (1, ("permanganate",)),
    "CrO4": (2, ("chromate",)),
    "Cr2O7": (2, ("dichromate", "bichromate")),
    "MoO4": (2, ("molybdate",)),
    "WO4": (2, ("tungstate",)),
    "VO3": (1, ("metavanadate",)),
    "VO4": (3, ("orthovanadate", "vanadate")),
    "SiO3": (2, ("metasilicate", "silicate")),
    "B4O7": (2, ("borate", "tetraborate")),
    "BO3": (3, ("borate",)),
    "BH4": (1, ("borohydride",)),
    "BH3CN": (1, ("cyanoborohydride",)),
    "CNBH3": (1, ("cyanoborohydride",)),
    "BF4": (1, ("tetrafluoroborate",)),
    "PF6": (1, ("hexafluorophosphate",)),
    "AlH4": (1, ("aluminum hydride",)),
    "SeO3": (2, ("selenite",)),
    "SeO4": (2, ("selenate",)),
    "AsO2": (1, ("arsenite",)),
    "AsO3": (3, ("arsenite",)),
    "AsO4": (3, ("arsenate",)),
    "HAsO4": (2, ("arsenate",)),
    "CH3COO": (1, ("acetate",)),
    "C2H3O2": (1, ("acetate",)),
    "OAc": (1, ("acetate",)),
    "CH3CO2": (1, ("acetate",)),
    "Ac": (1, ("acetate",)),
    "HCOO": (1, ("formate",)),
    "HCO2": (1, ("formate",)),
    "C2O4": (2, ("oxalate",)),
    "acac": (1, ("acetylacetonate",)),
    "OMe": (1, ("methoxide", "methylate")),
    "OEt": (1, ("ethoxide",)),
}
_WHOLE = {
    "H2O": "water",
    "D2O": "deuterium oxide",
    "H2O2": "hydrogen peroxide",
    "H202": "hydrogen peroxide",
    "HCl": "hydrochloric acid",
    "HBr": "hydrobromic acid",
    "HF": "hydrofluoric acid",
    "HI": "hydriodic acid",
    "H2SO4": "sulfuric acid",
    "HNO3": "nitric acid",
    "HNO2": "nitrous acid",
    "H3PO4": "phosphoric acid",
    "H2CO3": "carbonic acid",
    "H3BO3": "boric acid",
    "HClO4": "perchloric acid",
    "HOCl": "hypochlorous acid",
    "HClO": "hypochlorous acid",
    "H2S": "hydrogen sulfide",
    "HCN": "hydrogen cyanide",
    "H2SO3": "sulfurous acid",
    "H2SeO3": "selenious acid",
    "NH3": "ammonia",
    "NH4OH": "ammonium hydroxide",
    "N2H4": "hydrazine",
    "NH2OH": "hydroxylamine",
    "CO": "carbon monoxide",
    "CO2": "carbon dioxide",
    "CS2": "carbon disulfide",
    "COS": "carbonyl sulfide",
    "NO": "nitric oxide",
    "NO2": "nitrogen dioxide",
    "N2O": "nitrous oxide",
    "N2O3": "dinitrogen trioxide",
    "SO2": "sulfur dioxide",
    "SO3": "sulfur trioxide",
    "O3": "ozone",
    "SiO2": "silicon dioxide",
    "P2O5": "phosphorus pentoxide",
    "As2O3": "arsenic trioxide",
    "SF6": "sulfur hexafluoride",
    "PH3": "phosphine",
    "AsH3": "arsine",
    "BF3": "boron trifluoride",
    "BBr3": "boron tribromide",
    "SOCl2": "thionyl chloride",
    "POCl3": "phosphoryl chloride",
    "PCl5": "phosphorus pentachloride",
    "PCl3": "phosphorus trichloride",
    "CH4": "methane",
    "C2H6": "ethane",
    "C2H4": "ethylene",
    "C2H2": "acetylene",
    "C3H8": "propane",
    "C6H6": "benzene",
    "CH3OH": "methanol",
    "C2H5OH": "ethanol",
    "CH3CH2OH": "ethanol",
    "CH3COOH": "acetic acid",
    "HCOOH": "formic acid",
    "HCHO": "formaldehyde",
    "CH2O": "formaldehyde",
    "CHCl3": "chloroform",
    "CH2Cl2": "methylene chloride",
    "CCl4": "carbon tetrachloride",
    "CH3CN": "acetonitrile",
    "CH3I": "methyl iodide",
    "CH3Cl": "methyl chloride",
    "CF3COOH": "trifluoroacetic acid",
    "CH2N2": "diazomethane",
    "C60": "fullerene C60",
    "C70": "fullerene C70",
    "SiC": "silicon carbide",
    "Si3N4": "silicon nitride",
    "BN": "boron nitride",
    "GaAs": "gallium arsenide",
    "Fe3O4": "ferrosoferric oxide",
    "Fe2O3": "ferric oxide",
    "Na2S2O3": "sodium thiosulfate",
    "TiO2": "titanium dioxide",
    "LiAlH4": "lithium aluminum hydride",
    "K3Fe(CN)6": "potassium ferricyanide",
    "K4Fe(CN)6": "potassium ferrocyanide",
    "K3[Fe(CN)6]": "potassium ferricyanide",
    "K4[Fe(CN)6]": "potassium ferrocyanide",
    "NaOMe": "sodium methoxide",
    "NaHCO3": "sodium bicarbonate",
    "KHCO3": "potassium bicarbonate",
    "NaBH3CN": "sodium cyanoborohydride",
    "AgNO3": "silver nitrate",
    "HAuCl4": "gold tetrachloride, acid",
    "H2PtCl6": "chloroplatinic acid",
    "OsO4": "osmium tetroxide",
    "Na3VO4": "orthovanadate",
}
_HYDRATE = re.compile(r"\s*[·.*•x×]?\s*(?:(?<=[·.*•x× ])(?:\d+|n|x))?\s*H2O$|\s*[·.*]\s*\(H2O\)\d*$")
_DOTS = str.maketrans("∙⋅‧・", "····")
"""What publishers write for the dot before crystal water."""
_CATION = re.compile(rf"\(?({'|'.join(sorted(_METALS, key=len, reverse=True))})\)?(\d?)")
LONGEST_FORMULA = 24


@lru_cache(maxsize=4096)
def salts(text: str) -> tuple[str, ...]:
    """Names of an inorganic formula, with or without crystal water; empty for other texts.

    >>> salts("MgSO4·7H2O"), salts("FeCl3")[0], salts("Ca(NO3)2"), salts("TiO2"), salts("word")
    (('magnesium sulfate',), 'ferric chloride', ('calcium nitrate',), ('titanium dioxide',), ())
    """
    if len(text) > LONGEST_FORMULA or " and " in text:
        return ()
    text = text.replace(" ", "").translate(_DOTS) if any(map(str.isdigit, text)) else text
    if text in _WHOLE:
        return (_WHOLE[text],)
    bare = _HYDRATE.sub("", text).rstrip("·.*")
    if bare in _WHOLE:
        return (_WHOLE[bare],)
    return tuple(dict.fromkeys(_salt(bare)))


def _salt(text: str) -> Iterator[str]:
    found = _CATION.match(text)
    if found is None:
        return
    symbol, many, rest = found[1], int(found[2] or 1), text[found.end() :]
    anion, count = _anion(rest)
    if anion is None:
        return
    charge, names = _ANIONS[anion]
    metal = _OTHER.get(symbol) or ELEMENTS[symbol]
    each = charge * count // many if charge * count % many == 0 else 0
    for name in names:
        special = _CHARGED.get(symbol, {}).get(each)
        if special:
            yield f"{special} {name}"
        if each in (1, 2, 3, 4) and symbol in _CHARGED:
            yield f"{metal}({'I' * each if each < 4 else 'IV'}) {name}"
        if name in ("oxide", "chloride", "fluoride", "sulfide", "iodide", "bromide") and count in _COUNTS:
            yield f"{metal} {_COUNTS[count]}{name}"
        yield f"{metal} {name}"


_COUNTS = {2: "di", 3: "tri", 4: "tetra", 5: "penta", 6: "hexa"}


def _anion(text: str) -> tuple[str | None, int]:
    if text in _ANIONS:
        return text, 1
    found = re.fullmatch(r"\((.+)\)(\d)|(.+?)(\d)", text)
    if found is None:
        return None, 0
    anion, count = (found[1], found[2]) if found[1] else (found[3], found[4])
    return (anion, int(count)) if anion in _ANIONS else (None, 0)
