"""Numbers and letters that label an atom or a compound and do not belong to its name.

`C(12)` is a carbon atom, `derivatives 7b` are derivatives, `BKM120 50` is a code with its dose. A span is trimmed if
the text without the label has a meaning that the text with it does not have, or is marked elsewhere in the article.
"""

from __future__ import annotations

import re
from collections.abc import Set

from corpora.model.document import Span
from nlmchem.deciding.meanings import Meanings

__all__ = ["trimmed"]

_ATOM = re.compile(r"([CNOHPS])\(\d{1,2}'?[a-z]?\)")
"""An atom and its position. In older abstracts `O(2)` and `N(2)` are molecules and `C(60)` is a fullerene."""
_MOLECULES = frozenset({"C(60)", "C(70)", "H(2)", "N(2)", "O(2)", "O(3)", "P(4)", "S(8)"})
_LABEL = re.compile(r"(?: \(?\d{1,3}(?:\.\d+)?[a-zA-Z]{0,2}\)?(?: ?[-–,] ?\d{1,3}[a-z]?)*| \([ivx]{1,4}\))$")
"""A number at the end: of a compound (`7b`), of a dose (`50`), of compounds (`7a-c`)."""


def trimmed(text: str, span: Span, meanings: Meanings, marked: Set[str]) -> Span:
    """The span without a label at its end. `marked`: the texts of the spans of the article."""
    start, end = span
    atom = _ATOM.fullmatch(text, start, end)
    if atom is not None:
        return span if atom[0] in _MOLECULES else atom.span(1)
    label = _LABEL.search(text, start, end)
    if label is None or label.start() == start:
        return span
    base = text[start : label.start()]
    if not base[-1].isalnum():
        return span
    if meanings.of(text[start:end]).is_trusted:
        return span
    if meanings.is_known_chemical(base) or base in marked:
        return start, label.start()
    return span
