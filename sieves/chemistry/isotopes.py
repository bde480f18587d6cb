"""Isotopes and labelled compounds: `125I`, `Co-60`, `[3H]dopamine`, `3H-thymidine`, `sphingosine-d7`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sieves.chemistry.elements import ELEMENTS, NUMBERS

_DIGIT = re.compile(r"\d")
_ISOTOPE = re.compile(
    r"[\[(]{0,2}(?P<mass>\d{1,3})\)?[- ]?(?P<symbol>[A-Z][a-z]?)(?:\]|\))?|(?P<late>[A-Z][a-z]?)-?(?P<behind>\d{1,3})"
)
_LABEL = re.compile(
    r"(?:\[|\()\(?(?P<mass>\d{1,3})\)?\s*-?(?P<symbol>[A-Z][a-z]?)(?:\d|\]|\)).*?(?<=[\]\d)])[-\s]*(?P<rest>[^\])\s].*)"
)
_BARE_LABEL = re.compile(r"(?P<mass>\d{1,3})(?P<symbol>[A-Z][a-z]?)[- ](?P<rest>[A-Za-z].{2,})")
_DEUTERATED = re.compile(r"[- ]?(?:\[|\()?d-?\d{1,2}(?:\]|\))?$|^(?:\[?[dD]\d{1,2}\]?|perdeuterated|deuterated)[- ]")
_SYMBOLS = {name: symbol for symbol, name in ELEMENTS.items()}
_NAMED = re.compile("|".join(sorted(_SYMBOLS, key=len, reverse=True)), re.I)
_RADIOISOTOPES = """
    H3 C11 C14 N13 O15 F18 Na22 Na24 P32 P33 S35 K42 Ca45 Cr51 Fe59 Co57 Co60 Cu64 Cu67 Zn65 Ga67 Ga68 Se75 Rb86
    Sr90 Y90 Zr89 Tc99 In111 I123 I124 I125 I131 Cs137 Lu177 Re188 Ra226 Th232 U238 Pu239 Am241
"""
_RADIOACTIVE = frozenset(_RADIOISOTOPES.split())
_STABLE_LABELS = frozenset(["C13", "N15", "O18"])
"""Not `H2`: `2H-pyran` is a ring with two more hydrogens."""
_HYDROGEN = {"1": ("hydrogen", "protium"), "2": ("deuterium",), "3": ("tritium",)}
LONGEST = 24
"""Characters: the longest name of an element, a mass number, brackets."""


def names(text: str) -> Iterator[str]:
    """Names of an isotope, the narrowest first: `125I`, `[3H]`, `13C`, `Co-60`.

    >>> list(names("125I"))
    ['iodine-125', 'iodine radioisotopes', 'iodine isotopes', 'iodine']
    """
    if len(text) > LONGEST or not _DIGIT.search(text):
        return
    match = _ISOTOPE.fullmatch(_NAMED.sub(lambda name: _SYMBOLS[name[0].lower()], text))
    if match is None:
        return
    mass, symbol = match["mass"] or match["behind"], match["symbol"] or match["late"]
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
    """Whether an isotope of an element can have this mass number: above its protons, at most three times as many.

    `C-225` and `P400` are therefore no isotopes.
    """
    return mass > 5 and NUMBERS[symbol] < mass <= 3 * NUMBERS[symbol]


def label(text: str) -> tuple[str, str] | None:
    """The isotope (`3H`) and the compound of a labelled compound; the isotope is empty for a deuterated standard.

    >>> label("[3H]dopamine"), label("14C-glucose"), label("sphingosine-d7"), label("dopamine")
    (('3H', 'dopamine'), ('14C', 'glucose'), ('', 'sphingosine'), None)
    """
    match = _LABEL.fullmatch(text)
    if match is not None and match["symbol"] in ELEMENTS:
        return match["mass"] + match["symbol"], match["rest"]
    match = _BARE_LABEL.fullmatch(text)
    if match is not None and match["symbol"] + match["mass"] in _RADIOACTIVE | _STABLE_LABELS:
        return match["mass"] + match["symbol"], match["rest"]
    bare = _DEUTERATED.sub("", text)
    return ("", bare) if bare != text and len(bare) > 2 else None
