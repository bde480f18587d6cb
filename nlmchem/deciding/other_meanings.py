"""Where the name of a chemical means something else: persons, places, idioms.

`Gold et al.`, `Gold C, Lead H.`, `Silver Spring`, `iron curtain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.model.document import Span
from nlmchem.deciding.suppliers import suppliers_in

_SURNAME = r"[A-Z][a-z]{2,20}(?:-[A-Z][a-z]{2,20})?"
_INITIALS = r"[A-Z]{1,3}(?:-[A-Z])?"
_DOTTED = r"(?:[A-Z]\.[ -]?){1,3}"
_AUTHOR = rf"(?:{_SURNAME},? (?:{_INITIALS}|{_DOTTED})|{_DOTTED} ?{_SURNAME})"
_PERSONS = re.compile(
    # The authors at the start of a reference, `12. Smith AB, Gold C`; citations; titles.
    rf"(?:^|(?<=\n)|(?<=[\].)\d] )){_AUTHOR}(?:(?:,|;| and| &|, and|, &) {_AUTHOR})+(?=[.,;: ]|$)"
    rf"|(?<![\w-]){_SURNAME},? et al\b"
    rf"|(?<![\w-]){_SURNAME} (?:and|&) {_SURNAME},? \(?(?:19|20)\d\d[a-z]?(?=[;),])"
    rf"|(?<=\(){_SURNAME},? (?:19|20)\d\d(?=[a-z]?[;),])"
    rf"|(?<![\w-])(?:Drs?|Mrs?|Ms|Prof|Professor)\.? (?:{_DOTTED} ?)?{_SURNAME}"
)
_GEOGRAPHY = (
    "Bay|Beach|Butte|Canyon|City|Coast|County|Creek|Falls|Gulch|Harbou?r|Hills?|Islands?|Lakes?|Mountains?|Park|Ridge"
    "|Rivers?|Springs?|Street|Valley"
)
_PLACES = re.compile(rf"(?<![\w-])[A-Z][a-z]{{1,15}} (?:{_GEOGRAPHY})(?!\w)")
_IDIOMS = re.compile(
    r"(?<![\w-])(?:bronze (?:age|medals?)|carbon (?:cop(?:y|ies)|footprints?)|cast[ -]iron|copper beech"
    r"|gold(?: cards?| coins?| diggers?|[ -]medals?|[ -]medall?ists?| mines?| open access| rush|[ -]standards?)"
    r"|iron (?:age|curtain|fist|grip|horse|lad(?:y|ies)|lungs?|maiden|m[ae]n|rule)|nickel and dime"
    r"|salt (?:and pepper|flats?|lakes?|marsh(?:es)?|of the earth)"
    r"|silver (?:age|birch|bullets?|carp|fir|fox(?:es)?|jubilee|linings?|medals?|screen|spoon|standard|tongue)"
    r"|tin (?:cans?|drum|ears?|gods?|hats?|m[ae]n|pan|soldiers?)|zinc (?:fingers?|whiskers))(?!\w)",
    re.IGNORECASE,
)
"""Compounds of general dictionaries in which the name of an element or a substance has another meaning."""


def no_chemicals_in(text: str) -> list[Span]:
    """The spans of a text inside which no name means a chemical: suppliers, persons, places, idioms.

    >>> text = "Gold et al. used the gold standard in Silver Spring."
    >>> [text[start:end] for start, end in no_chemicals_in(text)]
    ['Gold et al', 'gold standard', 'Silver Spring']
    """
    return sorted([*suppliers_in(text), *_other_meanings(text)])


def _other_meanings(text: str) -> Iterator[Span]:
    for pattern in (_PERSONS, _PLACES, _IDIOMS):
        for match in pattern.finditer(text):
            yield match.span()
