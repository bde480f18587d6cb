"""Names and places of suppliers, which are no chemicals: `(Waters, Milford, MA, USA)`, `(Agar Scientific, UK)`.

A name of one word counts only before a country, or before a town with its state: in `(Ethanol, Merck, Germany)` the
first word is a chemical. After `from` it counts before a place in brackets: `from Waters (Milford, MA)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.model.document import Span

_WORD = r"[A-Z][\w&.'’-]*"
_NAME = rf"{_WORD}(?: (?:(?:and|of|&) )?{_WORD}){{1,4}}"
_TOWN = rf"{_WORD}(?: {_WORD}){{0,2}}"
_STATE = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]"
    r"|W[AIVY])(?![\w-])"
)
_COUNTRY = (
    r"(?:USA|U\.S\.A|UK|U\.K|United (?:States|Kingdom)|England|Scotland|Germany|Japan|China|P\. ?R\. ?China|France"
    r"|Switzerland|Sweden|Italy|Australia|Canada|India|Israel|Spain|Denmark|(?:The )?Netherlands|Belgium|Austria"
    r"|(?:South )?Korea|Taiwan|Brazil|Finland|Norway|Ireland|Poland|Czech Republic|Hungary|Portugal|New Zealand)(?!\w)"
)
_PLACE = re.compile(rf", (?:{_STATE}|{_COUNTRY})")
_IN_STATE = rf"{_TOWN}, {_STATE}"
_SUPPLIERS = re.compile(
    rf"(?=[A-Z])(?:(?<=[(\[])|(?<=[,;:] )|(?<=from )|(?<=by )|(?<=all ))"
    rf"(?:{_NAME}(?:, {_TOWN})?(?:, {_STATE})?, (?:{_STATE}|{_COUNTRY})"
    rf"|(?<=from )(?:{_NAME}|[A-Z][a-z]{{3,}}) \((?:{_IN_STATE}|{_TOWN}, {_COUNTRY})"
    rf"|[A-Z][a-z]+, (?:{_IN_STATE}|{_COUNTRY})"
    rf"|(?<=\(){_TOWN}, {_STATE}, {_COUNTRY})"
)


def suppliers_in(text: str) -> list[Span]:
    """The spans of the names and places of suppliers in a text.

    >>> text = "obtained from Avanti Polar Lipids (Alabaster, AL, USA)"
    >>> [text[start:end] for start, end in suppliers_in(text)]
    ['Avanti Polar Lipids (Alabaster, AL']
    """
    # Few passages have a place, and this search is faster.
    return [match.span() for match in _SUPPLIERS.finditer(text)] if _PLACE.search(text) else []


def is_inside(span: Span, others: Sequence[Span]) -> bool:
    """Whether a span lies in one of the others."""
    return any(start <= span[0] and span[1] <= end for start, end in others)
