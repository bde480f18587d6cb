"""Formulae of inorganic chemistry: ions (`Ca2+`, `SO4 2-`), and salts, oxides, acids and bases.

Names of ions are those of MeSH: the ion of a metal is the metal (`Ca2+`: Calcium), that of a halogen the halides
(`Cl-`: Chlorides), other anions the class of their salts (`SO4 2-`: Sulfates). `MgSO4·7H2O` becomes `magnesium
sulfate`, `K-gluconate` the salt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpora.words.short_texts import cached
from sieves.chemistry.elements import ELEMENTS, METALS, MULTIVALENT, NAMES_BY_CHARGE

# -- ions ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Anion:
    """An anion of the table below."""

    charge: int
    """The number of negative charges; 0 for anions that are not used in formulae of salts."""
    ion: str | None
    """The name of the free ion; None for anions that occur in salts only."""
    salts: tuple[str, ...]
    """Names in salts, best first."""


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
ANION_NAMES = frozenset(name for anion in ANIONS.values() for name in anion.salts)
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
    r"(?:(?P<size>\d?)\s*(?P<sign>[+-]+)(?P<late>\d?)|(?<![A-Z])(?P<roman>[IV]{1,3}))\s*(?:\)|\])?"
)
"""`FeII` is an ion; `NI` and `PII` are short forms."""
_UNCHARGED = re.compile(r"(?:[HK]|Na|Li|Rb|Cs|Ag|Cu|Tl)I")
"""Iodides, not charges: `KI`, `NaI`."""
_BRACKETED = re.compile(r"(?<=[A-Za-z])\((\d)\)")
_LOST_SIGN = re.compile(rf"(?P<core>{'|'.join(MULTIVALENT)})(?P<size>[23])")
_MOLECULE = re.compile(r"([HNOFI]|Cl|Br)2")
_SPECIES = re.compile(r"[io](?=(?:As|Hg|Sb|Se|Sn)(?![a-z]))")
"""Inorganic and organic compounds of an element, which toxicology tells apart: `iAs`, `oHg`."""
_CHARGES_OF_IRON = {"2": 2, "3": 3, "II": 2, "III": 3}
LONGEST_ION = 16
"""Characters, with the charge."""


def ion_names(text: str) -> Iterator[str]:
    """Names of the symbol of an element or of an ion.

    >>> list(ion_names("Zn(2+)")), list(ion_names("SO4 2-")), list(ion_names("Fe")), list(ion_names("iAs"))
    (['zinc ion', 'zinc'], ['sulfates'], ['iron'], ['arsenic'])
    """
    if len(text) > LONGEST_ION:
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
    if match is None:
        return
    parts = match.groupdict()
    number = parts["size"] or parts.get("late") or parts.get("roman") or ""
    core = parts["core"].rstrip("( ")
    if "-" in (parts.get("sign") or ""):
        # In `SO42-` the digit belongs to the charge, in `NO2-` to the formula.
        anions = (ANIONS[formula] for formula in (core, core + number) if formula in ANIONS)
        yield from [anion.ion for anion in anions if anion.ion is not None][:1]
    elif core + number in CATIONS:
        yield CATIONS[core + number]
    elif core in ELEMENTS:
        if core == "Fe" and number in _CHARGES_OF_IRON:
            yield f"{NAMES_BY_CHARGE[core][_CHARGES_OF_IRON[number]]} ion"
        elif core != "Fe" and number:
            yield f"{ELEMENTS[core]} ion"
        yield ELEMENTS[core]


# -- salts, oxides, acids and bases -------------------------------------------------------------

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
    K4[Fe(CN)6] potassium ferrocyanide; K2PtCl4 potassium tetrachloroplatinate; K2[PtCl4] potassium
    tetrachloroplatinate; NaOMe sodium methoxide; NaHCO3 sodium bicarbonate; KHCO3 potassium
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
_BY_LENGTH = sorted(_SALT_FORMERS, key=len, reverse=True)
_CATION = re.compile(rf"\(?({'|'.join(_BY_LENGTH)})\)?([1-9]?)")
_HALF = re.compile(
    r"(?!K-?ATP)(?P<symbol>Na|K|Li|Cs|Mg|Ca|NH4)(?P<count>[1-9]?)(?P<gap>[- ]?)"
    r"(?P<anion>[A-Za-z]\S+(?:ates?|ites?|ides?)|(?<=\d-)[a-z]{6,}|[ACGITU][DMT]P|EDTA|EGTA|HEPES|PIPES)"
    rf"|(?P<metal>{'|'.join(_BY_LENGTH)}) "
    rf"(?P<salt>(?:{'|'.join(sorted(ANION_NAMES))})s?)"
)
"""A symbol before a name: `Na-acetate`, `Na2GTP`, `K phosphate`, `Al oxides`. Not `KATP`, which is a channel."""
_COUNTED = frozenset(["oxide", "chloride", "fluoride", "sulfide", "iodide", "bromide"])
"""Anions that names of salts count: `titanium dioxide`."""
_COUNTED_ANION = re.compile(r"\((.+)\)([1-9])|(.+?)([1-9])")
_COUNTS = {2: "di", 3: "tri", 4: "tetra", 5: "penta", 6: "hexa"}
_ROMAN = {1: "I", 2: "II", 3: "III", 4: "IV"}
_NUMBERS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7}
_SYMBOLS = {ELEMENTS[symbol]: symbol for symbol in METALS} | {ELEMENTS["As"]: "As"}
_SPELLINGS = {"aluminium": "aluminum", "caesium": "cesium"}
_ANION_WORD = (
    r"[a-z]*(?:(?:acet|aceton|arsen|ascorb|aspart|benz|benzo|benzen|butyr|carb|carbam|carbon|chlor|chrom|citr|cyan|ferul"
    r"|form|fumar|gall|glucon|glutam|glycin|hexano|lact|mal|male|malon|mangan|methan|molybd|naphthen|nitr|octano|ole"
    r"|oxal|palmit|phosph|phosphon|phthal|picolin|pival|propion|salicyl|selen|silic|stear|succin|sul(?:f|ph)|sulfon"
    r"|tartr|tosyl|mesyl|trifl|tungst|vanad|(?<!a)(?<!or)bor)ate"
    r"|(?:am|az|bor|brom|carb|chlor|cyan|fluor|hal|hydr|iod|nitr|ox|phosph|selen|sul(?:f|ph)|tellur)ide"
    r"|(?:arsen|chlor|nitr|phosph|selen|sul(?:f|ph)|tellur)ite)s?"
)
"""Verbs and adverbs have the same endings: `accumulate`, `inside`, `coordinates`."""
NUMBERED = re.compile(
    rf"(?P<metal>(?i:{'|'.join([*_SYMBOLS, *_SPELLINGS])})|{'|'.join(sorted(METALS, key=len, reverse=True))})"
    r" ?\((?P<number>I{1,3}|IV|VI{0,2})\)[- ]?"
    rf"(?P<rest>{_ANION_WORD}(?: (?:[a-z]{{2,6}})?hydrate)?)"
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
    numbered = tuple(dict.fromkeys(_with_number(text)))
    if numbered or len(text) > LONGEST or " and " in text:
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
    if half is None:
        return tuple(dict.fromkeys(_salt(bare)))
    # `Cu chloride` is the cupric one: the highest charge is the usual one.
    by_charge = NAMES_BY_CHARGE.get(_SYMBOLS.get(half[0], ""), {})
    return (" ".join(half), *(f"{by_charge[charge]} {half[1]}" for charge in sorted(by_charge, reverse=True)))


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
    if match is not None and match["metal"]:
        return _SALT_FORMERS[match["metal"]], match["salt"]
    # Without a gap, a count or a capital, the text is a word: `Cacodylate`.
    if match is None or not (match["count"] or match["gap"] or match["anion"][0].isupper()):
        return None
    return _SALT_FORMERS[match["symbol"]], match["anion"]


def _salt(text: str) -> Iterator[str]:
    """Names of a salt in symbols: a cation, its number, an anion, its number."""
    match = _CATION.match(text)
    if match is None:
        return
    symbol, many, rest = match[1], int(match[2] or 1), text[match.end() :]
    # `SO4`, `(NO3)2`, `Cl2`: the longer formula first.
    counted = _COUNTED_ANION.fullmatch(rest)
    formulae = [(rest, 1), *([(counted[1] or counted[3], int(counted[2] or counted[4]))] if counted else [])]
    known = [(formula, count) for formula, count in formulae if formula in ANIONS and ANIONS[formula].salts]
    if not known:
        return
    formula, count = known[0]
    anion, metal = ANIONS[formula], _SALT_FORMERS[symbol]
    charge = anion.charge * count // many if anion.charge * count % many == 0 else 0
    by_charge = NAMES_BY_CHARGE.get(symbol, {})
    for name in anion.salts[::-1] if formula == "O2" and symbol not in _PEROXIDES else anion.salts:
        if charge in by_charge:
            yield f"{by_charge[charge]} {name}"
        if charge in _ROMAN and by_charge:
            yield f"{metal}({_ROMAN[charge]}) {name}"
        if name in _COUNTED and count in _COUNTS:
            yield f"{metal} {_COUNTS[count]}{name}"
        yield f"{metal} {name}"
