"""Rewrites short forms and windows that the strategies of Ab3P cannot align."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from corpora.words import greek
from corpora.words.folding import alphanumeric, fold
from nlmchem.abbreviations.ab3p.precisions import ADDED, ROTATED, TRIALS, group
from nlmchem.abbreviations.ab3p.window import TokenWindow


class FormRewriting(NamedTuple):
    """Characters to align with a window by a strategy, and the name and score of the result."""

    kind: str
    score: float
    characters: str
    window: TokenWindow
    strategy: str

    @property
    def name(self) -> str:
        """The name of the result: `Numbers+FirstLetGen2`."""
        return f"{self.kind}+{self.strategy}"


def rewritings(short: str, window: TokenWindow) -> Iterator[FormRewriting]:
    """All rewritings, in the order of `_REWRITES`."""
    for kind, rewrite in _REWRITES:
        for characters, changed, strategies in rewrite(short, window):
            if changed.could_hold(characters):
                yield from (FormRewriting(kind, ADDED[kind], characters, changed, name) for name in strategies)


_Rewritten = tuple[str, TokenWindow, tuple[str, ...]]

_NUMBERS = {
    word: str(number)
    for number, words in enumerate(
        (
            "one first i", "two second double ii", "three third triple iii", "four fourth iv", "five fifth v",
            "six sixth vi", "seven seventh vii", "eight eighth viii", "nine ninth ix", "ten tenth", "eleven eleventh",
            "twelve twelfth",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_NUMBER = re.compile(r"(?<![^\W_])(?:" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")(?![^\W_])")
_SYMBOLS = {
    # Elements with symbols from other languages.
    "sodium": "na", "potassium": "k", "iron": "fe", "silver": "ag", "gold": "au", "lead": "pb", "tin": "sn",
    "mercury": "hg", "tungsten": "w", "antimony": "sb", "copper": "cu",
    # Quantities with symbols that are not their first letters.
    "current": "i", "currents": "i", "constant": "k", "constants": "k", "rate": "k", "rates": "k", "conductance": "g",
}  # fmt: skip


_FIRST = ("FirstLet", "FirstLetGen2", "FirstLetGenStp")
_STRONG = (*_FIRST, "WithinWrdFWrd", "ContLet")
_LOOSE = ("FirstLetGen2", "ContLet", "WithinWrdFWrd", "WithinWrdFLet", "ContLetSkp", "FirstLetGenSkp")
_WIDE = ("FirstLetGenWideStp", "FirstLetGenWide")

# Without names that are also short forms or parts of words: `mu`, `nu`, `pi`, `tau`.
_GREEK_NAMES = "|".join(greek.NAME_OF[letter] for letter in "αβγδεζηθκλσω")
_GREEK = rf"{_GREEK_NAMES}|[α-ω]"
_GREEK_NAME = re.compile(rf"(?<![a-z])(?:{_GREEK_NAMES})(?![a-z])")
# `V(T)`, `IFN-gamma`, `TAS-20`, `Hsp70`, `FasL ICD`, `QTc`: the last part is an index.
_INDEXED = re.compile(
    rf"(?P<base>[^\W_][\w+]*?)(?:[(\[](?P<bracketed>\w+)[.\d]*[)\]]|[- ]?(?P<greek>{_GREEK})|[- ](?P<part>\w+)"
    r"|(?P<number>\d+)|(?<=[A-Z])(?P<small>[a-z]{1,3}|[A-Z][a-z]))"
)
_SUFFIXED = re.compile(r"(.*[^\W\d_])(?:[-:]?\d+[A-Za-z]?|\d*p|[+-]|[(\[].*[)\]])(s?)")
_REPEATING = re.compile(r"([A-Z]{1,4})([2-4])([A-Z]{0,4})")
_HYDROXY = re.compile(r"hydroxyl?")
_FORMULA = re.compile(r"(?:[A-Z][a-z]?(?:\d|\(\d\))?){2,4}")
_CONCENTRATION = re.compile(r"\[([^\[\]]+)\]([a-z]?)(?:yt|ytosol)?")
# Outside and inside the cell.
_PLACES = {"o": ("o", "e"), "c": ("c", "i")}


def _greek(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    named = _GREEK_NAME.sub(lambda match: match[0][0], short)
    if named != short:
        yield alphanumeric(named), window, _STRONG


def _numbers(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    if any(map(str.isdigit, short)):
        changed = _with_numbers(window)
        if changed:
            trials = tuple(name for name, _ in TRIALS[group(short)] if not name.startswith("FirstLetGenS"))
            yield alphanumeric(short), changed, trials


def index_first(short: str) -> str | None:
    """The characters of a short form with its index first: `aT` for `T(a)`, `tR` for `Rt`; None without an index.

    >>> index_first("IFN-gamma")
    'gammaifn'
    """
    if len(short) == 2 and short.isalpha() and short[0].isupper() != short[1].isupper():
        return fold(short)[::-1]
    parts = _INDEXED.fullmatch(short)
    return alphanumeric((parts[2] or parts[3] or parts[4] or parts[5] or parts[6]) + parts[1]) if parts else None


def _rotated(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    characters = index_first(short)
    if not characters:
        return
    strategies = _STRONG if len(characters) > 2 else _FIRST
    yield characters, window, strategies
    for changed in (_with_numbers(window) if short[-1].isdigit() else None, _with_symbols(window)):
        if changed:
            yield characters, changed, strategies


def _suffix(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    core = _SUFFIXED.fullmatch(short)
    if not core:
        return
    characters = alphanumeric(core[1] + core[2])
    if len(characters) < 2 or not characters.isalpha():
        return
    if short.endswith("p"):
        yield characters + "p", window, _STRONG
    if len(window.tokens) > 1 and window.tokens[-1].isdigit() and window.tokens[-1] in short:
        window = TokenWindow(window.tokens[:-1], window.spans)
    yield characters, window, (*_STRONG, "WithinWrdWrd")


def _repeated(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    """`A3C` is AAAC, and `FA2E` is FAEE."""
    parts = _REPEATING.fullmatch(short)
    if not parts:
        return
    before, number, after = parts.groups()
    times = int(number)
    written = [before[:-1] + before[-1] * times + after, before + after[:1] * times + after[1:]]
    for characters in dict.fromkeys(written):
        yield characters.lower(), window, _FIRST


def _groups(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    if "OH" in short:
        changed = _changed(window, [_HYDROXY.sub("oh", token) for token in window.tokens])
        if changed:
            yield alphanumeric(short), changed, _LOOSE


def _formula(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    # A final number is a suffix.
    if _FORMULA.fullmatch(short) and any(map(str.isdigit, short)) and not short[-1].isdigit():
        characters = "".join(filter(str.isalpha, fold(short)))
        if len(characters) > 1:
            yield characters, window, _FIRST


def _concentration(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    parts = _CONCENTRATION.fullmatch(short)
    if parts:
        inner = alphanumeric(parts[1])
        for place in _PLACES.get(parts[2], (parts[2],)):
            yield place + inner + "c", window, _LOOSE


def _wide(short: str, window: TokenWindow) -> Iterator[_Rewritten]:
    characters = alphanumeric(short)
    if len(characters) >= 3 and short.isupper():
        yield characters, window, _WIDE


def _with_numbers(window: TokenWindow) -> TokenWindow | None:
    return _changed(window, [_NUMBER.sub(lambda match: _NUMBERS[match[0]], token) for token in window.tokens])


def _with_symbols(window: TokenWindow) -> TokenWindow | None:
    return _changed(window, [_SYMBOLS.get(token, token) for token in window.tokens])


def _changed(window: TokenWindow, tokens: list[str]) -> TokenWindow | None:
    return TokenWindow(tokens, window.spans) if tokens != window.tokens else None


_REWRITES: tuple[tuple[str, Callable[[str, TokenWindow], Iterator[_Rewritten]]], ...] = (
    # Names of Greek letters match the letters: `tumour necrosis factor α (TNF-alpha)`.
    ("Greek", _greek),
    # Square brackets for a concentration: `intracellular calcium concentration ([Ca2+]i)`.
    ("Concentration", _concentration),
    # Number words, ordinals and Roman numerals: `two-dimensional (2D)`.
    ("Numbers", _numbers),
    # The first word of the long form is the index of the short form: `tidal volume (V(T))`, `corrected QT (QTc)`.
    (ROTATED, _rotated),
    # A number repeats a letter: `asynchronous advantage actor critic (A3C)`.
    ("Repeated", _repeated),
    # Numbers inside a formula: `nitrous oxide (N2O)`.
    ("Formula", _formula),
    # OH for hydroxy: `8-hydroxydeoxyguanosine (8-OHdG)`.
    ("Hydroxy", _groups),
    # A number or `p` in the name of a gene that is not in the long form: `poly(A) polymerase (Pap1)`.
    ("Suffix", _suffix),
    # More words skipped: `transporter associated with antigen processing (TAP)`.
    ("Wide", _wide),
)
