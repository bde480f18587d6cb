"""A tagger: words that end with the stem of an international nonproprietary name, such as `propranolol`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nlmchem.tagging.registry import Tagger

STEMS = ("azole", "caine", "cillin", "cycline", "floxacin", "olol", "oxetine", "prazole", "pril", "sartan", "statin")
_WORD = re.compile(rf"\b[A-Za-z]{{2,20}}(?:{'|'.join(STEMS)})s?\b")
SCORE = 0.9
"""How sure a mention is. Below 0.5 the vote inside an article would remove it."""


def spans(texts: Sequence[str]) -> Iterator[list[tuple[int, int, float]]]:
    """Start, end and score of each name, for each passage of an article.

    >>> list(spans(["Propranolol and two statins", "Enalapril"]))
    [[(0, 11, 0.9)], [(0, 9, 0.9)]]
    """
    for text in texts:
        yield [(match.start(), match.end(), SCORE) for match in _WORD.finditer(text)]


TAGGER = Tagger(spans=lambda choice, lexicon: spans)
