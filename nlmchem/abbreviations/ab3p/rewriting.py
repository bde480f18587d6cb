"""Rewrites what the strategies of Ab3P cannot align: short forms, windows, and chemical formulae as their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from corpora.words.english import singular
from corpora.words.folding import GREEK_NAME_OF, alphanumeric, fold
from corpora.words.short_texts import cached
from nlmchem.abbreviations.ab3p.alignment import MOVED, ROTATED, TRIALS, group
from nlmchem.abbreviations.ab3p.candidates import TokenWindow
from sieves.chemistry.elements import ELEMENTS
from sieves.chemistry.formulae import ion_names, salts

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
_GREEK_NAMES = "|".join(GREEK_NAME_OF[letter] for letter in "αβγδεζηθκλσω")
_GREEK = rf"{_GREEK_NAMES}|[α-ω]"
_GREEK_NAME = re.compile(rf"(?<![a-z])(?:{_GREEK_NAMES})(?![a-z])")
# `V(T)`, `IFN-gamma`, `TAS-20`, `Hsp70`, `FasL ICD`, `QTc`: the last part is an index.
_INDEXED = re.compile(
    rf"(?P<base>[^\W_][\w+]*?)(?:[(\[](?P<bracketed>\w+)[.\d]*[)\]]|[- ]?(?P<greek>{_GREEK})|[- ](?P<part>\w+)"
    r"|(?P<number>\d+)|(?<=[A-Z])(?P<small>[a-z]{1,3}|[A-Z][a-z]))"
)
_SUFFIXED = re.compile(r"(.*[^\W\d_])(?:[-:]?\d+[A-Za-z]?|\d*p|[+-]|[(\[].*[)\]])(s?)")
_REPEATING = re.compile(r"([A-Z]{1,4})([2-4])([A-Z]{0,4})")
_LABEL_JOINT = re.compile(r"[.·:/-]")
_HYDROXY = re.compile(r"hydroxyl?")
_FORMULA = re.compile(r"(?:[A-Z][a-z]?(?:\d|\(\d\))?){2,4}")
# `m6A`, `hm5C`, `m3,2U`: the place of a group in a nucleoside, after the group.
_MOVED = re.compile(r"(?P<group>[a-z]{1,3})\(?(?P<place>\d(?:,\d)?)\)?(?P<base>[ACGTUI])")
_ATOM = re.compile(r"(?:^|(?<=-))[a-z]\(?(?=\d)|(?<=\d)\)(?=-)")
_CONCENTRATION = re.compile(r"\[([^\[\]]+)\]([a-z]?)(?:yt|ytosol)?")
# Outside and inside the cell.
_PLACES = {"o": ("o", "e"), "c": ("c", "i")}


def rewritings(short: str, window: TokenWindow) -> Iterator[tuple[str, str, TokenWindow, str]]:
    """All rewritings: their kind, the characters to align with a window, the window, and the strategy."""
    for kind, characters, changed, strategies in _rewritten(short, window):
        if changed.could_hold(characters):
            yield from ((kind, characters, changed, strategy) for strategy in strategies)


def _rewritten(short: str, window: TokenWindow) -> Iterator[tuple[str, str, TokenWindow, tuple[str, ...]]]:
    """The rewritings in order: kind, characters, window, strategies."""
    letters = alphanumeric(short)
    has_digit = any(map(str.isdigit, short))

    # Names of Greek letters match the letters: `tumour necrosis factor α (TNF-alpha)`.
    named = _GREEK_NAME.sub(lambda match: match[0][0], short)
    if named != short:
        yield "Greek", alphanumeric(named), window, _STRONG

    # Square brackets for a concentration: `intracellular calcium concentration ([Ca2+]i)`.
    if parts := _CONCENTRATION.fullmatch(short):
        for place in _PLACES.get(parts[2], (parts[2],)):
            yield "Concentration", place + alphanumeric(parts[1]) + "c", window, _LOOSE

    # Number words, ordinals and Roman numerals: `two-dimensional (2D)`.
    if has_digit and (changed := _changed(window, _with_numbers)):
        trials = tuple(name for name, _ in TRIALS[group(short)] if not name.startswith("FirstLetGenS"))
        yield "Numbers", letters, changed, trials

    # The first word of the long form is the index of the short form: `tidal volume (V(T))`, `corrected QT (QTc)`.
    if rotated := index_first(short):
        strategies = _STRONG if len(rotated) > 2 else _FIRST
        yield ROTATED, rotated, window, strategies
        if short[-1].isdigit() and (changed := _changed(window, _with_numbers)):
            yield ROTATED, rotated, changed, strategies
        if changed := _changed(window, lambda token: _SYMBOLS.get(token, token)):
            yield ROTATED, rotated, changed, strategies

    # The index in a part of the short form: `labile inorganic phosphate (L-Pi)`.
    first, _, last = short.rpartition("-")
    if first and len(last) == 2 and (inner := index_first(last)):
        yield ROTATED, alphanumeric(first) + inner, window, _FIRST

    # Symbols of elements for their names: `iron and aluminum phosphorus (Fe.Al-P)`.
    elements = [ELEMENTS.get(symbol, "") for symbol in _LABEL_JOINT.split(short)]
    if len(elements) > 1 and all(element and element in window.tokens for element in elements):
        yield "Elements", "".join(element[0] for element in elements), window, _FIRST

    # A number repeats a letter: A3C is AAAC (`asynchronous advantage actor critic`), and FA2E is FAEE.
    if parts := _REPEATING.fullmatch(short):
        before, times, after = parts[1], int(parts[2]), parts[3]
        written = [before[:-1] + before[-1] * times + after, before + after[:1] * times + after[1:]]
        for characters in dict.fromkeys(written):
            yield "Repeated", characters.lower(), window, _FIRST

    # Numbers inside a formula, `nitrous oxide (N2O)`. A final number is a suffix.
    if has_digit and not short[-1].isdigit() and _FORMULA.fullmatch(short):
        characters = "".join(filter(str.isalpha, fold(short)))
        if len(characters) > 1:
            yield "Formula", characters, window, _FIRST

    # The place of a group stands before it in the long form: `N6-methyladenosine (m6A)`, `5-methylcytosine (m5C)`.
    if parts := _MOVED.fullmatch(short):
        changed = TokenWindow([_ATOM.sub("", token) for token in window.tokens], window.spans)
        yield (
            MOVED,
            alphanumeric(parts["place"] + parts["group"] + parts["base"]),
            changed,
            ("WithinWrdFWrd", "ContLet", "WithinWrdFLet"),
        )

    # OH for hydroxy: `8-hydroxydeoxyguanosine (8-OHdG)`.
    if "OH" in short and (changed := _changed(window, lambda token: _HYDROXY.sub("oh", token))):
        yield "Hydroxy", letters, changed, _LOOSE

    # A number or `p` in the name of a gene that is not in the long form: `poly(A) polymerase (Pap1)`.
    # Not of a formula whose name has other words: `CO2` is no `concentration`.
    words = {word for name in _names(short) for word in name.split()}
    if (core := _SUFFIXED.fullmatch(short)) and (not words or words & {singular(token) for token in window.tokens}):
        characters = alphanumeric(core[1] + core[2])
        if len(characters) >= 2 and characters.isalpha():
            if short.endswith("p"):
                yield "Suffix", characters + "p", window, _STRONG
            tokens = window.tokens
            is_numbered = len(tokens) > 1 and tokens[-1].isdigit() and tokens[-1] in short
            changed = TokenWindow(tokens[:-1], window.spans) if is_numbered else window
            yield "Suffix", characters, changed, (*_STRONG, "WithinWrdWrd")

    # More words skipped: `transporter associated with antigen processing (TAP)`.
    if len(letters) >= 3 and short.isupper():
        yield "Wide", letters, window, _WIDE


def index_first(short: str) -> str | None:
    """The characters of a short form with its index first: `aT` for `T(a)`, `tR` for `Rt`; None without an index.

    >>> index_first("IFN-gamma")
    'gammaifn'
    """
    if len(short) == 2 and short.isalpha() and short[0].isupper() != short[1].isupper():
        return fold(short)[::-1]
    parts = _INDEXED.fullmatch(short)
    return alphanumeric((parts[2] or parts[3] or parts[4] or parts[5] or parts[6]) + parts[1]) if parts else None


def _with_numbers(token: str) -> str:
    return _NUMBER.sub(lambda match: _NUMBERS[match[0]], token)


def _changed(window: TokenWindow, rewrite: Callable[[str], str]) -> TokenWindow | None:
    """The window with rewritten tokens; None if they are the same."""
    tokens = list(map(rewrite, window.tokens))
    return TokenWindow(tokens, window.spans) if tokens != window.tokens else None


MOST_WORDS = 3
"""The number of words of the name of a formula."""

_NOTATION = re.compile(r"(?=.{0,2}[A-Z])[A-Za-z0-9()\[\]+−-]{1,16}")
_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")
_ION = frozenset("ion ions anion anions cation cations".split())  # noqa: SIM905
_SPELLINGS = (("sulph", "sulf"), ("aluminium", "aluminum"), ("caesium", "cesium"))


def name_begin(short: str, window: TokenWindow) -> int | None:
    """The first token of the chemical name at the end of a window that a short form is the notation of.

    `hydrogen peroxide (H2O2)`, `lead (Pb)`. None if the short form is no notation, or the window ends with other words.
    """
    names = _names(short)
    if not names:
        return None
    tokens = window.tokens
    end = len(tokens) - 1 if tokens[-1] in _ION and len(tokens) > 1 else len(tokens)
    for begin in range(max(0, end - MOST_WORDS), end):
        if _key(" ".join(tokens[begin:end])) in names:
            return begin
    return None


def is_name_of(long: str, short: str) -> bool:
    """Whether a long form is the chemical name of a formula or a symbol.

    >>> is_name_of("carbon dioxide", "CO2"), is_name_of("25% concentration", "CO2")
    (True, False)
    """
    return _key(" ".join(long.split())) in _names(short)


@cached(1024)
def _names(short: str) -> frozenset[str]:
    """The keys of the names of a salt, an element or an ion. `Fe3+` is no short form of iron, which is also `Fe2+`."""
    if not _NOTATION.fullmatch(short):
        return frozenset()
    notation = short.replace("−", "-")
    first, *others = (*ion_names(notation), "")
    names = [
        *salts(notation),
        first.removesuffix(" ion"),
        *(name for name in others if name and first.startswith(name)),
    ]
    return frozenset(map(_key, filter(None, names)))


def _key(name: str) -> str:
    # The hyphen may be the end of a line: `carbon tetra-\nchloride`.
    name = _HYPHEN.sub("", name.lower())
    for british, american in _SPELLINGS:
        name = name.replace(british, american)
    return singular(name)
