"""Singular and plural of English noun phrases, as far as long forms need them."""

from __future__ import annotations

import re
from collections.abc import Callable

_HEAD = re.compile(r"(?P<head>.*?[^\W\d_])(?P<rest> (?:of|for|in|to|with|from|at|on|by) .*)", re.DOTALL)
_IRREGULAR = {"analysis": "analyses", "mitochondrion": "mitochondria", "bacterium": "bacteria", "nucleus": "nuclei"}
_SINGULAR = {plural: singular for singular, plural in _IRREGULAR.items()}


def plural(phrase: str) -> str:
    """The plural of a noun phrase: of the head in `body of water`, otherwise of the last word.

    >>> plural("free fatty acid"), plural("unit of blood"), plural("T-cell assay"), plural("assembly")
    ('free fatty acids', 'units of blood', 'T-cell assays', 'assemblies')
    """
    return _inflect(phrase, _plural_word)


def singular(phrase: str) -> str:
    """The singular of a noun phrase. Words in -ss, -us and -is do not change.

    >>> singular("free fatty acids"), singular("units of blood"), singular("status"), singular("glass")
    ('free fatty acid', 'unit of blood', 'status', 'glass')
    """
    return _inflect(phrase, _singular_word)


def _inflect(phrase: str, change: Callable[[str], str]) -> str:
    parts = _HEAD.fullmatch(phrase)
    head, rest = (parts["head"], parts["rest"]) if parts else (phrase, "")
    before, blank, word = head.rpartition(" ")
    return f"{before}{blank}{change(word)}{rest}"


def _plural_word(word: str) -> str:
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith("s") and not low.endswith(("ss", "us", "is")):
        return word
    if low.endswith("sis"):
        return word[:-2] + "es"
    if low.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _singular_word(word: str) -> str:
    low = word.lower()
    if low in _SINGULAR:
        return _SINGULAR[low]
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    if low.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if low.endswith(("lyses", "theses", "noses")):
        return word[:-2] + "is"
    if low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 2:
        return word[:-1]
    return word
