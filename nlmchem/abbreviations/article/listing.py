"""Lists of abbreviations in articles: a section, the footnote of a table, the end of a figure legend.

Their forms in open-access articles: `DHA, docosahexaenoic acid; EPA, ...`, `DHA: ...`, `DHA = ...`, one
entry a paragraph, or a table of two columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.model.document import Span
from nlmchem.abbreviations.ab3p.candidates import REACH, tokens_between, trimmed
from nlmchem.abbreviations.ab3p.matching import admitted, match
from nlmchem.abbreviations.ab3p.reading import Reading
from nlmchem.abbreviations.ab3p.window import TokenWindow

LIST_SCORE = 0.99
"""The score of an entry whose letters match the long form."""

UNALIGNED_SCORE = 0.8
"""The score of an entry whose letters do not match: `GSH, glutathione`, but also misplaced table cells."""

_CUE = re.compile(
    r"(?:^|[.;)\n]\s*)(?:list of |non-?standard |the following |other )?abbreviations?(?: used)?(?: in [\w ]{3,30})?"
    r"(?:\s*[:.—–-]\s*|\s+are(?: as follows)?:\s*|\n)",
    re.IGNORECASE,
)
_SHORT = r"[\[(]?[^\W_][^\s,;:=\t]{0,19}(?: [^\s,;:=\t]{1,8})?"
_ENTRY = re.compile(rf"(?:and\s+)?({_SHORT})\s*(?:\t|:(?=\s)|=|,(?=\s)|\s[–—-]\s)\s*(\S.*)", re.DOTALL)
# The start of an entry after a comma or a full stop, in lists without semicolons: `CI: confidence interval, SD: ...`.
_NEXT = re.compile(rf"[,.]\s+(?=(?:and\s+)?{_SHORT}\s?[:=]\s)")
# A symbol needs no letters in common with its long form: `GSH, glutathione`.
_SYMBOL = re.compile(r"(?=.*[A-Z].*[A-Z0-9+]|.*[0-9].*[A-Z])|.$")
_BRACKETED = re.compile(r"\s*\(([A-Za-z][^\s()]{1,11})\)\s+([^\s()][^()]{2,200})")
_SEPARATOR = re.compile(r";\s*|\n+")
_END = re.compile(r"\.(?=\s+[A-Z][a-z]+\s+[a-z])")


def list_begin(text: str) -> int | None:
    """The offset of the first entry of a list in a text (`Abbreviations: ...`); None if there is no list."""
    if "bbreviation" not in text and "BBREVIATION" not in text:
        return None
    cue = _CUE.search(text)
    return cue.end() if cue else None


def in_list(text: str, start: int = 0) -> list[Reading]:
    """The definitions of a list of abbreviations that begins at `start`."""
    if _BRACKETED.match(text, start):
        return _in_brackets(text, start)
    end = _END.search(text, start)
    stop = end.start() if end and "\n" not in text[start:] else len(text)
    readings: list[Reading] = []
    for entry in _entries(text, start, stop):
        reading = _defined(text, entry)
        if reading is not None:
            readings.append(reading)
    return readings


def _in_brackets(text: str, start: int) -> list[Reading]:
    """`(DHA) docosahexaenoic acid (EPA) eicosapentaenoic acid`."""
    entries = (read_entry(text, entry.span(1), entry.span(2)) for entry in _BRACKETED.finditer(text, start))
    return [reading for reading in entries if reading is not None]


def _entries(text: str, start: int, stop: int) -> Iterator[Span]:
    for piece in _pieces(_SEPARATOR, text, start, stop):
        yield from _pieces(_NEXT, text, *piece)


def _pieces(separator: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[Span]:
    reached = start
    for gap in separator.finditer(text, start, stop):
        yield reached, gap.start()
        reached = gap.end()
    yield reached, stop


def entry_of(text: str, piece: Span) -> tuple[Span, Span] | None:
    """The spans of short form and long form in a piece with the form of an entry; None for other pieces."""
    start, end = trimmed(text, *piece)
    parts = _ENTRY.fullmatch(text, start, min(end, start + REACH))
    return (parts.span(1), parts.span(2)) if parts else None


def _defined(text: str, piece: Span) -> Reading | None:
    entry = entry_of(text, piece)
    return read_entry(text, *entry) if entry else None


def read_entry(text: str, short: Span, long: Span) -> Reading | None:
    """The definition of an entry. Its letters must match, unless the short form is written as a symbol."""
    form = text[slice(*short)]
    long = _without_end(text, long, form)
    if not admitted(form) or long[1] - long[0] < len(form) or "\t" in text[slice(*long)]:
        return None
    tokens = tokens_between(text, *long)
    aligned = match(text, form, TokenWindow.of(text, tokens)) if tokens else None
    if aligned and aligned.long[0] == long[0]:
        return Reading(short, long, f"List+{aligned.strategy}", LIST_SCORE)
    if not _SYMBOL.match(form) or not any(map(str.isalpha, text[slice(*long)])):
        return None
    return Reading(short, long, "List", UNALIGNED_SCORE)


def _without_end(text: str, span: Span, form: str) -> Span:
    """A long form without final punctuation, and without its own short form in brackets at the end."""
    start, end = span
    while end > start and text[end - 1] in " .,;\n\t":
        end -= 1
    again = f"({form})"
    return trimmed(text, start, end - len(again)) if text.endswith(again, start, end) else (start, end)
