"""Compound codes, found by the words that introduce them: `the curcumin analog FLLL32`.

The code alone does not show what it is: `FLLL32` could also be a protein or a cell line. If an article calls a code an
inhibitor, a compound or a drug once, all occurrences of the code are chemicals. In the training parts of BC5CDR, BioRED
and DrugProt 952 of 1,040 occurrences of such codes are marked, and 24 are part of a longer name
(docs/measurements/tagger.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpora.model.document import Span
from nlmchem.tagging.tokenization.tokens import at_word_bounds

_CODE = r"([A-Z][A-Za-z&]{0,5}[- ]?\d{2,7}(?:,\d{3}){0,2}[A-Za-z]?)(?![\w-]|,\d)"
_KIND = r"(?:agonist|analogu?e?|antagonist|blocker|compound|derivative|drug|inhibitor)"
_BEHIND = re.compile(rf"\b[a-z]{{0,20}}{_KIND}s?,? \(?{_CODE}")
_BEFORE = re.compile(rf"(?<![\w-]){_CODE}(?:,| is| was)? an? (?:[\w-]{{1,30}} ){{0,4}}{_KIND}\b")
_NO_CODE = re.compile(r"(?:[EILT][CD]|GI|CC|OD)[ -]?\d+|(?:[Ff]ig|[Rr]ef|[Tt]able|No|Type|CYP|GPR|HIV|[Ii]n)[- ]?\d.*")


def codes_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The codes that the texts of one article introduce as compounds, sorted."""
    codes = {match[1] for text in texts for pattern in (_BEHIND, _BEFORE) for match in pattern.finditer(text)}
    return tuple(sorted(code for code in codes if not _NO_CODE.fullmatch(code)))


def places(text: str, codes: Iterable[str]) -> Iterator[Span]:
    """The occurrences of the codes in a text, as separate words or before a hyphen."""
    for code in codes:
        at = text.find(code)
        while at >= 0:
            if at_word_bounds(text, at, at + len(code)):
                yield at, at + len(code)
            at = text.find(code, at + len(code))
