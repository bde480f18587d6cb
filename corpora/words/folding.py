"""Texts of the same length, so that offsets in them are offsets in the text: folded letters, without markup.

Markup that is left in plain text, such as `H<sub>2</sub>O`, `CO$_2$` and `&#946;-carotene`, is replaced by soft
hyphens, which word pieces and lexicons ignore.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

GREEK_LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
GREEK_NAMES = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
GREEK_NAME_OF = dict(zip(GREEK_LETTERS, GREEK_NAMES, strict=True))

FINAL_SIGMA = "ς"
MICRO = "µ"
"""The micro sign, U+00B5: another character than the letter mu, U+03BC."""

# A Greek letter becomes the first letter of its name, as in short forms: `TNFA` for `TNF-α`.
_GREEK = {letter: name[0] for letter, name in GREEK_NAME_OF.items()} | {FINAL_SIGMA: "s"}

SOFT_HYPHEN = "\u00ad"
_MARKUP = re.compile(
    r"</?(?:sub|sup|i|b|em|strong|italic|bold)>"
    # LaTeX: `$_2$`, `$^{2+}$`.
    r"|\$(?=[_^])|[_^]\{?(?=[\d+-]{1,3}\}?\$)|[_^]\{?(?=[\d+-]{1,3}\}?[_^][\d{+-])|(?<=[\d+-])\}?\$|(?<=[\d+-])\}(?=[_^])"
    r"|&(?:#\d{2,5}|#x[0-9a-fA-F]{2,4}|[a-zA-Z]{2,8});",
)


def fold(text: str) -> str:
    """Text in lower case, without accents, with the first letter of the name for Greek letters; of the same length.

    >>> fold("Tumour Nécrosis Factor-α")
    'tumour necrosis factor-a'
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_character, text))


def alphanumeric(text: str) -> str:
    """The folded letters and digits of a text. These characters of a short form are aligned.

    >>> alphanumeric("IL-1β")
    'il1b'
    """
    return "".join(filter(str.isalnum, fold(text)))


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    base = unicodedata.normalize("NFKD", character.lower())[:1] or character
    # Only the first character of a ligature is used, because the length must not change.
    return _GREEK.get(base, base)


def without_markup(text: str) -> str:
    """The text with soft hyphens for markup; an entity becomes its character and soft hyphens.

    >>> without_markup("H<sub>2</sub>O").replace(SOFT_HYPHEN, ""), without_markup("&beta;-carotene")[0]
    ('H2O', 'β')
    >>> without_markup("p < 0.05 & $5") == "p < 0.05 & $5"
    True
    """
    if not ("<" in text or "$" in text or "&" in text):
        return text
    return _MARKUP.sub(_hidden, text)


def _hidden(match: re.Match[str]) -> str:
    character = html.unescape(match[0]) if match[0].startswith("&") else ""
    # Only one character for one: an unknown entity stays.
    if len(character) > 1:
        return match[0]
    return character + SOFT_HYPHEN * (len(match[0]) - len(character))
