"""The elements and their isotopes.

Symbols, names as in MeSH, and which elements form the salts that articles write as formulae; isotopes and labelled
compounds: `125I`, `Co-60`, `[3H]dopamine`, `3H-thymidine`, `sphingosine-d7`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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

# -- isotopes -----------------------------------------------------------------------------------

_DIGIT = re.compile(r"\d")
_ISOTOPE = re.compile(
    r"[\[(]{0,2}(?P<mass>\d{1,3})(?P<excited>m?)\)?[- ]?(?P<symbol>[A-Z][a-z]?)(?:\]|\))?"
    r"|(?P<late>[A-Z][a-z]?)-?(?P<behind>\d{1,3})(?P<raised>m?)"
)
_ATOMS = r"(?:\(?(?P<mass>\d{1,3}m?)\)?-?(?P<symbol>[A-Z][a-z]?)\d{0,2}|[dD]\d{1,2})"
_IN_BRACKETS = re.compile(
    rf"(?P<bracket>[\[(])(?:(?!M-)(?P<places>(?:[\w',./ -]|\(\w{{1,9}}\)){{1,40}}?)-)??"
    rf"{_ATOMS}(?:[,;/] ?[\w',-]{{1,20}}?)?(?:\([nNgGU]\))?[\])]-?"
)
"""`[U-13C]`, `[1,2-13C2]`, `[methyl-3H]`, `[γ-(32)P]`, `[3H]`, `[D8]`."""
_BARE_LABEL = re.compile(
    r"(?<![\w.)])(?<![\w)]-)(?P<places>(?:UL?|[αβγ]|alpha|beta|gamma|methyl|ring|\d{1,2}(?:,\d{1,2}){0,5})-)?"
    r"(?:\((?P<bracketed>\d{1,3}m?)\)|(?P<mass>\d{1,3}m?))(?P<symbol>[A-Z][a-z]?)\d?(?:-U(?=-))?(?P<gap>[- ])"
)
"""`3H-`, `(14)C-`, `13C6-`, `U-13C-`, `α-32P `."""
_LABEL_BEHIND = re.compile(
    r"(?P<rest>.*[a-z]{3})-\[?(?:(?:UL?|\d{1,2}(?:,\d{1,2})*)-)?(?P<mass>\d{1,2})(?P<symbol>[CHNO])\d{0,2}(?:,15N\d?)?\]?"
)
"""`glucose-13C6`, `palmitate-1-14C`."""
_DEUTERATED = re.compile(r"[- ]?(?:\[|\()?d-?\d{1,2}(?:\]|\))?$|^(?:\[?[dD]\d{1,2}\]?|perdeuterated|deuterated)[- ]")
_SYMBOLS = {name: symbol for symbol, name in ELEMENTS.items()}
_NAMED = re.compile("|".join(sorted(_SYMBOLS, key=len, reverse=True)), re.I)
_RADIOISOTOPES = """
    H3 Be7 C11 C14 N13 O15 F18 Na22 Na24 Al26 P32 P33 S35 Cl36 K40 K42 Ca45 Ca47 Sc46 Sc47 Cr51 Mn52 Mn54 Fe55 Fe59
    Co57 Co58 Co60 Ni63 Cu61 Cu64 Cu67 Zn65 Ga66 Ga67 Ga68 Ge68 As74 As76 Se75 Br76 Br77 Br82 Kr81 Kr85 Rb82 Rb86 Sr85
    Sr89 Sr90 Y86 Y90 Zr89 Zr95 Nb95 Mo99 Tc99 Ru103 Ru106 Ag110 Ag111 Cd109 Cd115 In111 In113 Sn113 Sb124 Sb125 I123
    I124 I125 I129 I131 I132 Xe127 Xe133 Cs131 Cs134 Cs137 Ba133 Ba140 La140 Ce141 Ce144 Pm147 Sm153 Eu152 Eu154 Gd153
    Tb161 Dy165 Ho166 Er169 Tm170 Yb169 Lu177 Ta182 Re186 Re188 Ir192 Au198 Au199 Hg197 Hg203 Tl201 Tl204 Pb203 Pb210
    Pb212 Bi207 Bi212 Bi213 Po210 At211 Rn220 Rn222 Ra223 Ra224 Ra226 Ra228 Ac225 Ac227 Th227 Th228 Th230 Th232 Pa231
    U232 U233 U234 U235 U238 Np237 Pu238 Pu239 Pu240 Am241 Am243 Cm244
"""
"""Isotopes that biology and medicine use or measure. Source: the nuclides of IAEA's lists of medical, tracer and
environmental radionuclides."""
RADIOACTIVE = frozenset(_RADIOISOTOPES.split())
"""Symbol and mass number of these."""
STABLE = frozenset(["C13", "N15", "O18"])
"""Not `H2`: `2H-pyran` is a ring with two more hydrogens."""
_OF_LABELS = RADIOACTIVE | STABLE | {"H2", "O17", "S33", "S34"}
_HYDROGEN = {"1": ("hydrogen", "protium"), "2": ("deuterium",), "3": ("tritium",)}
LONGEST_ISOTOPE = 24
"""Characters: the longest name of an element, a mass number, brackets."""


def isotope_names(text: str) -> Iterator[str]:
    """Names of an isotope, the narrowest first: `125I`, `[3H]`, `13C`, `Co-60`.

    >>> list(isotope_names("125I"))
    ['iodine-125', 'iodine radioisotopes', 'iodine isotopes', 'iodine']
    """
    if len(text) > LONGEST_ISOTOPE or not _DIGIT.search(text):
        return
    match = _ISOTOPE.fullmatch(_NAMED.sub(lambda name: _SYMBOLS[name[0].lower()], text))
    if match is None:
        return
    mass, symbol = match["mass"] or match["behind"], match["symbol"] or match["late"]
    if match["late"] and "-" not in text and f"{symbol}{mass}" not in RADIOACTIVE:
        # `B12` is a vitamin.
        return
    if symbol == "H" and mass in _HYDROGEN:
        yield from _HYDROGEN[mass]
    # A mass number is above the number of protons, and at most three times as high: `C-225` and `P400` are no isotopes.
    elif symbol in ELEMENTS and int(mass) > 5 and NUMBERS[symbol] < int(mass) <= 3 * NUMBERS[symbol]:
        name = ELEMENTS[symbol]
        if match["excited"] or match["raised"]:
            yield f"{name}-{mass}m"
        yield f"{name}-{mass}"
        if f"{symbol}{mass}" in RADIOACTIVE:
            yield f"{name} radioisotopes"
        yield f"{name} isotopes"
        yield name


def labels(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and isotope (`3H`) of the isotope labels in a text in plain characters, with the hyphen behind them.

    The isotope is empty for deuterium as `D`, and for a label that has the places of its atoms.

    >>> list(labels("[3H]dopamine and L-[1-13C]leucine"))
    [(0, 4, '3H'), (19, 26, '')]
    """
    if not _DIGIT.search(text):
        return
    for form in (_IN_BRACKETS, _BARE_LABEL):
        for match in form.finditer(text):
            parts = match.groupdict()
            mass, symbol, places = parts["mass"] or parts.get("bracketed") or "", parts["symbol"], parts["places"]
            number = mass.rstrip("m")
            if form is _BARE_LABEL:
                known = f"{symbol}{number}" in RADIOACTIVE | STABLE and (
                    parts["gap"] == "-" or places or match.start() == 0
                )
            elif not symbol:
                known = parts["bracket"] == "["
            elif places or parts["bracket"] == "(":
                known = f"{symbol}{number}" in _OF_LABELS and (places or match.start() == 0)
            else:
                known = symbol in ELEMENTS and NUMBERS[symbol] <= int(number)
            if known:
                yield *match.span(), "" if places or not symbol else mass + symbol


def label(text: str) -> tuple[str, str] | None:
    """The isotope (`3H`) and the compound of a labelled compound; the isotope is empty as in `labels` and after a name.

    A name with the places of its labelled atoms is that of a tracer, so its concept is the compound.

    >>> label("[3H]dopamine"), label("L-[1-13C]leucine"), label("sphingosine-d7"), label("dopamine")
    (('3H', 'dopamine'), ('', 'L-leucine'), ('', 'sphingosine'), None)
    """
    for start, end, isotope in labels(text):
        rest = text[end:].lstrip("- ")
        if rest and (start == 0 or text[start - 1] in "- "):
            return isotope, text[:start] + rest
    match = _LABEL_BEHIND.fullmatch(text)
    if match is not None and match["symbol"] + match["mass"] in _OF_LABELS:
        return "", match["rest"]
    bare = _DEUTERATED.sub("", text)
    return ("", bare) if bare != text and len(bare) > 2 else None
