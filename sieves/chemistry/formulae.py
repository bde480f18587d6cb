"""Formulae of salts, oxides, acids and bases: `MgSO4·7H2O` becomes `magnesium sulfate`, `K-gluconate` its salt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.words.short_texts import cached
from sieves.chemistry.elements import ELEMENTS, METALS, NAMES_BY_CHARGE
from sieves.chemistry.ions import ANIONS, CATIONS

_NAMED = """
    H2 hydrogen; N2 nitrogen; O2 oxygen; Cl2 chlorine;
    H2O water; D2O deuterium oxide; H2O2 hydrogen peroxide; H202 hydrogen peroxide; HCl hydrochloric acid; HBr
    hydrobromic acid; HF hydrofluoric acid; HI hydriodic acid; H2SO4 sulfuric acid; HNO3 nitric acid; HNO2
    nitrous acid; H3PO4 phosphoric acid; H2CO3 carbonic acid; H3BO3 boric acid; HClO4 perchloric acid; HOCl
    hypochlorous acid; HClO hypochlorous acid; H2S hydrogen sulfide; HCN hydrogen cyanide; H2SO3 sulfurous acid;
    H2SeO3 selenious acid; NH3 ammonia; NH4OH ammonium hydroxide; N2H4 hydrazine; NH2OH hydroxylamine; CO carbon
    monoxide; CO2 carbon dioxide; CS2 carbon disulfide; COS carbonyl sulfide; NO nitric oxide; NO2 nitrogen
    dioxide; N2O nitrous oxide; N2O3 dinitrogen trioxide; SO2 sulfur dioxide; SO3 sulfur trioxide; O3 ozone;
    SiO2 silicon dioxide; P2O5 phosphorus pentoxide; As2O3 arsenic trioxide; SF6 sulfur hexafluoride; PH3
    phosphine; AsH3 arsine; BF3 boron trifluoride; BBr3 boron tribromide; SOCl2 thionyl chloride; POCl3
    phosphoryl chloride; PCl5 phosphorus pentachloride; PCl3 phosphorus trichloride; CH4 methane; C2H6 ethane;
    C2H4 ethylene; C2H2 acetylene; C3H8 propane; C6H6 benzene; CH3OH methanol; C2H5OH ethanol; CH3CH2OH ethanol;
    CH3COOH acetic acid; HCOOH formic acid; HCHO formaldehyde; CH2O formaldehyde; CHCl3 chloroform; CH2Cl2
    methylene chloride; CCl4 carbon tetrachloride; CH3CN acetonitrile; CH3I methyl iodide; CH3Cl methyl
    chloride; CF3COOH trifluoroacetic acid; CH2N2 diazomethane; C60 fullerene C60; C70 fullerene C70; SiC
    silicon carbide; Si3N4 silicon nitride; BN boron nitride; GaAs gallium arsenide; Fe3O4 ferrosoferric oxide;
    Fe2O3 ferric oxide; Na2S2O3 sodium thiosulfate; TiO2 titanium dioxide; LiAlH4 lithium aluminum hydride;
    K3Fe(CN)6 potassium ferricyanide; K4Fe(CN)6 potassium ferrocyanide; K3[Fe(CN)6] potassium ferricyanide;
    K4[Fe(CN)6] potassium ferrocyanide; NaOMe sodium methoxide; NaHCO3 sodium bicarbonate; KHCO3 potassium
    bicarbonate; NaBH3CN sodium cyanoborohydride; AgNO3 silver nitrate; HAuCl4 gold tetrachloride, acid; H2PtCl6
    chloroplatinic acid; OsO4 osmium tetroxide; Na3VO4 orthovanadate; SeO2 selenium dioxide
"""
_WHOLE = {row.split(maxsplit=1)[0]: " ".join(row.split()[1:]) for row in _NAMED.split(";")}
"""Formulae with a name that does not follow from their ions."""
_CASELESS = {formula.casefold(): name for formula, name in _WHOLE.items() if any(map(str.isdigit, formula))} | {
    "nacl": "sodium chloride",
    "kcl": "potassium chloride",
    "hcl": "hydrochloric acid",
}
"""Formulae that are also written in one case: `h2o2`, `NACL`."""
_SALT_FORMERS = {symbol: ELEMENTS[symbol] for symbol in METALS} | {"NH4": CATIONS["NH4"]}
_HYDRATE = re.compile(r"\s*[·.*•x×]?\s*(?:(?<=[·.*•x× ])(?:\d+|n|x))?\s*H2O$|\s*[·.*]\s*\(H2O\)\d*$")
_DOTS = str.maketrans("∙⋅‧・", "····")
"""Characters that publishers use for the dot before crystal water."""
_CATION = re.compile(rf"\(?({'|'.join(sorted(_SALT_FORMERS, key=len, reverse=True))})\)?([1-9]?)")
_HALF = re.compile(
    r"(?!K-?ATP)(?P<symbol>Na|K|Li|Cs|Mg|Ca|NH4)(?P<count>[1-9]?)(?P<gap>[- ]?)"
    r"(?P<anion>[A-Za-z]\S+(?:ates?|ites?|ides?)|(?<=\d-)[a-z]{6,}|[ACGITU][DMT]P|EDTA|EGTA|HEPES|PIPES)"
)
"""A symbol before a name: `Na-acetate`, `Na2GTP`, `K phosphate`. Not `KATP`, which is a channel."""
_COUNTED = frozenset(["oxide", "chloride", "fluoride", "sulfide", "iodide", "bromide"])
"""Anions that names of salts count: `titanium dioxide`."""
_COUNTS = {2: "di", 3: "tri", 4: "tetra", 5: "penta", 6: "hexa"}
_ROMAN = {1: "I", 2: "II", 3: "III", 4: "IV"}
_NUMBERS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7}
_SYMBOLS = {ELEMENTS[symbol]: symbol for symbol in METALS} | {ELEMENTS["As"]: "As"}
_SPELLINGS = {"aluminium": "aluminum", "caesium": "cesium"}
NUMBERED = re.compile(
    rf"(?P<metal>(?i:{'|'.join([*_SYMBOLS, *_SPELLINGS])})|{'|'.join(sorted(METALS, key=len, reverse=True))})"
    r" ?\((?P<number>I{1,3}|IV|VI{0,2})\)[- ]?"
    r"(?P<rest>(?:mono|di|tri|tetra)?[a-z]{2,}(?:ates?|ides?|ites?|onate)(?: (?:[a-z]{2,6})?hydrate)?)"
)
"""A metal with its oxidation number, and what it is a salt of."""
_PEROXIDES = frozenset(["Li", "Na", "K", "Rb", "Cs", "Mg", "Ca", "Sr", "Ba", "Zn", "Cd"])
"""Metals with one charge, whose `O2` is a peroxide. In `MnO2` and `UO2` it is two oxides."""
LONGEST = 24
"""Characters of a formula."""
LONGEST_NAME = 50
"""Characters of a name with an oxidation number."""


@cached(4096)
def salts(text: str) -> tuple[str, ...]:
    """Names of an inorganic formula, with or without crystal water; empty for other texts.

    >>> salts("MgSO4·7H2O"), salts("FeCl3")[0], salts("Ca(NO3)2"), salts("TiO2"), salts("word")
    (('magnesium sulfate',), 'ferric chloride', ('calcium nitrate',), ('titanium dioxide',), ())
    """
    if len(text) > LONGEST or " and " in text:
        return tuple(dict.fromkeys(_with_number(text)))
    numbered = tuple(dict.fromkeys(_with_number(text)))
    if numbered:
        return numbered
    text = text.replace(" ", "").translate(_DOTS) if any(map(str.isdigit, text)) else text
    if text in _WHOLE:
        return (_WHOLE[text],)
    bare = _HYDRATE.sub("", text).rstrip("·.*")
    if bare in _WHOLE:
        return (_WHOLE[bare],)
    if text in (text.lower(), text.upper()) and text.casefold() in _CASELESS:
        return (_CASELESS[text.casefold()],)
    half = half_written(text)
    return tuple(dict.fromkeys(_salt(bare))) if half is None else (" ".join(half),)


def _with_number(text: str) -> Iterator[str]:
    """Names of a salt whose metal has its oxidation number: `copper(II) sulfate`, `Fe(III) citrate`."""
    match = NUMBERED.fullmatch(text) if len(text) <= LONGEST_NAME else None
    if match is None:
        return
    metal, number, rest = match["metal"], _NUMBERS[match["number"].upper()], match["rest"]
    symbol = metal if metal in ELEMENTS else _SYMBOLS[_SPELLINGS.get(metal.lower(), metal.lower())]
    name = NAMES_BY_CHARGE.get(symbol, {}).get(number)
    if name is not None:
        yield f"{name} {rest}"
    if rest in ("oxide", "chloride", "fluoride") and (rest != "oxide" or number % 2 == 0):
        count = number // 2 if rest == "oxide" else number
        if count in _COUNTS:
            yield f"{ELEMENTS[symbol]} {_COUNTS[count]}{rest}"
    yield f"{ELEMENTS[symbol]}({match['number']}) {rest}"
    yield f"{ELEMENTS[symbol]} {rest}"


def half_written(text: str) -> tuple[str, str] | None:
    """The metal and the anion of a salt whose metal is a symbol and whose anion is a name.

    >>> half_written("K-gluconate"), half_written("Na2GTP"), half_written("Kinase"), half_written("NaCl")
    (('potassium', 'gluconate'), ('sodium', 'GTP'), None, None)
    """
    match = _HALF.fullmatch(text)
    # Without a gap, a count or a capital, the text is a word: `Cacodylate`.
    if match is None or not (match["count"] or match["gap"] or match["anion"][0].isupper()):
        return None
    return _SALT_FORMERS[match["symbol"]], match["anion"]


def _salt(text: str) -> Iterator[str]:
    match = _CATION.match(text)
    if match is None:
        return
    symbol, many, rest = match[1], int(match[2] or 1), text[match.end() :]
    formula, count = _anion(rest)
    if formula is None:
        return
    anion, metal = ANIONS[formula], _SALT_FORMERS[symbol]
    charge = anion.charge * count // many if anion.charge * count % many == 0 else 0
    by_charge = NAMES_BY_CHARGE.get(symbol, {})
    named = anion.salts
    if formula == "O2" and symbol not in _PEROXIDES:
        named = named[::-1]
    for name in named:
        if charge in by_charge:
            yield f"{by_charge[charge]} {name}"
        if charge in _ROMAN and by_charge:
            yield f"{metal}({_ROMAN[charge]}) {name}"
        if name in _COUNTED and count in _COUNTS:
            yield f"{metal} {_COUNTS[count]}{name}"
        yield f"{metal} {name}"


def _anion(text: str) -> tuple[str | None, int]:
    """The formula of the anion and how many there are: `(NO3)2`, `Cl2`, `SO4`."""
    if _forms_salts(text):
        return text, 1
    match = re.fullmatch(r"\((.+)\)([1-9])|(.+?)([1-9])", text)
    if match is None:
        return None, 0
    formula, count = (match[1], match[2]) if match[1] else (match[3], match[4])
    return (formula, int(count)) if _forms_salts(formula) else (None, 0)


def _forms_salts(formula: str) -> bool:
    return formula in ANIONS and bool(ANIONS[formula].salts)
