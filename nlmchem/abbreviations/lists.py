"""Lists of abbreviations in articles: a section, a table, the footnote of a table, the end of a figure legend.

Their forms in open-access articles: `DHA, docosahexaenoic acid; EPA, ...`, `DHA: ...`, `DHA = ...`, one
entry a paragraph, or a table of two columns. A heading states that every entry is a definition. Without one, the
letters must: most of the entries align.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from corpora.model.document import Span
from nlmchem.abbreviations.ab3p.candidates import REACH, TokenWindow, trimmed
from nlmchem.abbreviations.ab3p.matching import Reading, admitted, is_symbol, match

LIST_SCORE = 0.99
"""The score of an entry whose letters match the long form."""

UNALIGNED_SCORE = 0.8
"""The score of an entry whose letters do not match: `GSH, glutathione`, but also misplaced table cells."""

Entry = tuple[Span, Span]
"""The spans of a short form and its long form in a list."""

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
        # `(DHA) docosahexaenoic acid (EPA) eicosapentaenoic acid`
        entries = [(entry.span(1), entry.span(2)) for entry in _BRACKETED.finditer(text, start)]
    else:
        end = _END.search(text, start)
        stop = end.start() if end and "\n" not in text[start:] else len(text)
        pieces = (piece for part in _split(_SEPARATOR, text, start, stop) for piece in _split(_NEXT, text, *part))
        entries = [entry for piece in pieces if (entry := _entry_of(text, piece))]
    readings = (_read_entry(text, *entry) for entry in entries)
    return [reading for reading in readings if reading is not None]


def _split(separator: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[Span]:
    reached = start
    for gap in separator.finditer(text, start, stop):
        yield reached, gap.start()
        reached = gap.end()
    yield reached, stop


def _entry_of(text: str, piece: Span) -> Entry | None:
    """The entry that a piece of a text has the form of; None for other pieces."""
    start, end = trimmed(text, *piece)
    parts = _ENTRY.fullmatch(text, start, min(end, start + REACH))
    return (parts.span(1), parts.span(2)) if parts else None


def _read_entry(text: str, short: Span, long: Span) -> Reading | None:
    """The definition of an entry. Its letters must match, unless the short form is written as a symbol."""
    form = text[slice(*short)]
    # Without final punctuation, and without its own short form in brackets at the end.
    start, end = long
    while end > start and text[end - 1] in " .,;\n\t":
        end -= 1
    again = f"({form})"
    if text.endswith(again, start, end):
        start, end = trimmed(text, start, end - len(again))
    if not admitted(form) or end - start < len(form) or "\t" in text[start:end]:
        return None
    aligned = match(text, short, TokenWindow.between(text, start, end))
    if aligned and aligned.long[0] == start:
        return aligned._replace(strategy=f"List+{aligned.strategy}", long=(start, end), score=LIST_SCORE)
    if not _SYMBOL.match(form) or not any(map(str.isalpha, text[start:end])):
        return None
    return Reading(short, (start, end), "List", UNALIGNED_SCORE)


LEAST_ENTRIES = 2
"""The least number of entries of a list without a heading whose letters match their long forms."""
LEAST_SHARE = 0.5
"""The least share of such entries."""
SHORTEST_TITLE = 11
"""Characters. A first short form of this length is the title of its column: `Abbreviation`."""
SHORTEST_FORM = 2
LONGEST_UNALIGNED = 60
"""Characters of a long form whose letters do not match."""
LONGEST_ROW = 400
"""Characters. Longer lines are paragraphs."""

_LINE = re.compile(r"[^\n]+")
_PART = re.compile(r"[^;\n]+")
_CELL = re.compile(r"[^\t|\n]+?(?=\s*[\t|\n]|\s{3,}|\s*$)")
_COLUMNS = re.compile(r"\t|\||\S {3,}\S")
_LAST_SENTENCE = re.compile(r"(?:.*[.)]\s+|\s*)", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{2})[.](?=\s+\S)")
_CUT = re.compile(r"[,;:=]\s")


def without_heading(text: str) -> list[Reading]:
    """The definitions of the tables and lists of a text that no heading introduces."""
    if "\n" in text and _COLUMNS.search(text):
        # Rows with an even number of cells: (short form, long form) or (long form, short form).
        pairs: list[Entry] = []
        for line in _short_pieces(_LINE, text):
            cells = [trimmed(text, *cell.span()) for cell in _CELL.finditer(text, *line) if cell[0].strip()]
            if len(cells) % 2 == 0:
                pairs += zip(cells[::2], cells[1::2], strict=True)
        readings = _most_aligned(text, pairs) or _most_aligned(text, [(long, short) for short, long in pairs])
        if readings:
            return readings
    for separator in (_LINE, _PART):
        readings = _in_entries(text, list(_short_pieces(separator, text)))
        if readings:
            return readings
    return []


def _short_pieces(kind: re.Pattern[str], text: str) -> Iterator[Span]:
    for piece in kind.finditer(text):
        if piece.end() - piece.start() <= LONGEST_ROW:
            yield piece.span()


def _in_entries(text: str, pieces: Sequence[Span]) -> list[Reading]:
    """Entries that are lines or separated by semicolons. The sentences of the passage may precede the first one."""
    if len(pieces) < LEAST_ENTRIES:
        return []
    entries = [_entry_of(text, piece) for piece in pieces]
    if entries[0] is None and (sentence := _LAST_SENTENCE.match(text, *pieces[0])):
        entries[0] = _entry_of(text, (sentence.end(), pieces[0][1]))
    first = next((at for at, entry in enumerate(entries) if entry), len(entries))
    return _most_aligned(text, entries[first:])


def _most_aligned(text: str, entries: Sequence[Entry | None]) -> list[Reading]:
    """The definitions of the entries, if the letters of most entries match; otherwise none."""
    if entries and entries[0] and entries[0][0][1] - entries[0][0][0] >= SHORTEST_TITLE:
        entries = entries[1:]
    readings: list[Reading] = []
    for short, (start, stop) in filter(None, entries):
        end = _SENTENCE_END.search(text, start, stop)
        reading = _read_entry(text, short, (start, end.start() if end else stop))
        # `ΔG‡ | ΔGrxn`: two symbols in a table of values.
        if reading and not is_symbol(text[slice(*reading.long)]):
            readings.append(reading)
    aligned = sum(reading.score == LIST_SCORE for reading in readings)
    if aligned < max(LEAST_ENTRIES, LEAST_SHARE * len(entries)):
        return []
    return [reading for reading in readings if _is_distinct(text, reading)]


def _is_distinct(text: str, reading: Reading) -> bool:
    """Whether a short form has a capital, which words and units do not have, and the long form is one name.

    Letters in figures (`a, amnion`) are also words of the text.
    """
    form, long = text[slice(*reading.short)], text[slice(*reading.long)]
    if len(form) < SHORTEST_FORM or not any(map(str.isupper, form)):
        return False
    return reading.score == LIST_SCORE or (len(long) <= LONGEST_UNALIGNED and not _CUT.search(long))
