"""Sentences of a passage, by rules, in time that grows with the length of the text and no faster.

Sentences are only where long passages are preferably cut into windows, so a missed end costs nothing; a wrong
one inside `i.v. injection` would cost context. Offsets are kept: the text is never changed.
"""

from __future__ import annotations

import re

__all__ = ["sentences"]

# A run of full stops, its closing quotes and brackets, and a blank. Only the beginning of a run is tried, and no run
# is given back in part: there is nothing to backtrack over.
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]{0,3}(?=\s)|\n")
_BLANKS = re.compile(r"\s*")
_BEGINNING = re.compile(r"[\"'“‘(\[]{0,3}[^\W_]")
_LAST_WORD = re.compile(r"[^\s(\[]+\Z")
_WORD = 16
"""Characters before a full stop that are looked at."""

_NO_END = frozenset(
    """
    al approx ca cf co corp dr e.g eds eq eqs et etc fig figs i.d i.e i.m i.p i.v inc int jr lit ltd max min mr mrs ms
    no nos p.o pp prof ref refs resp s.c sec sp spp sr st subsp suppl tab temp var viz vol vs wt
    """.split()  # noqa: SIM905
)
_OFTEN_LAST = frozenset({"etc", "max", "min", "no", "temp", "wt"})
"""Abbreviations that also end sentences: what follows decides."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each sentence, without the blanks between them; [] for blank text."""
    found: list[tuple[int, int]] = []
    start = _skip(text, 0)
    for match in _END.finditer(text):
        end = match.start() if match.group() == "\n" else match.end()
        if end <= start:
            continue
        following = _skip(text, match.end())
        if match.group() != "\n" and not _ends(text, match.start(), following):
            continue
        found.append((start, end))
        start = following
    last = len(text.rstrip())
    if start < last:
        found.append((start, last))
    return found


def _skip(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return position if match is None else match.end()


def _ends(text: str, stop: int, following: int) -> bool:
    """Whether the full stop at `stop` ends a sentence, where the next one would begin at `following`."""
    if following >= len(text):
        return False
    beginning = _BEGINNING.match(text, following)
    if beginning is None or text[beginning.end() - 1].islower():
        return False
    if text[stop] != ".":
        return True
    word = _LAST_WORD.search(text[max(0, stop - _WORD) : stop])
    if word is None:
        return True
    last = word.group().casefold()
    if last in _NO_END:
        return last in _OFTEN_LAST and not text[beginning.end() - 1].isdigit()
    # `J. Smith`, `E. coli`; but `vitamin C. Then` is indistinguishable, and not cutting costs nothing.
    return not (len(last) == 1 and last.isalpha())
