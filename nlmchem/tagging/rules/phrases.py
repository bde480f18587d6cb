"""Words that belong to a name but are missing in the span of a model, and spans that are not names.

The rules follow counts in the 30 open NLM-Chem articles: 29 of 33 occurrences of `amino acid` are marked, none of 51
initials of a genus (`E. coli`), none of 17 `C-` or `N-terminal`, and two of 11,198 numbers.
"""

from __future__ import annotations

import re

from corpora.model.document import Span
from nlmchem.tagging.rules.residues import NAMES

__all__ = ["completed", "no_name"]

_HEADS = re.compile(r" acids?\b")
_COLOUR = re.compile(r" (?:Black|Blue|Green|Orange|Red|Violet|Yellow)\b")
# `MK` + `-801`, `Triton X` + `-100`.
_CODE = re.compile(r"-\d{2,5}[A-Za-z]?(?!\w)")
_CAPITALS = re.compile(r"(?:.* )?[A-Z]{1,5}")
_HYDROXY = re.compile(r"(?:1α?,)?(?:24,)?25\(OH\)2?$")
_BEFORE = {
    "saline": re.compile(r"(?:[Pp]hosphate|[Tt]ris|[Cc]itrate|HEPES)[ -]buffered $"),
    **dict.fromkeys(("D", "D2", "D3"), _HYDROXY),
}
_BUFFER = re.compile(r"[ -]buffered saline\b")
_COLD = re.compile(r"ice[ -]cold ")
# Adjectives that form the name of a class only with their noun: `heavy metals`, `hydroxyl radical`.
_QUALIFIERS = {
    "free": (re.compile(r"[ -]radicals?\b"),),
    "heavy": (re.compile(r" metals?\b"),),
    "hydroxyl": (re.compile(r" radicals?\b"),),
    "inorganic": (re.compile(r" (?:arsenic|phosphates?|phosphorus|polyphosphates?|pyrophosphate|sulfate)\b"),),
    "superoxide": (re.compile(r" (?:anion radical|anion|radical)s?\b"),),
}
_ALONE = frozenset(
    ("amino", "carboxyl", "fatty", "free", "heavy", "inorganic", "low", "organic", "saturated", "soluble", "total")
)
# Companies, a type of mask, antigens of a virus, glutathione peroxidase.
_OTHERS = re.compile(r"Waters|Qiagen|N95|HB[ces]?A[bg]|GSH-P[Xx]")
# `CAPS-Myc-His` is a tagged protein; `Arg-His` is not.
_TAGGED = re.compile(rf"(?<![A-Za-z])(?!(?:{NAMES})-)\w+-$")
_LETTER = re.compile(r"[A-Z]")
_NO_SYMBOL = re.compile(r"\. [a-z]{3,}|[-‐‑](?:box|lobe|loop|rich|ring|stack|tail|tag|termin|DNA)")


def completed(text: str, span: Span) -> Span:
    """The span, extended by neighbouring words that belong to the name.

    `amino` + ` acids`, `free` + ` radicals`, `Nile` + ` Red`, `MK` + `-801`, `phosphate-buffered ` + `saline`.
    """
    start, end = span
    cold = _COLD.match(text, start, end)
    start = cold.end() if cold is not None else start
    name = text[start:end]
    if name in _BEFORE:
        before = _BEFORE[name].search(text, max(0, start - 20), start)
        return (before.start() if before is not None else start), end
    if not name[-1:].isalpha():
        return start, end
    following = [_HEADS, _COLOUR, _BUFFER, *_QUALIFIERS.get(name.lower(), ())]
    if len(name) > 1 and _CAPITALS.fullmatch(name):
        following.append(_CODE)
    return start, max((found.end() for pattern in following if (found := pattern.match(text, end))), default=end)


def no_name(text: str, span: Span) -> bool:
    """Whether a span is a number, a single adjective, or a letter that is not a symbol in its context.

    Some frequent errors of models are rejected by name.
    """
    start, end = span
    name = text[start:end]
    if not any(map(str.isalpha, name)) or name.lower() in _ALONE or _OTHERS.fullmatch(name):
        return True
    if name == "His" and _TAGGED.search(text, max(0, start - 20), start):
        return True
    return _LETTER.fullmatch(name) is not None and _NO_SYMBOL.match(text, end) is not None
