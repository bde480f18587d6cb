"""The elements: symbols, names as in MeSH, and which of them form the salts that articles write as formulae."""

from __future__ import annotations

_TABLE = """
    H hydrogen, He helium, Li* lithium, Be* beryllium, B boron, C carbon, N nitrogen, O oxygen, F fluorine, Ne
    neon, Na* sodium, Mg* magnesium, Al* aluminum, Si silicon, P phosphorus, S sulfur, Cl chlorine, Ar argon, K*
    potassium, Ca* calcium, Sc scandium, Ti* titanium, V* vanadium, Cr* chromium, Mn* manganese, Fe* iron, Co*
    cobalt, Ni* nickel, Cu* copper, Zn* zinc, Ga* gallium, Ge germanium, As arsenic, Se selenium, Br bromine, Kr
    krypton, Rb* rubidium, Sr* strontium, Y* yttrium, Zr* zirconium, Nb* niobium, Mo* molybdenum, Tc technetium,
    Ru* ruthenium, Rh* rhodium, Pd* palladium, Ag* silver, Cd* cadmium, In* indium, Sn* tin, Sb* antimony, Te
    tellurium, I iodine, Xe xenon, Cs* cesium, Ba* barium, La* lanthanum, Ce* cerium, Pr* praseodymium, Nd*
    neodymium, Pm promethium, Sm* samarium, Eu* europium, Gd* gadolinium, Tb* terbium, Dy* dysprosium, Ho*
    holmium, Er* erbium, Tm thulium, Yb* ytterbium, Lu* lutetium, Hf* hafnium, Ta* tantalum, W* tungsten, Re*
    rhenium, Os* osmium, Ir* iridium, Pt* platinum, Au* gold, Hg* mercury, Tl* thallium, Pb* lead, Bi* bismuth,
    Po polonium, At astatine, Rn radon, Fr francium, Ra radium, Ac actinium, Th thorium, Pa protactinium, U*
    uranium, Np neptunium, Pu plutonium, Am americium, Cm curium
"""
"""By atomic number. `*` marks the metals of salts. `Ac` is not marked (acetyl), nor `Pa` (`PaO2` is a pressure)."""

ELEMENTS = {row.split()[0].rstrip("*"): row.split()[1] for row in _TABLE.split(",")}
"""Symbol -> name, for the elements that articles name."""
NUMBERS = {symbol: number for number, symbol in enumerate(ELEMENTS, 1)}
"""Symbol -> atomic number."""
METALS = tuple(row.split()[0].rstrip("*") for row in _TABLE.split(",") if row.split()[0].endswith("*"))
MULTIVALENT = ("Al", "Ba", "Ca", "Cd", "Co", "Cr", "Cu", "Fe", "Hg", "Mg", "Mn", "Ni", "Pb", "Sr", "Zn")
"""Metals whose ions have two or three charges and are common in articles."""
NAMES_BY_CHARGE = {
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
"""Symbol -> charge -> the name that MeSH uses for the ion in names of salts."""
