"""Splits a passage into sentences by rules, in linear time.

Long passages are divided into windows at sentences. A missed end of a sentence has no cost. A wrong end, as in
`i.v. injection`, loses context. The text is not changed, so offsets stay valid.
"""

from __future__ import annotations

import re

# One or more full stops, closing quotes and brackets, and a blank. A match starts only at the first full stop, and `++`
# does not backtrack: this keeps the time linear.
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]{0,3}(?=\s)|\n")
_BLANKS = re.compile(r"\s*")
_BEGINNING = re.compile(r"[\"'“‘(\[]{0,3}[^\W_]")
_LAST_WORD = re.compile(r"[^\s(\[]+\Z")
_WORD = 16
"""Number of characters before a full stop that are examined."""

_NO_END = frozenset(
    """
    al approx ca cf co corp dr e.g eds eq eqs et etc fig figs i.d i.e i.m i.p i.v inc int jr lit ltd max min mr mrs ms
    no nos p.o pp prof ref refs resp s.c sec sp spp sr st subsp suppl tab temp var viz vol vs wt
    """.split()  # noqa: SIM905
)
_OFTEN_LAST = frozenset({"etc", "max", "min", "no", "temp", "wt"})
"""Abbreviations that also end sentences. The next character decides."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each sentence, without the blanks between them; [] for blank text."""
    spans: list[tuple[int, int]] = []
    start = _skip(text, 0)
    for match in _END.finditer(text):
        end = match.start() if match.group() == "\n" else match.end()
        if end <= start:
            continue
        following = _skip(text, match.end())
        if match.group() != "\n" and not _ends(text, match.start(), following):
            continue
        spans.append((start, end))
        start = following
    last = len(text.rstrip())
    if start < last:
        spans.append((start, last))
    return spans


def _skip(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return position if match is None else match.end()


def _ends(text: str, stop: int, following: int) -> bool:
    """Whether the full stop at `stop` ends a sentence. The next sentence would begin at `following`."""
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
    # `J. Smith` and `E. coli` do not end here. `vitamin C. Then` looks the same, but a missed end has no cost.
    return not (len(last) == 1 and last.isalpha())
