"""Words that belong to a name and that a model leaves out, and signs that are no names where they stand.

What is said here was counted in the 30 open NLM-Chem articles: of 33 places of `amino acid` 29 are marked, of 51
initials of a genus (`E. coli`) and of 17 `C-` or `N-terminal` none, of 11,198 numbers two.
"""

from __future__ import annotations

import re

from corpora.document import Span

__all__ = ["completed", "no_name"]

_HEADS = re.compile(r" acids?\b")
# What is the name of a class with its noun alone: `heavy metals`, `hydroxyl radical`, `inorganic phosphate`.
_QUALIFIERS = {
    "free": re.compile(r"[ -]radicals?\b"),
    "heavy": re.compile(r" metals?\b"),
    "hydroxyl": re.compile(r" radicals?\b"),
    "inorganic": re.compile(r" (?:arsenic|phosphates?|phosphorus|polyphosphates?|pyrophosphate|sulfate)\b"),
    "superoxide": re.compile(r" (?:anion radical|anion|radical)s?\b"),
}
_ALONE = frozenset(
    ("amino", "carboxyl", "fatty", "free", "heavy", "inorganic", "low", "organic", "saturated", "soluble", "total")
)
# A maker of instruments, and a kind of mask.
_OTHERS = frozenset(("Waters", "N95"))
_LETTER = re.compile(r"[A-Z]")
_NO_SYMBOL = re.compile(r"\. [a-z]{3,}|[-‐‑](?:box|lobe|loop|rich|ring|stack|tail|tag|termin|DNA)")


def completed(text: str, span: Span) -> Span:
    """The span with the noun behind it without which it says nothing: `amino` + ` acids`, `free` + ` radicals`."""
    start, end = span
    if text[end - 1].isalpha():
        noun = _HEADS.match(text, end) or _QUALIFIERS.get(text[start:end].lower(), _HEADS).match(text, end)
        if noun is not None:
            return start, noun.end()
    return span


def no_name(text: str, span: Span) -> bool:
    """Whether a mention is a number, an adjective alone, or a letter that its neighbours show to be no symbol.

    Two names that models take for chemicals in articles of all kinds are none either.
    """
    start, end = span
    name = text[start:end]
    if not any(map(str.isalpha, name)) or name.lower() in _ALONE or name in _OTHERS:
        return True
    return _LETTER.fullmatch(name) is not None and _NO_SYMBOL.match(text, end) is not None
