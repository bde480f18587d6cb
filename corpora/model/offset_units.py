"""Offsets that count something else than code points from the start of the document.

Files of other programs count bytes of UTF-8, UTF-16 code units (browsers, Java), from the start of the passage or
sentence, or line ends of two characters as one, or the reverse. The texts of the annotations show it: in another unit,
all of them are at their offsets. `settle` reports such a document, or corrects it where the user names the unit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCSentence

from corpora.errors import Argument, ArticleError, Text
from corpora.model.document import Span
from corpora.model.invariant import Violation, check, overlapping_passages
from corpora.model.passages import passage_text
from corpora.reporting import Report
from corpora.units import BYTES, CRLF, PASSAGE, UNITS, UTF16, utf8_width, utf16_width
from corpora.words.quantities import quantity

_WORDS = {
    BYTES: "count bytes of UTF-8",
    UTF16: "count UTF-16 code units",
    PASSAGE: "count from the start of the passage or sentence",
    CRLF: "count the two characters of a line end as one, or the reverse",
}
_MAX_SHIFT = 1000

Widths: TypeAlias = Callable[[str], Iterator[int]]
Place: TypeAlias = tuple[int, int]
"""A passage by its number, and a position in its text."""


def settle(document: BioCDocument, report: Report, offsets: str | None = None) -> list[Violation]:
    """Report each annotation whose text is not at its offsets. Returns those that are left.

    `offsets`: one of `UNITS`, in which the offsets of such a document count; they are changed to code points. Where no
    unit is given and all annotations agree in one, the unit is named in one sentence. Passages that overlap are
    reported as well.
    """
    violations = check(document)
    if violations and offsets is not None:
        corrected = _correct(document, offsets)
        violations = check(document)
        if corrected:
            report(f"document {document.id!r}: offsets changed to code points: {quantity(corrected, 'annotation')}")
    if violations:
        _report_violations(document, violations, report)
    for sentence in overlapping_passages(document):
        report(sentence)
    return violations


def agreed_unit(document: BioCDocument) -> str | None:
    """The unit in which all annotations with a location have their text at their offsets; None where there is none."""
    annotations = list(_located(document))
    for unit in UNITS if annotations else ():
        if any(all(layout.fits(located) for located in annotations) for layout in _layouts(document, unit)):
            return unit
    return None


def _report_violations(document: BioCDocument, violations: Sequence[Violation], report: Report) -> None:
    total = sum(1 for _ in _located(document))
    wrong = quantity(
        total,
        "annotation does not have its text at its offset",
        "annotations do not have their text at their offset",
    )
    start = f"document {document.id!r}: {len(violations)} of {wrong}"
    unit = agreed_unit(document)
    if unit is not None:
        start += f"; each has it if offsets {_WORDS[unit]}; kept unchanged; to correct them, convert the file with "
        report(Text(start, Argument("offsets", unit)))
        return
    if shift := _agreed_shift(document):
        where = f"{quantity(abs(shift), 'character')} {'after' if shift > 0 else 'before'} it"
        report(f"{start}; each has it {where}; kept unchanged; correct the offsets in the file")
        return
    if shift == 0 and all(_ends_inside(located.annotation) for located in _located(document)):
        report(f"{start}; each ends at its last character in place of after it; kept unchanged; add 1 to each end")
        return
    for violation in violations:
        report(f"{violation}; kept unchanged")


def _ends_inside(annotation: BioCAnnotation) -> bool:
    """Whether an annotation is one character shorter than its text."""
    return len(annotation.locations) == 1 and annotation.locations[0].length == len(annotation.text or "") - 1


def _correct(document: BioCDocument, unit: str) -> int:
    """Change offsets that count in `unit` to code points. Returns the number of annotations that were changed.

    Where the annotations of a document do not agree, only those are changed whose text is not at their offsets.
    """
    annotations = list(_located(document))
    layouts = list(_layouts(document, unit))
    agreed = next((layout for layout in layouts if all(map(layout.fits, annotations))), None)
    changed = 0
    plain = _Layout(document, _points)
    for located in annotations:
        if agreed is None and plain.fits(located):
            continue
        layout = agreed or next((layout for layout in layouts if layout.fits(located)), None)
        if layout is not None:
            changed += layout.move(located)
    return changed


@dataclass(frozen=True, slots=True)
class _Located:
    """An annotation, the passage (its number) or document (None) that has it, and its holder."""

    annotation: BioCAnnotation
    passage: int | None
    holder: BioCDocument | BioCPassage | BioCSentence


def _located(document: BioCDocument) -> Iterator[_Located]:
    for number, passage in enumerate(document.passages):
        for holder in (passage, *passage.sentences):
            for annotation in holder.annotations:
                if annotation.locations:
                    yield _Located(annotation, number, holder)
    for annotation in document.annotations:
        if annotation.locations:
            yield _Located(annotation, None, document)


# -- widths of characters -----------------------------------------------------------------------


def _points(text: str) -> Iterator[int]:
    return (1 for _ in text)


def _bytes(text: str) -> Iterator[int]:
    return map(utf8_width, text)


def _utf16(text: str) -> Iterator[int]:
    return map(utf16_width, text)


def _crlf_as_one(text: str) -> Iterator[int]:
    return (int(not (character == "\n" and text[at - 1 : at] == "\r")) for at, character in enumerate(text))


def _lf_as_two(text: str) -> Iterator[int]:
    return (2 if character == "\n" and text[at - 1 : at] != "\r" else 1 for at, character in enumerate(text))


def _same(gap: int) -> int:
    return gap


def _layouts(document: BioCDocument, unit: str) -> Iterator[_Layout]:
    """The ways to count in a unit: from the offset of the passage as it is stated, or from the start of the text."""
    match unit:
        case "bytes" | "utf16":
            widths = _bytes if unit == BYTES else _utf16
            yield _Layout(document, widths)
            yield _Layout(document, widths, base="text")
        case "passage":
            yield _Layout(document, _points, base="zero")
            yield _Layout(document, _points, base="sentence")
        case "crlf":
            # Between two passages are line ends.
            yield _Layout(document, _crlf_as_one, base="text", gap=lambda gap: (gap + 1) // 2)
            yield _Layout(document, _lf_as_two, base="text", gap=lambda gap: 2 * gap)
            yield _Layout(document, _crlf_as_one)
            yield _Layout(document, _lf_as_two)


@dataclass(slots=True)
class _Layout:
    """Positions of a document in one way of counting, and the places in the texts of the passages that they mean.

    `base`: where a passage begins: at its stated `offset`; at `zero`; where its `sentence` begins; or where the `text`
    before it ends, with the characters between the passages counted by `gap`.
    """

    document: BioCDocument
    widths: Widths
    base: str = "offset"
    gap: Callable[[int], int] = _same
    texts: list[str] = field(init=False)
    positions: dict[int, dict[int, int]] = field(init=False, default_factory=dict)
    starts: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.texts = [_text_or_none(passage) for passage in self.document.passages]
        if self.base == "text":
            self._lay_out()

    def _lay_out(self) -> None:
        reached = end = 0
        for passage, text in zip(self.document.passages, self.texts, strict=True):
            reached += self.gap(max(0, passage.offset - end))
            self.starts.append(reached)
            reached += sum(self.widths(text))
            end = passage.offset + len(text)

    def fits(self, located: _Located) -> bool:
        """Whether the text of an annotation is at its locations."""
        places = self._places(located)
        pieces = [self._piece(*place) for place in places or ()]
        return bool(pieces) and all(pieces) and " ".join(pieces) == located.annotation.text

    def move(self, located: _Located) -> bool:
        """Give an annotation that fits the offsets that its text has in code points. Returns whether they changed."""
        places = self._places(located)
        assert places is not None, "only annotations that fit are moved"
        spans = [self._span(*place) for place in places]
        if [(place.offset, place.offset + place.length) for place in located.annotation.locations] == spans:
            return False
        located.annotation.locations = [BioCLocation(start, end - start) for start, end in spans]
        home = places[0][0][0]
        if located.passage is not None and home != located.passage:
            located.holder.annotations.remove(located.annotation)
            self.document.passages[home].annotations.append(located.annotation)
        return True

    def _piece(self, start: Place, end: Place) -> str:
        return self.texts[start[0]][start[1] : end[1]] if start[0] == end[0] else ""

    def _span(self, start: Place, end: Place) -> Span:
        offset: int = self.document.passages[start[0]].offset
        return offset + start[1], offset + end[1]

    def _places(self, located: _Located) -> list[tuple[Place, Place]] | None:
        places: list[tuple[Place, Place]] = []
        for location in located.annotation.locations:
            start = self._place(located, location.offset)
            end = self._place(located, location.offset + location.length, start)
            if start is None or end is None:
                return None
            places.append((start, end))
        return places

    def _place(self, located: _Located, position: int, start: Place | None = None) -> Place | None:
        """The place of a position; of an end, in the passage of its start."""
        number: int | None
        if self.base == "text":
            number = bisect_right(self.starts, position) - 1 if start is None else start[0]
        else:
            number = located.passage
        if number is None or number < 0:
            return None
        inside = position - self._begin(located, number)
        at = self._positions(number).get(inside)
        return None if at is None else (number, at)

    def _begin(self, located: _Located, number: int) -> int:
        """The position at which a passage begins."""
        offset: int = self.document.passages[number].offset
        match self.base:
            case "text":
                return self.starts[number]
            case "zero":
                return 0
            case "sentence":
                return offset - int(located.holder.offset) if isinstance(located.holder, BioCSentence) else 0
        return offset

    def _positions(self, number: int) -> dict[int, int]:
        if number not in self.positions:
            positions, reached = {0: 0}, 0
            for at, width in enumerate(self.widths(self.texts[number]), 1):
                reached += width
                positions[reached] = at
            self.positions[number] = positions
        return self.positions[number]


def _text_or_none(passage: BioCPassage) -> str:
    try:
        return passage_text(passage)
    except ArticleError:
        return ""


def _agreed_shift(document: BioCDocument) -> int | None:
    """By how many characters all annotations are before (+) or after (-) their text; None where they do not agree."""
    common: Counter[int] = Counter()
    annotations = list(_located(document))
    for located in annotations:
        common.update(_shifts(document, located))
    agreed = [shift for shift, number in common.items() if number == len(annotations)]
    return min(agreed, key=abs, default=None)


def _shifts(document: BioCDocument, located: _Located) -> set[int]:
    wanted = located.annotation.text
    if located.passage is None or len(located.annotation.locations) > 1 or not wanted:
        return set()
    passage = document.passages[located.passage]
    text, stated = _text_or_none(passage), located.annotation.locations[0].offset - passage.offset
    shifts: set[int] = set()
    at = text.find(wanted, max(0, stated - _MAX_SHIFT))
    while 0 <= at <= stated + _MAX_SHIFT:
        shifts.add(at - stated)
        at = text.find(wanted, at + 1)
    return shifts
