"""Elements, ions with their charges, isotopes and labels: symbols become names.

Names are those that MeSH uses: a metal's ion is the metal (`Ca2+`: Calcium), a halogen's the halides (`Cl-`:
Chlorides), other ions the class of their salts (`SO4 2-`: Sulfates).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["ANIONS", "CATIONS", "ELEMENTS", "ions", "isotopes", "label"]

ELEMENTS = dict(
    pair.split(":")
    for pair in [
        "H:hydrogen",
        "He:helium",
        "Li:lithium",
        "Be:beryllium",
        "B:boron",
        "C:carbon",
        "N:nitrogen",
        "O:oxygen",
        "F:fluorine",
        "Ne:neon",
        "Na:sodium",
        "Mg:magnesium",
        "Al:aluminum",
        "Si:silicon",
        "P:phosphorus",
        "S:sulfur",
        "Cl:chlorine",
        "Ar:argon",
        "K:potassium",
        "Ca:calcium",
        "Sc:scandium",
        "Ti:titanium",
        "V:vanadium",
        "Cr:chromium",
        "Mn:manganese",
        "Fe:iron",
        "Co:cobalt",
        "Ni:nickel",
        "Cu:copper",
        "Zn:zinc",
        "Ga:gallium",
        "Ge:germanium",
        "As:arsenic",
        "Se:selenium",
        "Br:bromine",
        "Kr:krypton",
        "Rb:rubidium",
        "Sr:strontium",
        "Y:yttrium",
        "Zr:zirconium",
        "Nb:niobium",
        "Mo:molybdenum",
        "Tc:technetium",
        "Ru:ruthenium",
        "Rh:rhodium",
        "Pd:palladium",
        "Ag:silver",
        "Cd:cadmium",
        "In:indium",
        "Sn:tin",
        "Sb:antimony",
        "Te:tellurium",
        "I:iodine",
        "Xe:xenon",
        "Cs:cesium",
        "Ba:barium",
        "La:lanthanum",
        "Ce:cerium",
        "Pr:praseodymium",
        "Nd:neodymium",
        "Pm:promethium",
        "Sm:samarium",
        "Eu:europium",
        "Gd:gadolinium",
        "Tb:terbium",
        "Dy:dysprosium",
        "Ho:holmium",
        "Er:erbium",
        "Tm:thulium",
        "Yb:ytterbium",
        "Lu:lutetium",
        "Hf:hafnium",
        "Ta:tantalum",
        "W:tungsten",
        "Re:rhenium",
        "Os:osmium",
        "Ir:iridium",
        "Pt:platinum",
        "Au:gold",
        "Hg:mercury",
        "Tl:thallium",
        "Pb:lead",
        "Bi:bismuth",
        "Po:polonium",
        "At:astatine",
        "Rn:radon",
        "Fr:francium",
        "Ra:radium",
        "Ac:actinium",
        "Th:thorium",
        "Pa:protactinium",
        "U:uranium",
        "Np:neptunium",
        "Pu:plutonium",
        "Am:americium",
        "Cm:curium",
    ]
)
"""Symbols and names of the elements that articles name."""

ANIONS = {
    "F": "fluorides",
    "Cl": "chlorides",
    "Br": "bromides",
    "I": "iodides",
    "OH": "hydroxide ion",
    "HO": "hydroxide ion",
    "HCO3": "bicarbonates",
    "CO3": "carbonates",
    "SO4": "sulfates",
    "HSO4": "hydrogen sulfate",
    "SO3": "sulfites",
    "HSO3": "hydrogen sulfite",
    "NO3": "nitrates",
    "NO2": "nitrites",
    "PO4": "phosphates",
    "HPO4": "phosphates",
    "H2PO4": "phosphates",
    "ClO4": "perchlorate",
    "ClO3": "chlorates",
    "ClO": "hypochlorite",
    "OCl": "hypochlorite",
    "CN": "cyanides",
    "SCN": "thiocyanate",
    "OCN": "cyanates",
    "O2": "superoxides",
    "S": "sulfides",
    "HS": "bisulfide",
    "S2O3": "thiosulfates",
    "CrO4": "chromates",
    "Cr2O7": "dichromate",
    "MnO4": "permanganate",
    "SiO4": "silicates",
    "BO3": "borates",
    "AsO4": "arsenates",
    "AsO3": "arsenites",
    "SeO3": "selenites",
    "SeO4": "selenates",
    "MoO4": "molybdate",
    "WO4": "tungstate",
    "VO4": "vanadates",
    "CH3COO": "acetates",
    "AcO": "acetates",
    "OAc": "acetates",
    "HCOO": "formates",
    "ONOO": "peroxynitrite",
    "BF4": "fluoroborate",
    "PF6": "hexafluorophosphate",
    "H": "hydride",
    "N3": "azides",
    "BH4": "borohydride",
    "C2O4": "oxalates",
    "Fe(CN)6": "ferrocyanide",
}
CATIONS = {
    "NH4": "ammonium",
    "H": "protons",
    "D": "deuterons",
    "H3O": "hydronium ion",
    "NO": "nitrosonium",
    "UO2": "uranyl",
    "Hg2": "mercurous ion",
}
_IONS_OF_IRON = {
    "2": ("ferrous", "iron"),
    "3": ("ferric", "iron"),
    "II": ("ferrous", "iron"),
    "III": ("ferric", "iron"),
}

_CHARGE = re.compile(
    r"(?P<core>[A-Z][A-Za-z0-9()]*?)\s*(?:\(|\^|\[)?\s*(?:(?P<size>\d?)\s*(?P<sign>[+-]+)(?P<late>\d?)|(?P<roman>[IV]{1,3}))"
    r"\s*(?:\)|\])?"
)
_DIGIT = re.compile(r"\d")
_MOLECULE = re.compile(r"([HNOFI]|Cl|Br)2")
_LOST_SIGN = re.compile(r"(?P<core>Ca|Mg|Mn|Zn|Cu|Fe|Co|Ni|Cd|Hg|Pb|Ba|Sr)(?P<size>[23])")
_ISOTOPE = re.compile(
    r"[\[(]{0,2}(?P<mass>\d{1,3})\)?[- ]?(?P<symbol>[A-Z][a-z]?)(?:\]|\))?|(?P<late>[A-Z][a-z]?)-?(?P<behind>\d{1,3})"
)
_LABEL = re.compile(
    r"(?:\[|\()\(?(?P<mass>\d{1,3})\)?\s*-?(?P<symbol>[A-Z][a-z]?)(?:\d|\]|\)).*?(?<=[\]\d)])[-\s]*(?P<rest>[^\])\s].*)"
)
_DEUTERATED = re.compile(r"[- ]?(?:\[|\()?d-?\d{1,2}(?:\]|\))?$|^(?:\[?[dD]\d{1,2}\]?|perdeuterated|deuterated)[- ]")
_PROTONS = {symbol: number for number, symbol in enumerate(ELEMENTS, 1)}
_SYMBOLS = {name: symbol for symbol, name in ELEMENTS.items()}
_NAMED = re.compile("|".join(sorted(_SYMBOLS, key=len, reverse=True)), re.I)
_RADIOACTIVE = frozenset(
    [
        "C14",
        "H3",
        "P32",
        "P33",
        "S35",
        "I125",
        "I131",
        "I124",
        "I123",
        "Co60",
        "Co57",
        "Cs137",
        "Tc99",
        "Ga67",
        "Ga68",
        "Cu64",
        "Cu67",
        "In111",
        "Y90",
        "Lu177",
        "F18",
        "O15",
        "N13",
        "C11",
        "Sr90",
        "Ca45",
        "Cr51",
        "Fe59",
        "Zn65",
        "Zr89",
        "Re188",
        "Ra226",
        "U238",
        "Th232",
        "Am241",
        "Pu239",
        "Na22",
        "Na24",
        "K42",
        "Rb86",
        "Se75",
    ]
)
_HYDROGEN = {"1": ("hydrogen", "protium"), "2": ("deuterium",), "3": ("tritium",)}
LONGEST_ION = 16
LONGEST_ISOTOPE = 24
"""Characters: the longest name of an element, a mass number, brackets."""


def ions(text: str) -> Iterator[str]:
    """Names of an element's symbol or of an ion.

    >>> list(ions("Zn(2+)")), list(ions("SO4 2-")), list(ions("Fe"))
    (['zinc ion', 'zinc'], ['sulfates'], ['iron'])
    """
    if len(text) > LONGEST_ION:
        return
    if text in ELEMENTS:
        yield ELEMENTS[text]
        return
    molecule = _MOLECULE.fullmatch(text)
    if molecule:
        yield ELEMENTS[molecule[1]]
        return
    found = _CHARGE.fullmatch(text) or _LOST_SIGN.fullmatch(text)
    if found is None:
        return
    parts = found.groupdict()
    core, positive = parts["core"].rstrip("( "), "-" not in (parts.get("sign") or "+")
    number = parts["size"] or parts.get("late") or parts.get("roman") or ""
    if not positive:
        # `SO4 2-` and `SO42-`: the digit may belong to either side.
        for anion in (core, core + number):
            if anion in ANIONS:
                yield ANIONS[anion]
                return
    elif core + number in CATIONS:
        yield CATIONS[core + number]
    elif core in ELEMENTS:
        if core == "Fe":
            yield from (f"{_IONS_OF_IRON[number][0]} ion" for _ in (1,) if number in _IONS_OF_IRON)
        elif number:
            yield f"{ELEMENTS[core]} ion"
        yield ELEMENTS[core]


def isotopes(text: str) -> Iterator[str]:
    """Names of an isotope, the narrowest first: `125I`, `[3H]`, `13C`, `Co-60`.

    >>> list(isotopes("125I"))
    ['iodine-125', 'iodine radioisotopes', 'iodine isotopes', 'iodine']
    """
    if len(text) > LONGEST_ISOTOPE or not _DIGIT.search(text):
        return
    found = _ISOTOPE.fullmatch(_NAMED.sub(lambda name: _SYMBOLS[name[0].lower()], text))
    if found is None:
        return
    mass, symbol = found["mass"] or found["behind"], found["symbol"] or found["late"]
    if symbol == "H" and mass in _HYDROGEN:
        yield from _HYDROGEN[mass]
    elif symbol in ELEMENTS and _is_mass(symbol, int(mass)):
        name = ELEMENTS[symbol]
        yield f"{name}-{mass}"
        if f"{symbol}{mass}" in _RADIOACTIVE:
            yield f"{name} radioisotopes"
        yield f"{name} isotopes"
        yield name


def _is_mass(symbol: str, mass: int) -> bool:
    """Whether an element may have an isotope of this mass number: more than its protons, at most three times as many.

    So `C-225` and `P400` are no isotopes.
    """
    return mass > 5 and _PROTONS[symbol] < mass <= 3 * _PROTONS[symbol]


def label(text: str) -> tuple[str, str] | None:
    """A labelled compound as its isotope (`3H`) and what is labelled; the isotope is empty for a deuterated standard.

    >>> label("[3H]dopamine"), label("sphingosine-d7"), label("dopamine")
    (('3H', 'dopamine'), ('', 'sphingosine'), None)
    """
    found = _LABEL.fullmatch(text)
    if found is not None and found["symbol"] in ELEMENTS:
        return found["mass"] + found["symbol"], found["rest"]
    bare = _DEUTERATED.sub("", text)
    return ("", bare) if bare != text and len(bare) > 2 else None
